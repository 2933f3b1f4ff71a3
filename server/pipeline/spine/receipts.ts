// Hot path. bench/pipeline.bench.ts
// What is known of each command on its way, from its stamp to its reply: columns by the low bits of
// its seq. Seqs on the way lie close together, so the columns grow until no two need one cell.
// Invariants: a cell belongs to one seq from `open` to `finish`; a free cell has the seq 0.

import { assert } from '../../../engine/domain/assert.ts'
import type { Generation, Seq, Slot } from '../../../engine/domain/ids.ts'
import { LIMITS } from '../../../engine/domain/limits.ts'
import type { TimeMs } from '../../../engine/domain/units.ts'
import type { OrderName } from './due-cancels.ts'

export interface MakerMatch {
  readonly slot: Slot
  readonly generation: Generation
  readonly sizeRaw: number
}

/** All a reply says of an arrival. */
export interface Receipt {
  readonly seq: Seq
  readonly nowMs: TimeMs
  /** RESULT of the DONE record. */
  readonly result: number
  readonly filledSharesRaw: number
  readonly filledCollateralRaw: number
  /** In shares for a buy, in collateral for a sell. */
  readonly feeRaw: number
  /** The first LIMITS.replyOrdersMax makers; so is the list of canceled orders. */
  readonly makers: readonly MakerMatch[]
  readonly stpCanceled: readonly OrderName[]
}

export interface CancelReceipt {
  readonly canceled: readonly OrderName[]
  readonly notOpen: readonly OrderName[]
}

export type Finish = (receipt: Receipt, cancels: CancelReceipt) => void

/** Lists of one command. Most commands trade with nobody and cancel nothing: they have none. */
class Lists {
  readonly makers: MakerMatch[] = []
  readonly stpCanceled: OrderName[] = []
  readonly canceled: OrderName[] = []
  readonly notOpen: OrderName[] = []
}

const NO_LISTS = new Lists()
const { replyOrdersMax } = LIMITS
const FIRST_CELLS = 1024

export class Receipts {
  #mask = FIRST_CELLS - 1
  #seqOf = new Float64Array(FIRST_CELLS)
  #nowMsOf = new Float64Array(FIRST_CELLS)
  #resultOf = new Uint8Array(FIRST_CELLS)
  #filledSharesRawOf = new Float64Array(FIRST_CELLS)
  #filledCollateralRawOf = new Float64Array(FIRST_CELLS)
  #feeRawOf = new Float64Array(FIRST_CELLS)
  #finishOf: (Finish | null)[] = new Array(FIRST_CELLS).fill(null)
  #listsOf: (Lists | null)[] = new Array(FIRST_CELLS).fill(null)
  count = 0

  open(seq: Seq, nowMs: TimeMs, finish: Finish): void {
    assert(seq > 0, 'a command has a seq')
    while (this.#seqOf[seq & this.#mask] !== 0) this.#grow()
    const cell = seq & this.#mask
    this.#seqOf[cell] = seq
    this.#nowMsOf[cell] = nowMs
    this.#resultOf[cell] = 0
    this.#filledSharesRawOf[cell] = 0
    this.#filledCollateralRawOf[cell] = 0
    this.#feeRawOf[cell] = 0
    this.#finishOf[cell] = finish
    this.count++
  }

  /** Whether somebody waits for the receipt of this command. */
  has(seq: Seq): boolean {
    return this.#seqOf[seq & this.#mask] === seq
  }

  addMaker(seq: Seq, slot: Slot, generation: Generation, sizeRaw: number): void {
    const { makers } = this.#lists(seq)
    if (makers.length < replyOrdersMax) makers.push({ slot, generation, sizeRaw })
  }

  addStpCanceled(seq: Seq, slot: Slot, generation: Generation): void {
    const { stpCanceled } = this.#lists(seq)
    if (stpCanceled.length < replyOrdersMax) stpCanceled.push({ slot, generation })
  }

  addCanceled(seq: Seq, slot: Slot, generation: Generation): void {
    this.#lists(seq).canceled.push({ slot, generation })
  }

  addNotOpen(seq: Seq, slot: Slot, generation: Generation): void {
    this.#lists(seq).notOpen.push({ slot, generation })
  }

  /** RESULT of the DONE record. */
  end(seq: Seq, result: number): void {
    this.#resultOf[seq & this.#mask] = result
  }

  /** What an arrival traded, and the fee on it; units as in the receipt. */
  fill(seq: Seq, sharesRaw: number, collateralRaw: number, feeRaw: number): void {
    const cell = seq & this.#mask
    this.#filledSharesRawOf[cell] = sharesRaw
    this.#filledCollateralRawOf[cell] = collateralRaw
    this.#feeRawOf[cell] = feeRaw
  }

  /** The orders that the command canceled, and those that it found ended. */
  cancelsOf(seq: Seq): CancelReceipt {
    return this.has(seq) ? (this.#listsOf[seq & this.#mask] ?? NO_LISTS) : NO_LISTS
  }

  /** Frees the cell and tells its owner. */
  finish(seq: Seq): void {
    const cell = seq & this.#mask
    const finish = this.#finishOf[cell]
    assert(finish !== null, 'somebody waits for this command')
    const lists = this.#listsOf[cell] ?? NO_LISTS
    const receipt = {
      seq,
      nowMs: this.#nowMsOf[cell],
      result: this.#resultOf[cell],
      filledSharesRaw: this.#filledSharesRawOf[cell],
      filledCollateralRaw: this.#filledCollateralRawOf[cell],
      feeRaw: this.#feeRawOf[cell],
      makers: lists.makers,
      stpCanceled: lists.stpCanceled,
    }
    this.#seqOf[cell] = 0
    this.#finishOf[cell] = null
    this.#listsOf[cell] = null
    this.count--
    finish(receipt, lists)
  }

  #lists(seq: Seq): Lists {
    const cell = seq & this.#mask
    const known = this.#listsOf[cell]
    if (known !== null) return known
    const lists = new Lists()
    this.#listsOf[cell] = lists
    return lists
  }

  #grow(): void {
    const before = this.#seqOf
    const cells = before.length * 2
    const mask = cells - 1
    const wider = (column: Float64Array) => {
      const wide = new Float64Array(cells)
      for (const [cell, seq] of before.entries()) if (seq !== 0) wide[seq & mask] = column[cell]
      return wide
    }
    const results = new Uint8Array(cells)
    const finishes: (Finish | null)[] = new Array(cells).fill(null)
    const lists: (Lists | null)[] = new Array(cells).fill(null)
    for (const [cell, seq] of before.entries()) {
      if (seq === 0) continue
      results[seq & mask] = this.#resultOf[cell]
      finishes[seq & mask] = this.#finishOf[cell]
      lists[seq & mask] = this.#listsOf[cell]
    }
    this.#mask = mask
    this.#nowMsOf = wider(this.#nowMsOf)
    this.#filledSharesRawOf = wider(this.#filledSharesRawOf)
    this.#filledCollateralRawOf = wider(this.#filledCollateralRawOf)
    this.#feeRawOf = wider(this.#feeRawOf)
    this.#seqOf = wider(before)
    this.#resultOf = results
    this.#finishOf = finishes
    this.#listsOf = lists
  }
}

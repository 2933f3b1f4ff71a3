// Hot path. bench/pipeline.bench.ts
// The state of each command in flight, from its stamp to its reply, in columns indexed by the low
// bits of its seq. Seqs in flight are close together, so the columns grow until no two need one
// cell. An order is not an object here: its cell has the id of its request (`order-entry.ts`).
// Invariants: a cell belongs to one seq from `open` to `finish`; a free cell has the seq 0.

import { assert } from '../../../engine/domain/assert.ts'
import type { PlaceOrder } from '../../../engine/domain/command.ts'
import type { Generation, Seq, Slot } from '../../../engine/domain/ids.ts'
import { LIMITS } from '../../../engine/domain/limits.ts'
import type { TimeMs } from '../../../engine/domain/units.ts'
import type { OrderName } from '../sequencer/due-cancels.ts'

export interface MakerMatch {
  readonly slot: Slot
  readonly generation: Generation
  readonly sizeRaw: number
}

/** The part of a reply about an arrival. */
export interface Receipt {
  readonly seq: Seq
  readonly nowMs: TimeMs
  /** RESULT of the DONE record. */
  readonly result: number
  readonly filledSharesRaw: number
  readonly filledCollateralRaw: number
  /** In shares for a buy, in collateral for a sell. */
  readonly feeRaw: number
  /** Remaining shares of the order; 0 for a market buy. */
  readonly leftRaw: number
  /** The first LIMITS.replyOrdersMax makers; the list of canceled orders has the same limit. */
  readonly makers: readonly MakerMatch[]
  readonly stpCanceled: readonly OrderName[]
}

/** The fills of an order until its cancel or amend; by then another order may have its slot. */
export interface OrderTrades extends OrderName {
  readonly filledSharesRaw: number
  readonly filledCollateralRaw: number
  /** Shares that are open, or were until the cancel; 0 for a market buy. */
  readonly leftRaw: number
}

export interface CancelReceipt {
  readonly canceled: readonly OrderTrades[]
  /** Orders that had already ended. `isMatched`: they ended as MATCHED (rules §5.1). */
  readonly notOpen: readonly (OrderName & { readonly isMatched: boolean })[]
}

/** The answer to a decrease: its order is in one of the three lists. */
export interface AmendReceipt extends CancelReceipt {
  readonly decreased: readonly OrderTrades[]
}

/**
 * The fields of the reply to an order besides its receipt. They are copied at the stamp: when the
 * order is answered, another order may have its slot.
 */
type Accepted = Pick<
  PlaceOrder,
  | 'slot'
  | 'generation'
  | 'accountId'
  | 'marketId'
  | 'side'
  | 'feeBps'
  | 'takerDelayMs'
  | 'clientOrderId'
> & {
  /** JSON fields of `order`, printed by the intake. */
  readonly orderFields: string
}

export type OrderReceipt = Receipt &
  Accepted & {
    /** The order that this one replaced, if any (rules §4.10). */
    readonly replaced: OrderTrades | undefined
  }

export type Finish = (receipt: Receipt, cancels: AmendReceipt) => void
/** Answers the request that contained an order. */
export type FinishOrder = (requestId: number, receipt: OrderReceipt) => void

/** The lists of one command. Most commands match no order and cancel nothing, so they have none. */
class Lists {
  readonly makers: MakerMatch[] = []
  readonly stpCanceled: OrderName[] = []
  readonly canceled: OrderTrades[] = []
  readonly decreased: OrderTrades[] = []
  readonly notOpen: CancelReceipt['notOpen'][number][] = []
}

const NO_LISTS = new Lists()
const { replyOrdersMax } = LIMITS
const FIRST_CELLS = 1024

/** One row per cell in each column. */
class Columns {
  readonly mask: number
  readonly seq: Float64Array
  readonly nowMs: Float64Array
  readonly result: Uint8Array
  readonly filledSharesRaw: Float64Array
  readonly filledCollateralRaw: Float64Array
  readonly feeRaw: Float64Array
  readonly leftRaw: Float64Array
  readonly slot: Int32Array
  readonly generation: Uint32Array
  readonly accountId: Int32Array
  readonly marketId: Int32Array
  readonly side: Uint8Array
  readonly feeBps: Uint16Array
  readonly takerDelayMs: Uint16Array
  readonly clientOrderId: string[]
  readonly orderFields: string[]
  readonly requestId: Uint32Array
  /** Null for the order of a request. */
  readonly finish: (Finish | null)[]
  readonly lists: (Lists | null)[]

  constructor(cells: number) {
    this.mask = cells - 1
    this.seq = new Float64Array(cells)
    this.nowMs = new Float64Array(cells)
    this.result = new Uint8Array(cells)
    this.filledSharesRaw = new Float64Array(cells)
    this.filledCollateralRaw = new Float64Array(cells)
    this.feeRaw = new Float64Array(cells)
    this.leftRaw = new Float64Array(cells)
    this.slot = new Int32Array(cells)
    this.generation = new Uint32Array(cells)
    this.accountId = new Int32Array(cells)
    this.marketId = new Int32Array(cells)
    this.side = new Uint8Array(cells)
    this.feeBps = new Uint16Array(cells)
    this.takerDelayMs = new Uint16Array(cells)
    this.clientOrderId = new Array(cells).fill('')
    this.orderFields = new Array(cells).fill('')
    this.requestId = new Uint32Array(cells)
    this.finish = new Array(cells).fill(null)
    this.lists = new Array(cells).fill(null)
  }

  /** Twice as many cells, with the same rows. */
  grown(): Columns {
    const wide = new Columns(this.seq.length * 2)
    for (const [cell, seq] of this.seq.entries()) {
      if (seq !== 0) wide.#take(this, cell, seq & wide.mask)
    }
    return wide
  }

  #take(from: Columns, cell: number, at: number): void {
    this.seq[at] = from.seq[cell]
    this.nowMs[at] = from.nowMs[cell]
    this.result[at] = from.result[cell]
    this.filledSharesRaw[at] = from.filledSharesRaw[cell]
    this.filledCollateralRaw[at] = from.filledCollateralRaw[cell]
    this.feeRaw[at] = from.feeRaw[cell]
    this.leftRaw[at] = from.leftRaw[cell]
    this.slot[at] = from.slot[cell]
    this.generation[at] = from.generation[cell]
    this.accountId[at] = from.accountId[cell]
    this.marketId[at] = from.marketId[cell]
    this.side[at] = from.side[cell]
    this.feeBps[at] = from.feeBps[cell]
    this.takerDelayMs[at] = from.takerDelayMs[cell]
    this.clientOrderId[at] = from.clientOrderId[cell]
    this.orderFields[at] = from.orderFields[cell]
    this.requestId[at] = from.requestId[cell]
    this.finish[at] = from.finish[cell]
    this.lists[at] = from.lists[cell]
  }
}

export class Receipts {
  readonly #finishOrder: FinishOrder
  #columns = new Columns(FIRST_CELLS)
  count = 0
  /** How many of them are orders of requests. */
  orderCount = 0

  constructor(finishOrder: FinishOrder) {
    this.#finishOrder = finishOrder
  }

  /** Opens the cell of a command other than the order of a request. */
  open(seq: Seq, nowMs: TimeMs, finish: Finish): void {
    this.#open(seq, nowMs, finish)
  }

  /** Opens the cell of a decided order. `orderFields` has the reply fields that intake printed. */
  openOrder(order: PlaceOrder, orderFields: string, requestId: number): void {
    const cell = this.#open(order.seq, order.nowMs, null)
    this.orderCount++
    const columns = this.#columns
    columns.requestId[cell] = requestId
    columns.slot[cell] = order.slot
    columns.generation[cell] = order.generation
    columns.accountId[cell] = order.accountId
    columns.marketId[cell] = order.marketId
    columns.side[cell] = order.side
    columns.feeBps[cell] = order.feeBps
    columns.takerDelayMs[cell] = order.takerDelayMs
    columns.clientOrderId[cell] = order.clientOrderId
    columns.orderFields[cell] = orderFields
  }

  #open(seq: Seq, nowMs: TimeMs, finish: Finish | null): number {
    assert(seq > 0, 'a command has a seq')
    while (this.#columns.seq[seq & this.#columns.mask] !== 0) this.#columns = this.#columns.grown()
    const columns = this.#columns
    const cell = seq & columns.mask
    columns.seq[cell] = seq
    columns.nowMs[cell] = nowMs
    columns.result[cell] = 0
    columns.filledSharesRaw[cell] = 0
    columns.filledCollateralRaw[cell] = 0
    columns.feeRaw[cell] = 0
    columns.leftRaw[cell] = 0
    columns.finish[cell] = finish
    this.count++
    return cell
  }

  /** Whether a waiter needs the receipt of this command. */
  has(seq: Seq): boolean {
    return this.#columns.seq[seq & this.#columns.mask] === seq
  }

  addMaker(seq: Seq, slot: Slot, generation: Generation, sizeRaw: number): void {
    const { makers } = this.#lists(seq)
    if (makers.length < replyOrdersMax) makers.push({ slot, generation, sizeRaw })
  }

  addStpCanceled(seq: Seq, slot: Slot, generation: Generation): void {
    const { stpCanceled } = this.#lists(seq)
    if (stpCanceled.length < replyOrdersMax) stpCanceled.push({ slot, generation })
  }

  addCanceled(seq: Seq, canceled: OrderTrades): void {
    this.#lists(seq).canceled.push(canceled)
  }

  addDecreased(seq: Seq, decreased: OrderTrades): void {
    this.#lists(seq).decreased.push(decreased)
  }

  addNotOpen(seq: Seq, ended: CancelReceipt['notOpen'][number]): void {
    this.#lists(seq).notOpen.push(ended)
  }

  /** Stores the RESULT of the DONE record and the remaining shares of the arrival. */
  end(seq: Seq, result: number, leftRaw: number): void {
    const columns = this.#columns
    const cell = seq & columns.mask
    columns.result[cell] = result
    columns.leftRaw[cell] = leftRaw
  }

  /** Stores the fills of an arrival and their fee; units as in the receipt. */
  fill(seq: Seq, sharesRaw: number, collateralRaw: number, feeRaw: number): void {
    const columns = this.#columns
    const cell = seq & columns.mask
    columns.filledSharesRaw[cell] = sharesRaw
    columns.filledCollateralRaw[cell] = collateralRaw
    columns.feeRaw[cell] = feeRaw
  }

  /** The orders that the command canceled, and those that it found ended. */
  cancelsOf(seq: Seq): CancelReceipt {
    const { lists, mask } = this.#columns
    return this.has(seq) ? (lists[seq & mask] ?? NO_LISTS) : NO_LISTS
  }

  /** Frees the cell and calls its owner. */
  finish(seq: Seq): void {
    assert(this.has(seq), 'a finished command has a waiter')
    const columns = this.#columns
    const cell = seq & columns.mask
    const finish = columns.finish[cell]
    const lists = columns.lists[cell] ?? NO_LISTS
    columns.seq[cell] = 0
    columns.finish[cell] = null
    columns.lists[cell] = null
    this.count--
    if (finish !== null) {
      finish(receiptOf(columns, cell, seq, lists), lists)
      return
    }
    this.orderCount--
    const receipt = orderReceiptOf(columns, cell, seq, lists)
    // A free cell must not keep texts of its order alive.
    columns.clientOrderId[cell] = ''
    columns.orderFields[cell] = ''
    this.#finishOrder(columns.requestId[cell], receipt)
  }

  #lists(seq: Seq): Lists {
    const columns = this.#columns
    const cell = seq & columns.mask
    const known = columns.lists[cell]
    if (known !== null) return known
    const lists = new Lists()
    columns.lists[cell] = lists
    return lists
  }
}

function receiptOf(columns: Columns, cell: number, seq: Seq, lists: Lists): Receipt {
  return {
    seq,
    nowMs: columns.nowMs[cell],
    result: columns.result[cell],
    filledSharesRaw: columns.filledSharesRaw[cell],
    filledCollateralRaw: columns.filledCollateralRaw[cell],
    feeRaw: columns.feeRaw[cell],
    leftRaw: columns.leftRaw[cell],
    makers: lists.makers,
    stpCanceled: lists.stpCanceled,
  }
}

// Written out: spreading another object would cost a call into V8 for each order.
function orderReceiptOf(columns: Columns, cell: number, seq: Seq, lists: Lists): OrderReceipt {
  return {
    seq,
    nowMs: columns.nowMs[cell],
    result: columns.result[cell],
    filledSharesRaw: columns.filledSharesRaw[cell],
    filledCollateralRaw: columns.filledCollateralRaw[cell],
    feeRaw: columns.feeRaw[cell],
    leftRaw: columns.leftRaw[cell],
    makers: lists.makers,
    stpCanceled: lists.stpCanceled,
    slot: columns.slot[cell],
    generation: columns.generation[cell],
    accountId: columns.accountId[cell],
    marketId: columns.marketId[cell],
    side: columns.side[cell],
    feeBps: columns.feeBps[cell],
    takerDelayMs: columns.takerDelayMs[cell],
    clientOrderId: columns.clientOrderId[cell],
    orderFields: columns.orderFields[cell],
    replaced: lists.canceled[0],
  }
}

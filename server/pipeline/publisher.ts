// Hot path. bench/pipeline.bench.ts
// Gives receipts and durable seqs to whoever waits for them. A market's frames come twice: at
// once (`settle`: money moves, nothing is shown) and when durable (`release`: depth moves, the
// reply goes out). Refusals that rest on state wait for the seq they were decided at (law 1).

import type { Clearing } from '../../engine/core/clearing.ts'
import { STATE } from '../../engine/core/order-table.ts'
import { EVENT, EVENT_F64S, EVENT_WORDS } from '../../engine/domain/event.ts'
import type { FrameVisitor } from '../../engine/shard/shard-handle.ts'
import { faultPoint } from '../../engine/wire/fault-point.ts'
import { OrderTimes } from '../ops/order-times.ts'
import type { PublishedMarkets } from './published.ts'
import type { OrderName, Sequencer } from './sequencer.ts'

export interface MakerMatch {
  slot: number
  generation: number
  sizeRaw: number
}

/** All a reply says of an arrival; filled while its frames are settled. */
export interface Receipt {
  readonly seq: number
  readonly nowMs: number
  /** RESULT of the DONE record. */
  result: number
  filledSharesRaw: number
  filledCollateralRaw: number
  /** In shares for a buy, in collateral for a sell. */
  feeRaw: number
  makers: MakerMatch[]
  stpCanceled: OrderName[]
}

export interface CancelReceipt {
  canceled: OrderName[]
  notOpen: OrderName[]
}

interface Waiter {
  receipt: Receipt
  cancels: CancelReceipt
  finish: (receipt: Receipt, cancels: CancelReceipt) => void
}

export class Publisher implements FrameVisitor {
  readonly #clearing: Clearing
  readonly #published: PublishedMarkets
  #sequencer: Sequencer | null = null
  /** Replies that wait for their market, by seq. */
  readonly #waiters = new Map<number, Waiter>()
  /** Replies that wait for the disk alone, by rising seq. */
  #durableQueue: { seq: number; run: () => void }[] = []
  #durableHead = 0
  durableSeq = 0
  readonly times = new OrderTimes()

  constructor(clearing: Clearing, published: PublishedMarkets) {
    this.#clearing = clearing
    this.#published = published
  }

  /** The sequencer learns from here which orders ended. */
  tell(sequencer: Sequencer): void {
    this.#sequencer = sequencer
  }

  /** Replies that wait for the disk alone. */
  get durableWaitingCount(): number {
    return this.#durableQueue.length - this.#durableHead
  }

  /** Replies under way, for metrics and the stop. */
  get waitingCount(): number {
    return this.#waiters.size + this.durableWaitingCount
  }

  /** Calls `finish` once the command of `seq` is settled by its market and durable. */
  whenReceipt(
    seq: number,
    nowMs: number,
    finish: (receipt: Receipt, cancels: CancelReceipt) => void,
  ): void {
    const receipt: Receipt = {
      seq,
      nowMs,
      result: 0,
      filledSharesRaw: 0,
      filledCollateralRaw: 0,
      feeRaw: 0,
      makers: [],
      stpCanceled: [],
    }
    this.#waiters.set(seq, { receipt, cancels: { canceled: [], notOpen: [] }, finish })
  }

  /** Calls `run` once `seq` is durable; at once when it is. */
  whenDurable(seq: number, run: () => void): void {
    if (seq <= this.durableSeq) run()
    else this.#durableQueue.push({ seq, run })
  }

  advance(durableSeq: number): void {
    this.durableSeq = durableSeq
    this.times.durable(durableSeq)
    const queue = this.#durableQueue
    while (this.#durableHead < queue.length && queue[this.#durableHead].seq <= durableSeq) {
      queue[this.#durableHead++].run()
    }
    if (this.#durableHead < queue.length && this.#durableHead < 1024) return
    this.#durableQueue = queue.slice(this.#durableHead)
    this.#durableHead = 0
  }

  settle(words: Int32Array, f64s: Float64Array, at: number, count: number): void {
    const seq = f64s[(at >> 3) + 3]
    const last = (at >> 2) + (count - 1) * EVENT_WORDS
    this.times.saw(seq, (words[last] & 0xff) === EVENT.DONE)
    this.#clearing.settle(words, f64s, at, count)
    const waiter = this.#waiters.get(seq)
    const { orders } = this.#clearing
    for (let record = 0; record < count; record++) {
      const word = (at >> 2) + record * EVENT_WORDS
      const slot = words[word + 1]
      if (orders.stateOf(slot) === STATE.FREE) this.#sequencer?.ended(slot)
      if (waiter !== undefined) {
        this.#collect(waiter, words[word], slot, f64s[(at >> 3) + record * EVENT_F64S + 1])
      }
    }
  }

  /** Columns of a freed slot still hold its order: nothing was decided since it was settled. */
  #collect(waiter: Waiter, kindAndCode: number, slot: number, sizeRaw: number): void {
    const { orders } = this.#clearing
    const { receipt, cancels } = waiter
    const generation = orders.generationOf(slot)
    switch (kindAndCode & 0xff) {
      case EVENT.FILL:
        receipt.makers.push({ slot, generation, sizeRaw })
        return
      case EVENT.STP_CANCEL:
        receipt.stpCanceled.push({ slot, generation })
        return
      case EVENT.CANCELED:
        cancels.canceled.push({ slot, generation })
        return
      case EVENT.NOT_OPEN:
        cancels.notOpen.push({ slot, generation })
        return
      case EVENT.DONE:
        receipt.result = (kindAndCode >>> 8) & 0xff
        if (slot === 0) return
        receipt.filledSharesRaw = orders.filledSharesRawOf(slot)
        receipt.filledCollateralRaw = orders.filledCollateralRawOf(slot)
        receipt.feeRaw = this.#clearing.lastFeeRaw
    }
  }

  release(words: Int32Array, f64s: Float64Array, at: number, count: number): void {
    this.#published.release(words, f64s, at, count)
    const last = (at >> 2) + (count - 1) * EVENT_WORDS
    if ((words[last] & 0xff) !== EVENT.DONE) return
    const seq = f64s[(at >> 3) + 3]
    const waiter = this.#waiters.get(seq)
    if (waiter === undefined) return
    this.#waiters.delete(seq)
    faultPoint('before-reply')
    waiter.finish(waiter.receipt, waiter.cancels)
  }
}

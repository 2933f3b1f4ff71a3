// Hot path. bench/pipeline.bench.ts
// Delivers receipts and durable seqs to their waiters. Each frame of a market is processed twice:
// immediately (`settle`: money moves, nothing is published) and when durable (`publish`: depth
// changes, the reply is sent). A refusal that depends on state waits for the seq at which it was
// decided (invariant 1).

import type { Clearing } from '../../../engine/core/clearing.ts'
import { STATE } from '../../../engine/core/orders/order-table.ts'
import { assert } from '../../../engine/domain/assert.ts'
import type { PlaceOrder } from '../../../engine/domain/command.ts'
import {
  EVENT,
  eventAt,
  eventCode,
  eventKind,
  eventLeftRaw,
  eventSeq,
  eventSizeRaw,
  eventSlot,
  RESULT,
} from '../../../engine/domain/event.ts'
import type { Seq, Slot } from '../../../engine/domain/ids.ts'
import type { TimeMs } from '../../../engine/domain/units.ts'
import type { FrameVisitor, ShardHandle } from '../../../engine/shard/shard-handle.ts'
import { faultPoint } from '../../../engine/thread/fault-point.ts'
import { OrderTimes } from '../../ops/order-times.ts'
import { OrderEventFeed } from '../read-model/order-event-feed.ts'
import type { PublishedMarkets } from '../read-model/published.ts'
import type { TimeSlice } from '../sequencer/time-slice.ts'
import {
  type CancelReceipt,
  type Finish,
  type OrderReceipt,
  type OrderTrades,
  Receipts,
} from './receipts.ts'

export type {
  AmendReceipt,
  CancelReceipt,
  MakerMatch,
  OrderReceipt,
  OrderTrades,
  Receipt,
} from './receipts.ts'

const { DONE, FILL, STP_CANCEL, CANCELED, DECREASED, NOT_OPEN } = EVENT
const { FREE } = STATE
const { HELD } = RESULT
/** Replies between two checks of the time. */
const RUNS_PER_LOOK = 16

export interface PublisherParts {
  readonly clearing: Clearing
  readonly published: PublishedMarkets
  /** Bounds the replies sent in one event-loop tick. */
  readonly slice: TimeSlice
  /** False when another node may decide by now: then nothing that rests on state is answered. */
  readonly mayAnswer?: (() => boolean) | undefined
}

/** The parts that receive what is settled or durable. */
export interface PublisherListeners {
  readonly sequencer: {
    /** An order has ended and is settled: its slot is free. */
    ended(slot: Slot): void
    /** An order is settled as held: the time of its release is set. */
    held(slot: Slot): void
  }
  /** Receives the seq of each settled arrival that traded; null when trades are not mined. */
  readonly mining: { traded(seq: Seq): void } | null
  /** Receives each order of a request that is settled and durable. */
  readonly orders: { answered(id: number, receipt: OrderReceipt): void }
}

export class Publisher implements FrameVisitor {
  readonly #clearing: Clearing
  readonly #published: PublishedMarkets
  #listeners: PublisherListeners | null = null
  /** Commands whose replies wait for their market. */
  readonly #receipts = new Receipts((id, receipt) => this.#connected().orders.answered(id, receipt))
  /** Replies that wait only for the disk, by rising seq. */
  #durableQueue: { seq: Seq; run: () => void }[] = []
  #durableHead = 0
  readonly #slice: TimeSlice
  readonly #mayAnswer: () => boolean
  #isLeaving = false
  /** The callbacks of commands, by seq. They move to `#settled` when their command is settled. */
  readonly #watchers = new Map<number, (cancels: CancelReceipt) => void>()
  #settled: (() => void)[] = []
  durableSeq: Seq = 0
  readonly times = new OrderTimes()
  readonly orderEvents: OrderEventFeed

  constructor(parts: PublisherParts) {
    this.#clearing = parts.clearing
    this.#published = parts.published
    this.#slice = parts.slice
    this.#mayAnswer = parts.mayAnswer ?? (() => true)
    this.orderEvents = new OrderEventFeed(parts.clearing)
  }

  /** Call it once the parts exist, before the first command. The journal ends at `durableSeq`. */
  connect(durableSeq: Seq, listeners: PublisherListeners): void {
    this.durableSeq = durableSeq
    this.#listeners = listeners
  }

  #connected(): PublisherListeners {
    assert(this.#listeners !== null, 'the publisher is connected before the first command')
    return this.#listeners
  }

  /** Replies that wait only for the disk. */
  get durableWaitingCount(): number {
    return this.#durableQueue.length - this.#durableHead
  }

  /** Commands other than orders that wait for the answer of their market. */
  get waitingCount(): number {
    return this.#receipts.count - this.#receipts.orderCount
  }

  /** Calls `finish` once the command of `seq` is settled by its market and durable. */
  whenReceipt(seq: Seq, nowMs: TimeMs, finish: Finish): void {
    this.#receipts.open(seq, nowMs, finish)
  }

  /** Passes the receipt of a stamped order to `orders` once it is settled and durable. */
  whenOrder(order: PlaceOrder, orderFields: string, id: number): void {
    this.#receipts.openOrder(order, orderFields, id)
  }

  /**
   * Calls `run` when the cancel of `seq` is settled and the drain is over. The cancel must have a
   * waiter.
   */
  whenAnswered(seq: Seq, run: (cancels: CancelReceipt) => void): void {
    this.#watchers.set(seq, run)
  }

  /** Runs the callbacks of settled commands. Call it after a drain: they may send new commands. */
  reportAnswered(): void {
    while (this.#settled.length > 0) {
      const settled = this.#settled
      this.#settled = []
      for (const publish of settled) publish()
    }
  }

  /**
   * Calls `run` once `seq` is durable: immediately when it already is, but after the replies that a
   * time slice left over. Never calls it when another node may decide by now.
   */
  whenDurable(seq: Seq, run: () => void): void {
    if (seq <= this.durableSeq && !this.#isLeaving) {
      if (this.#mayAnswer()) run()
    } else this.#durableQueue.push({ seq, run })
  }

  /** Resolves when `seq` is durable; the newest stamped seq when absent. */
  durable(seq: Seq = this.#clearing.lastSeq): Promise<void> {
    return new Promise((resolve) => this.whenDurable(seq, resolve))
  }

  advance(durableSeq: Seq): void {
    this.durableSeq = durableSeq
    this.times.durable(durableSeq)
    this.#runDurable()
  }

  /** Runs the callbacks that waited for the disk, for one time slice; the rest in the next tick. */
  #runDurable(): void {
    const queue = this.#durableQueue
    this.#slice.begin()
    while (this.#durableHead < queue.length && queue[this.#durableHead].seq <= this.durableSeq) {
      queue[this.#durableHead++].run()
      if (this.#durableHead % RUNS_PER_LOOK !== 0 || !this.#slice.isOver) continue
      this.#leaveSoon()
      break
    }
    if (this.#durableHead < queue.length && this.#durableHead < 1024) return
    this.#durableQueue = queue.slice(this.#durableHead)
    this.#durableHead = 0
  }

  #leaveSoon(): void {
    if (this.#isLeaving) return
    this.#isLeaving = true
    setImmediate(() => {
      this.#isLeaving = false
      this.#runDurable()
    })
  }

  /** Walks the records of a frame once: each is settled, then passed to every consumer. */
  settle(words: Int32Array, f64s: Float64Array, at: number, count: number): void {
    const last = eventAt(at, count - 1)
    const seq = eventSeq(f64s, last)
    const isDone = eventKind(words, last) === DONE
    this.times.saw(seq, isDone)
    const isWaitedFor = this.#receipts.has(seq)
    const { sequencer, mining } = this.#connected()
    const { orders } = this.#clearing
    for (let record = 0; record < count; record++) {
      const event = eventAt(at, record)
      const slot = eventSlot(words, event)
      // An order that ends loses its client order id.
      const clientId = this.orderEvents.watches(slot) ? orders.clientIdOf(slot) : null
      this.#clearing.settleRecord(words, f64s, event)
      if (clientId !== null) this.orderEvents.settled(words, f64s, event, clientId)
      if (orders.stateOf(slot) === FREE) sequencer.ended(slot)
      else if (eventKind(words, event) === DONE && eventCode(words, event) === HELD) {
        sequencer.held(slot)
      }
      if (isWaitedFor) this.#collect(seq, words, f64s, event)
    }
    this.orderEvents.answered(seq, isDone)
    if (!isDone) return
    if (eventSlot(words, last) !== 0 && eventSizeRaw(f64s, last) > 0) mining?.traded(seq)
    if (this.#watchers.size > 0) this.#watched(seq)
  }

  #watched(seq: Seq): void {
    const run = this.#watchers.get(seq)
    if (run === undefined) return
    this.#watchers.delete(seq)
    const cancels = this.#receipts.cancelsOf(seq)
    this.#settled.push(() => run(cancels))
  }

  /** The columns of a freed slot still hold its order: nothing was decided since it was settled. */
  #collect(seq: Seq, words: Int32Array, f64s: Float64Array, event: number): void {
    const { orders } = this.#clearing
    const receipts = this.#receipts
    const slot = eventSlot(words, event)
    const kind = eventKind(words, event)
    switch (kind) {
      case FILL:
        receipts.addMaker(seq, slot, orders.generationOf(slot), eventSizeRaw(f64s, event))
        return
      case STP_CANCEL:
        receipts.addStpCanceled(seq, slot, orders.generationOf(slot))
        return
      case CANCELED:
        receipts.addCanceled(seq, this.#tradesOf(slot))
        return
      case DECREASED:
        receipts.addDecreased(seq, this.#tradesOf(slot))
        return
      case NOT_OPEN:
        receipts.addNotOpen(seq, {
          slot,
          generation: orders.generationOf(slot),
          isMatched: orders.wasMatched(slot),
        })
        return
      case DONE:
        if (slot === 0) {
          receipts.end(seq, eventCode(words, event), 0)
          return
        }
        receipts.end(
          seq,
          eventCode(words, event),
          orders.buysBySpend(slot) ? 0 : eventLeftRaw(f64s, event),
        )
        receipts.fill(
          seq,
          orders.filledSharesRawOf(slot),
          orders.filledCollateralRawOf(slot),
          this.#clearing.lastFeeRaw,
        )
        return
      default:
        kind satisfies never
    }
  }

  #tradesOf(slot: Slot): OrderTrades {
    const { orders } = this.#clearing
    return {
      slot,
      generation: orders.generationOf(slot),
      filledSharesRaw: orders.filledSharesRawOf(slot),
      filledCollateralRaw: orders.filledCollateralRawOf(slot),
      leftRaw: orders.leftRawOf(slot),
    }
  }

  publish(words: Int32Array, f64s: Float64Array, at: number, count: number): void {
    this.#published.publish(words, f64s, at, count)
    const last = eventAt(at, count - 1)
    if (eventKind(words, last) !== DONE) return
    const seq = eventSeq(f64s, last)
    if (!this.#receipts.has(seq)) return
    faultPoint('before-reply')
    this.#receipts.finish(seq)
  }

  published(): void {
    this.#published.publishChanged()
  }
}

/** The highest seq up to which every command is durable and its market's answer is published. */
export function publishedThrough(publisher: Publisher, shards: readonly ShardHandle[]): Seq {
  let throughSeq = publisher.durableSeq
  for (const shard of shards) throughSeq = Math.min(throughSeq, shard.publishedThrough)
  return throughSeq
}

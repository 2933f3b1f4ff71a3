// Hot path. bench/pipeline.bench.ts
// Order events for owners (rules §5.3). Events are read from the columns while a market's answer is
// settled. They are emitted in the order of their seqs, once their command is durable and nothing
// older is pending (invariant 1). Nothing is allocated for an owner without listeners, who costs
// one byte per event. Invariant: `#due` holds the events that were not emitted.

import type { Clearing } from '../../../engine/core/clearing.ts'
import { makerLegRaw, takerLegRaw } from '../../../engine/core/money/fill-money.ts'
import { assert } from '../../../engine/domain/assert.ts'
import {
  CANCEL_REASONS,
  EVENT,
  eventCode,
  eventKind,
  eventLeftRaw,
  eventSeq,
  eventSizeRaw,
  eventSlot,
  eventTakerIsNo,
  eventTakerSells,
  eventTakerSlot,
  eventTicks,
  MAKER,
  RESULT,
} from '../../../engine/domain/event.ts'
import type { AccountId, Seq, Slot } from '../../../engine/domain/ids.ts'
import { POLICY_OF_TYPE } from '../../../engine/domain/order.ts'
import type { TimeMs } from '../../../engine/domain/units.ts'
import type { TradePart } from '../../../persistence/query/read/trade-parts.ts'

/**
 * The order of an event, at the time its command was settled. An event spreads it after its own
 * fields: an object literal that begins with a spread takes ten times as long.
 */
type EventOrder = Omit<
  TradePart,
  'takerSlot' | 'takerGeneration' | 'isTaker' | 'sharesRaw' | 'collateralRaw' | 'feeBps' | 'feeRaw'
>

/** Sizes are raw shares. */
export type OrderEvent = EventOrder &
  (
    | { readonly type: 'PLACEMENT' | 'UPDATE' | 'DECREASE'; readonly remainingRaw: number }
    | {
        readonly type: 'CANCELLATION'
        readonly remainingRaw: number
        /** The total fills of the order until then. */
        readonly filledRaw: number
        readonly reason: string | null
      }
    | {
        readonly type: 'EXECUTION'
        readonly status: 'FILLED' | 'PARTIALLY_FILLED' | 'KILLED'
        readonly remainingRaw: number
        readonly filled: { readonly sharesRaw: number; readonly collateralRaw: number }
      }
    | ({ readonly type: 'MATCHED' } & TradePart)
  )

/** The part of a shard that these events depend on. */
interface Source {
  /** Every command up to this seq has been settled. */
  readonly settledThrough: number
}

const { CANCELED, DECREASED, DONE, FILL, NOT_OPEN, STP_CANCEL } = EVENT
const { FILLED, KILLED, RESTED, STP_STOPPED } = RESULT
/** Commands whose time is kept: far more than can be in flight. */
const STAMPS = 1 << 16

/** Receives events whose seqs never fall; the events of one command arrive in one call. */
export type EventsListener = (events: readonly OrderEvent[]) => void

export class OrderEventFeed {
  readonly #clearing: Clearing
  /** The number of listening channels per account. */
  #watched = new Uint8Array(1024)
  #watchedCount = 0
  readonly #stampSeq = new Float64Array(STAMPS)
  readonly #stampMs = new Float64Array(STAMPS)
  readonly #stampReason = new Uint8Array(STAMPS)
  /** Commands with wide answers that are partly settled. */
  readonly #partial = new Set<Seq>()
  /** The client order id of the current record. */
  #clientId = ''
  #due: OrderEvent[] = []
  #listener: EventsListener = () => {}

  constructor(clearing: Clearing) {
    this.#clearing = clearing
  }

  /** Sets the listener: the sockets, once they are up. Before that no account is watched. */
  listen(listener: EventsListener): void {
    this.#listener = listener
  }

  publish(events: readonly OrderEvent[]): void {
    this.#listener(events)
  }

  /** Commands with events already created, or not created because nobody listened. */
  get partial(): ReadonlySet<Seq> {
    return this.#partial
  }

  /** Call it when part of the answer to a command was settled; `isDone` for the last part. */
  answered(seq: Seq, isDone: boolean): void {
    if (!isDone) this.#partial.add(seq)
    else if (this.#partial.size > 0) this.#partial.delete(seq)
  }

  /** Registers a channel that listens to the account, until `unwatch`. */
  watch(accountId: AccountId): void {
    if (accountId >= this.#watched.length) {
      const grown = new Uint8Array(accountId * 2)
      grown.set(this.#watched)
      this.#watched = grown
    }
    if (this.#watched[accountId]++ === 0) this.#watchedCount++
  }

  unwatch(accountId: AccountId): void {
    assert((this.#watched[accountId] ?? 0) > 0, 'only a watched account is unwatched')
    if (--this.#watched[accountId] === 0) this.#watchedCount--
  }

  /** Records the time of a stamped command. `reason` indexes CANCEL_REASONS for a cancel. */
  stamped(seq: Seq, reason: number): void {
    const cell = seq & (STAMPS - 1)
    this.#stampSeq[cell] = seq
    this.#stampMs[cell] = this.#clearing.lastNowMs
    this.#stampReason[cell] = reason
  }

  /** Whether anyone listens to the owner of the order. */
  watches(slot: Slot): boolean {
    return this.#watchedCount > 0 && this.#watched[this.#clearing.orders.accountOf(slot)] > 0
  }

  /**
   * Takes a record of a watched order. Call it right after the record was settled: a freed slot
   * then still holds its order, but not its client order id.
   */
  settled(words: Int32Array, f64s: Float64Array, event: number, clientId: string): void {
    this.#clientId = clientId
    this.#take(words, f64s, event)
  }

  /** Emits the events that are durable and have nothing older before them. */
  flush(durableSeq: Seq, sources: readonly Source[]): void {
    if (this.#due.length === 0) return
    let through = durableSeq
    for (const { settledThrough } of sources) through = Math.min(through, settledThrough)
    const ready = this.#due.filter((event) => event.seq <= through)
    if (ready.length === 0) return
    this.#due = this.#due.filter((event) => event.seq > through)
    ready.sort((a, b) => a.seq - b.seq)
    this.publish(ready)
  }

  #take(words: Int32Array, f64s: Float64Array, event: number): void {
    const slot = eventSlot(words, event)
    const seq = eventSeq(f64s, event)
    const leftRaw = eventLeftRaw(f64s, event)
    const kind = eventKind(words, event)
    switch (kind) {
      case FILL:
        this.#makerFilled(this.#orderOf(seq, slot), words, f64s, event)
        return
      case STP_CANCEL:
        this.#canceled(seq, slot, leftRaw, 'STP_MAKER_CANCELLED')
        return
      case CANCELED: {
        const isReplaced = eventTakerSlot(words, event) !== 0
        this.#canceled(seq, slot, leftRaw, isReplaced ? 'REPLACED' : this.#reasonOf(seq))
        return
      }
      case DECREASED:
        this.#due.push({ type: 'DECREASE', remainingRaw: leftRaw, ...this.#orderOf(seq, slot) })
        return
      case DONE:
        this.#arrived(this.#orderOf(seq, slot), eventCode(words, event), leftRaw)
        return
      case NOT_OPEN:
        return
      default:
        kind satisfies never
    }
  }

  /** The time of a command; valid unless it is older than all commands in flight. */
  stampMsOf(seq: Seq): TimeMs {
    const cell = seq & (STAMPS - 1)
    return this.#stampSeq[cell] === seq ? this.#stampMs[cell] : this.#clearing.lastNowMs
  }

  #orderOf(seq: Seq, slot: Slot): EventOrder {
    const { orders } = this.#clearing
    return {
      seq,
      nowMs: this.stampMsOf(seq),
      accountId: orders.accountOf(slot),
      marketId: orders.marketOf(slot),
      slot,
      generation: orders.generationOf(slot),
      clientOrderId: this.#clientId,
      side: orders.sideOf(slot),
      outcome: orders.outcomeOf(slot),
      orderType: orders.orderTypeOf(slot),
      priceTicks: orders.priceTicksOf(slot),
    }
  }

  /** Why an order was canceled; null when its owner requested it. */
  #reasonOf(seq: Seq): string | null {
    const cell = seq & (STAMPS - 1)
    const reason = this.#stampSeq[cell] === seq ? CANCEL_REASONS[this.#stampReason[cell]] : 'USER'
    return reason === 'USER' ? null : reason
  }

  #canceled(seq: Seq, slot: Slot, leftRaw: number, reason: string | null): void {
    const { orders } = this.#clearing
    const remainingRaw = orders.buysBySpend(slot) ? 0 : leftRaw
    const filledRaw = orders.filledSharesRawOf(slot)
    const order = this.#orderOf(seq, slot)
    this.#due.push({ type: 'CANCELLATION', remainingRaw, filledRaw, reason, ...order })
  }

  /** A maker's proceeds are what the taker's rounding leaves (rules §2.4). */
  #makerFilled(order: EventOrder, words: Int32Array, f64s: Float64Array, event: number): void {
    const { orders } = this.#clearing
    const takerSlot = eventTakerSlot(words, event)
    const takerOutcome = eventTakerIsNo(words, event) ? 1 : 0
    const takerBuys = !eventTakerSells(words, event)
    const sizeRaw = eventSizeRaw(f64s, event)
    const takerRaw = takerLegRaw(takerBuys, takerOutcome, eventTicks(words, event), sizeRaw)
    // A closed maker has nothing left in the book.
    const isClosed = eventCode(words, event) === MAKER.CLOSED
    const remainingRaw = isClosed ? 0 : eventLeftRaw(f64s, event)
    this.#due.push({ type: 'UPDATE', remainingRaw, ...order })
    this.#due.push({
      type: 'MATCHED',
      isTaker: false,
      takerSlot,
      takerGeneration: orders.generationOf(takerSlot),
      sharesRaw: sizeRaw,
      collateralRaw: makerLegRaw(takerRaw, sizeRaw, takerOutcome === order.outcome),
      // Only takers pay a fee (rules §3.2).
      feeBps: 0,
      feeRaw: 0,
      ...order,
    })
  }

  /** The rows of rules §5.4 for the owner of an arriving order. */
  #arrived(order: EventOrder, result: number, leftRaw: number): void {
    const { orders } = this.#clearing
    const sharesRaw = orders.filledSharesRawOf(order.slot)
    const collateralRaw = orders.filledCollateralRawOf(order.slot)
    if (sharesRaw > 0) {
      this.#due.push({
        type: 'MATCHED',
        isTaker: true,
        takerSlot: order.slot,
        takerGeneration: order.generation,
        sharesRaw,
        collateralRaw,
        feeBps: orders.feeBpsOf(order.slot),
        feeRaw: this.#clearing.lastFeeRaw,
        ...order,
      })
    }
    if (result === RESTED) this.#due.push({ type: 'PLACEMENT', remainingRaw: leftRaw, ...order })
    else if (result === FILLED || result === KILLED || result === STP_STOPPED) {
      this.#ended(order, result, { sharesRaw, collateralRaw })
    }
  }

  #ended(
    order: EventOrder,
    result: number,
    filled: { sharesRaw: number; collateralRaw: number },
  ): void {
    // An order that must fill whole and did not fill produces no frame.
    if (POLICY_OF_TYPE[order.orderType].whole && result !== FILLED) return
    const { orders } = this.#clearing
    const bySpend = orders.buysBySpend(order.slot)
    const unfilledRaw = orders.sizeRawOf(order.slot) - filled.sharesRaw
    const part = filled.sharesRaw > 0 ? 'PARTIALLY_FILLED' : 'KILLED'
    this.#due.push({
      type: 'EXECUTION',
      status: result === FILLED ? 'FILLED' : part,
      remainingRaw: bySpend || result === FILLED ? 0 : unfilledRaw,
      filled,
      ...order,
    })
  }
}

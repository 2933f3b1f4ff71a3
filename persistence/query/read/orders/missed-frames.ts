import { assert } from '../../../../engine/domain/assert.ts'
import { CANCEL_REASONS } from '../../../../engine/domain/event.ts'
import type { AccountId, Generation, MarketId, Seq, Slot } from '../../../../engine/domain/ids.ts'
import type { Connection, Statement } from '../../../database.ts'
import { ORDER_EVENT, TAKER_PLACE } from '../../../follower/tables/orders/order-events.ts'
import { SELF_TRADE_REASON } from '../../../follower/tables/orders/orders.ts'
import { query } from '../query.ts'
import { type TradePart, TradePartsTable } from '../trade-parts.ts'
import type { MissedEvent } from './missed-events.ts'

// The data for frames of missed events: the same as in the live feed.

const ORDER = `
SELECT owner AS accountId, market_id AS marketId, slot, generation,
  coalesce(client_order_id, '') AS clientOrderId, side, outcome, order_type AS orderType,
  price_ticks AS priceTicks, placed_ms AS placedMs
FROM order_terms WHERE placed_seq = ?`
const STATE = `
SELECT ended_ms AS endedMs, cancel_reason AS cancelReason, filled_raw AS filledRaw
FROM order_states WHERE placed_seq = ?`

interface OrderRow {
  readonly accountId: AccountId
  readonly marketId: MarketId
  readonly slot: Slot
  readonly generation: Generation
  readonly clientOrderId: string
  readonly side: number
  readonly outcome: number
  readonly orderType: number
  readonly priceTicks: number
  readonly placedMs: number
}

interface StateRow {
  readonly endedMs: number
  readonly cancelReason: number | null
  readonly filledRaw: number
}

interface OfOrder extends Omit<OrderRow, 'placedMs'> {
  readonly seq: Seq
  readonly nowMs: number
  readonly remainingRaw: number
}

/** An event of an order. Sizes are raw shares. */
export type MissedOrderEvent = OfOrder &
  (
    | { readonly type: 'PLACEMENT' | 'UPDATE' | 'DECREASE' }
    | {
        readonly type: 'CANCELLATION'
        readonly filledRaw: number
        readonly reason: string | null
      }
    | {
        readonly type: 'EXECUTION'
        readonly status: 'FILLED' | 'PARTIALLY_FILLED' | 'KILLED'
        readonly filled: { readonly sharesRaw: number; readonly collateralRaw: number }
      }
  )

export type MissedFrame =
  | { readonly what: 'ORDER'; readonly index: number; readonly event: MissedOrderEvent }
  | { readonly what: 'MATCHED'; readonly part: TradePart }
  | {
      readonly what: 'ENDED'
      readonly part: TradePart
      /** The taker's part, followed by those of the first makers. */
      readonly parts: readonly [TradePart, ...TradePart[]]
      /** Height of its block; 0 if the trade failed. */
      readonly height: number
      readonly ms: number
      /** The transaction of its block; null on the embedded chain, which derives it. */
      readonly txHash: string | null
    }

export interface MissedFramesParams {
  readonly events: readonly MissedEvent[]
  /** Maximum number of makers returned per trade. */
  readonly makersMax: number
}

const NO_FILL = { sharesRaw: 0, collateralRaw: 0 }

/** The text in the frame; null if the owner requested the cancel. */
function reasonOf(cancelReason: number | null): string | null {
  assert(cancelReason !== null, 'a canceled order has a reason')
  if (cancelReason === SELF_TRADE_REASON.MAKER) return 'STP_MAKER_CANCELLED'
  const reason = CANCEL_REASONS[cancelReason]
  return reason === 'USER' ? null : reason
}

class MissedFrames {
  readonly #order: Statement<[Seq], OrderRow>
  readonly #state: Statement<[Seq], StateRow>
  readonly #trades: TradePartsTable
  readonly ofOneState: (params: MissedFramesParams) => MissedFrame[]

  constructor(connection: Connection) {
    this.#order = connection.prepare(ORDER)
    this.#state = connection.prepare(STATE)
    this.#trades = new TradePartsTable(connection)
    this.ofOneState = connection.transaction(({ events, makersMax }: MissedFramesParams) =>
      events.map((event) => this.#frameOf(event, makersMax)),
    )
  }

  #frameOf(event: MissedEvent, makersMax: number): MissedFrame {
    const { what, index } = event
    if (what === 'ORDER') return { what, index, event: this.#eventOf(event) }
    const taker = this.#takerOf(event.tradeSeq)
    const part = this.#partOf(taker, event.place)
    if (what === 'MATCHED') return { what, part }
    const makers = this.#trades.makers(taker, { from: 0, until: makersMax })
    const { height, ms, txHash } = event
    return { what, part, parts: [taker, ...makers], height, ms, txHash }
  }

  #takerOf(tradeSeq: Seq): TradePart {
    const taker = this.#trades.taker(tradeSeq)
    assert(taker !== undefined, 'the event of a trade has a trade')
    return taker
  }

  #partOf(taker: TradePart, place: number): TradePart {
    if (place === TAKER_PLACE) return taker
    const [maker] = this.#trades.makers(taker, { from: place, until: place + 1 })
    assert(maker !== undefined, 'the event of a fill has a fill')
    return maker
  }

  #eventOf({ seq, placedSeq, kind, remainingRaw, place }: MissedEvent): MissedOrderEvent {
    const order = this.#order.get(placedSeq)
    assert(order !== undefined, 'an event has an order')
    const { placedMs, ...terms } = order
    const of = { ...terms, seq, remainingRaw, nowMs: placedMs + place }
    switch (kind) {
      case ORDER_EVENT.PLACED:
      case ORDER_EVENT.REST_PLACED:
        return { ...of, type: 'PLACEMENT' }
      case ORDER_EVENT.DECREASED:
        return { ...of, type: 'DECREASE' }
      case ORDER_EVENT.UPDATED:
        return { ...of, type: 'UPDATE', nowMs: this.#takerOf(seq).nowMs }
      case ORDER_EVENT.CANCELED: {
        const state = this.#state.get(placedSeq)
        assert(state !== undefined, 'a canceled order has a state')
        const reason = reasonOf(state.cancelReason)
        const { endedMs: nowMs, filledRaw } = state
        return { ...of, type: 'CANCELLATION', nowMs, filledRaw, reason }
      }
      case ORDER_EVENT.KILLED:
        return { ...of, type: 'EXECUTION', status: 'KILLED', filled: NO_FILL }
      default: {
        const { sharesRaw, collateralRaw } = this.#takerOf(seq)
        const status = kind === ORDER_EVENT.FILLED ? 'FILLED' : 'PARTIALLY_FILLED'
        return { ...of, type: 'EXECUTION', status, filled: { sharesRaw, collateralRaw } }
      }
    }
  }
}

/** A frame for each event, in order. */
export const missedFrames = query({
  name: 'missedFrames',
  prepare: (db) => new MissedFrames(db),
  run: (frames, params: MissedFramesParams): MissedFrame[] => frames.ofOneState(params),
  rests: ({ events }) => ({
    tradeSeqs: events.flatMap(({ what, tradeSeq }) => (what === 'ORDER' ? [] : tradeSeq)),
  }),
})

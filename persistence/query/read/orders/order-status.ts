import type { AccountId, Generation, Seq, Slot } from '../../../../engine/domain/ids.ts'
import type { Connection, Statement } from '../../../database.ts'
import { openFloor, type StoredFloor } from '../../../follower/pruning/history-floor.ts'
import { SELF_TRADE_REASON } from '../../../follower/tables/orders/orders.ts'
import type { Records } from '../../../journal/journal-records.ts'
import { query } from '../query.ts'
import { type Settlement, Settlements } from '../settlements.ts'
import { type Signed, SignedOrders } from './signed-orders.ts'
import { ORDER_COLUMNS, OrderFinder, type OrderRow } from './user-orders.ts'

// The data of an order in POST /orders/status/batch: its signed fields, the totals of its trades,
// and the newest trade (rules §3.5, §5.2). One transaction reads all orders of a request, so they
// are from the same state.

export const STATUS_COLUMNS = `${ORDER_COLUMNS},
fee_bps AS feeBps, fee_raw AS feeRaw, last_trade_seq AS tradeSeq`
const TRADE = `
SELECT taker_slot AS takerSlot, taker_generation AS takerGeneration, traded_ms AS tradedMs
FROM trades WHERE seq = ?`
export const MAKERS = `
SELECT slot, generation, maker_fills.size_raw AS sizeRaw FROM maker_fills
JOIN orders ON placed_seq = maker_placed_seq WHERE trade_seq = ? ORDER BY position LIMIT ?`

export const OWN_MAKERS = `
SELECT slot, generation FROM own_makers JOIN orders ON placed_seq = maker_placed_seq
WHERE taker_placed_seq = ? ORDER BY position LIMIT ?`

export type OrderName =
  | { readonly slot: Slot; readonly generation: Generation }
  | { readonly clientOrderId: string }

export interface OrderStatusParams {
  readonly accountId: AccountId
  readonly names: readonly OrderName[]
  /** Maximum makers of one trade, and of canceled own makers, from the first on. */
  readonly makersMax: number
  /** Maximum makers for all orders of the request, from the first on. */
  readonly makersInAllMax: number
}

export interface StatusRow extends OrderRow {
  /** The charged fee rate; 0 in markets without a fee. */
  readonly feeBps: number
  /** Fees of all trades: shares for a buy, collateral for a sell. A maker pays none. */
  readonly feeRaw: number
  readonly tradeSeq: Seq | null
}

/** The order's part in its newest trade. */
export interface TradePart {
  readonly seq: Seq
  readonly tradedMs: number
  readonly isTaker: boolean
  /** The makers of a taker's trade; empty for a maker. */
  readonly makers: readonly MakerOfTrade[]
  readonly settlement: Settlement
}

export interface OrderAt {
  readonly slot: Slot
  readonly generation: Generation
}

export interface MakerOfTrade extends OrderAt {
  readonly sizeRaw: number
}

export interface OrderStatus {
  readonly order: Signed<StatusRow>
  /** null for an order that never traded. */
  readonly trade: TradePart | null
  /** Whether self-trade prevention stopped the order on arrival. */
  readonly isStopped: boolean
  /** The owner's makers that self-trade prevention canceled for this order. */
  readonly ownMakers: readonly OrderAt[]
}

interface TradeRow {
  readonly takerSlot: Slot
  readonly takerGeneration: Generation
  readonly tradedMs: number
}

const MINED_LONG_AGO: Settlement = { status: 'MINED', txHash: null, height: null, minedMs: null }

class OrderStatuses {
  readonly #floor: () => StoredFloor
  readonly #orders: OrderFinder<StatusRow>
  readonly #trade: Statement<[number], TradeRow>
  readonly #makers: Statement<[number, number], MakerOfTrade>
  readonly #ownMakers: Statement<[number, number], OrderAt>
  readonly #settlements: Settlements
  readonly #signed: SignedOrders
  readonly #ofOneState: (params: OrderStatusParams) => (OrderStatus | null)[]

  constructor(connection: Connection, records: Records) {
    this.#orders = new OrderFinder(connection, STATUS_COLUMNS)
    this.#floor = openFloor(connection)
    this.#trade = connection.prepare(TRADE)
    this.#makers = connection.prepare(MAKERS)
    this.#ownMakers = connection.prepare(OWN_MAKERS)
    this.#settlements = new Settlements(connection)
    this.#signed = new SignedOrders(records)
    this.#ofOneState = connection.transaction((params: OrderStatusParams) => this.#all(params))
  }

  /** One status per name, in order; null if the account has no such order. */
  find(params: OrderStatusParams): (OrderStatus | null)[] {
    return this.#ofOneState(params)
  }

  /** The first orders use up the maximum number of makers; the others then get none. */
  #all(params: OrderStatusParams): (OrderStatus | null)[] {
    let left = params.makersInAllMax
    return params.names.map((name) => {
      const found = this.#find(params, name, left)
      left -= (found?.trade?.makers.length ?? 0) + (found?.ownMakers.length ?? 0)
      return found
    })
  }

  #find({ accountId, makersMax }: OrderStatusParams, name: OrderName, left: number) {
    const order =
      'slot' in name
        ? this.#orders.bySlot(name.slot, name.generation)
        : this.#orders.byClientId(accountId, name.clientOrderId)
    if (order === null || order.accountId !== accountId) return null
    const trade = this.#tradeOf(order, Math.min(makersMax, left))
    const ownMax = Math.min(makersMax, left - (trade?.makers.length ?? 0))
    const status: OrderStatus = {
      order: this.#signed.of(order),
      trade,
      isStopped: order.cancelReason === SELF_TRADE_REASON.TAKER,
      ownMakers: this.#ownMakers.all(order.placedSeq, ownMax),
    }
    return status
  }

  #tradeOf(order: StatusRow, makersMax: number): TradePart | null {
    const seq = order.tradeSeq
    if (seq === null) return null
    const trade = this.#trade.get(seq)
    if (trade === undefined) return this.#goneTrade(seq, order)
    const { tradedMs } = trade
    const settlement = this.#settlements.of(seq)
    if (trade.takerSlot === order.slot && trade.takerGeneration === order.generation) {
      return { seq, tradedMs, settlement, isTaker: true, makers: this.#makers.all(seq, makersMax) }
    }
    return { seq, tradedMs, settlement, isTaker: false, makers: [] }
  }

  /** A trade that is no longer in the tables was mined; its transaction is not known. */
  #goneTrade(seq: Seq, { placedMs: tradedMs }: StatusRow): TradePart | null {
    if (seq > this.#floor().seq) return null
    return { seq, tradedMs, settlement: MINED_LONG_AGO, isTaker: false, makers: [] }
  }
}

/** One status per name, in order; null if the account has no such order. */
export const orderStatuses = query({
  name: 'orderStatuses',
  prepare: (db, records) => new OrderStatuses(db, records),
  run: (statuses, params: OrderStatusParams) => statuses.find(params),
  // The taker of a trade is complete if its makers are.
  rests: ({ accountId }) => ({ owner: accountId }),
})

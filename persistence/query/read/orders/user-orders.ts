import type {
  AccountId,
  Generation,
  MarketId,
  OrderGroupId,
  Seq,
  Slot,
} from '../../../../engine/domain/ids.ts'
import { ORDER_STATUSES, SIDE } from '../../../../engine/domain/order.ts'
import type { Connection, Statement } from '../../../database.ts'
import { openFloor, type StoredFloor } from '../../../follower/pruning/history-floor.ts'
import { clientIdName, listName, slotName } from '../../../follower/tables/accounts/names.ts'
import { LAYERS_MAX } from '../../../follower/tables/orders/order-names.ts'
import type { Records } from '../../../journal/journal-records.ts'
import { query } from '../query.ts'
import { type Signed, SignedOrders } from './signed-orders.ts'

// Finds orders by a hashed name (follower/tables/names.ts) in each layer of names, newest first.
// The follower moves names between layers, so a read of several layers runs in one transaction.

const LAYERS = 'SELECT layer, end_seq AS endSeq FROM name_layers ORDER BY end_seq DESC LIMIT ?'
const OF_NAME = `
SELECT placed_seq AS placedSeq FROM order_names WHERE layer = ? AND name = ?
ORDER BY placed_seq DESC`

interface Layer {
  readonly layer: number
  readonly endSeq: Seq
}

export class NamedOrders {
  readonly #floor: () => StoredFloor
  readonly #layers: Statement<[number], Layer>
  readonly #ofName: Statement<[layer: number, name: number], { placedSeq: Seq }>

  constructor(connection: Connection) {
    this.#floor = openFloor(connection)
    this.#layers = connection.prepare(LAYERS)
    this.#ofName = connection.prepare(OF_NAME)
  }

  /**
   * The result of `rowOf` for the newest order with the name; null if it has none. Another order
   * may have the same name, so `rowOf` compares.
   */
  newest<Row>(name: number, rowOf: (placedSeq: Seq) => Row | undefined): Row | null {
    for (const { layer } of this.#layers.all(LAYERS_MAX)) {
      for (const { placedSeq } of this.#ofName.all(layer, name)) {
        const row = rowOf(placedSeq)
        if (row !== undefined) return row
      }
    }
    return null
  }

  /** The rows of the newest `limit` orders with the name, newest first, from `fromSeq` on. */
  list<Row extends { readonly placedSeq: Seq }>(
    name: number,
    limit: number,
    rowOf: (placedSeq: Seq) => Row | undefined,
    fromSeq: Seq = 0,
  ): Row[] {
    const found = new Map<Seq, Row>()
    // Layers are by the end of an order. A later placed order may have ended earlier, but no layer
    // has an order placed after the layer's end.
    let leastSeq = fromSeq
    const { seq: prunedSeq } = this.#floor()
    for (const { layer, endSeq } of this.#layers.all(LAYERS_MAX)) {
      if (endSeq <= leastSeq || endSeq <= prunedSeq) break
      let ofLayer = 0
      for (const { placedSeq } of this.#ofName.iterate(layer, name)) {
        if (ofLayer === limit || placedSeq < leastSeq) break
        const row = found.has(placedSeq) ? undefined : rowOf(placedSeq)
        if (row === undefined) continue
        found.set(placedSeq, row)
        ofLayer++
      }
      const seqs = [...found.keys()].sort((a, b) => b - a)
      if (seqs.length >= limit) leastSeq = seqs[limit - 1]
    }
    return [...found.values()].sort((a, b) => b.placedSeq - a.placedSeq).slice(0, limit)
  }
}

// A profile's orders for the routes. Numbers are those of engine/domain/order.ts.

const LIVE = ORDER_STATUSES.indexOf('LIVE')

/** A reversed size is not open again: it counts as unfilled only for ended orders. */
const REMAINING = `
remaining_raw + iif(status = ${LIVE} OR (market_form = 1 AND side = ${SIDE.BUY}), 0, undone_raw)`
export const ORDER_COLUMNS = `
slot, generation, o.owner AS accountId, o.market_id AS marketId, side, outcome,
order_type AS orderType, market_form AS marketForm, flags, status,
price_ticks AS priceTicks, size_raw AS sizeRaw, spend_raw AS spendRaw, filled_raw AS filledRaw,
collateral_raw AS collateralRaw,
${REMAINING} AS remainingRaw, placed_seq AS placedSeq, placed_ms AS placedMs,
ended_ms AS endedMs, cancel_reason AS cancelReason, client_order_id AS clientOrderId,
expiration_sec AS expirationSec, eligible_ms AS eligibleMs,
signature_type AS signatureType, signed_fee_bps AS signedFeeBps, order_group AS orderGroup`
const LIVE_ORDERS = `
SELECT ${ORDER_COLUMNS} FROM live_orders l JOIN orders o USING (placed_seq)
WHERE l.owner = ? AND l.market_id = ? ORDER BY l.placed_seq DESC LIMIT ?`
/** One order, an `OrderRow`. */
export const ORDER = `SELECT ${ORDER_COLUMNS} FROM orders o WHERE placed_seq = ?`

export interface OrderRow {
  readonly slot: Slot
  readonly generation: Generation
  readonly accountId: AccountId
  readonly marketId: MarketId
  readonly side: number
  readonly outcome: number
  readonly orderType: number
  /** 0 or 1. */
  readonly marketForm: number
  /** The bits of engine/domain/order-flags.ts. */
  readonly flags: number
  readonly status: number
  readonly priceTicks: number
  readonly sizeRaw: number
  readonly spendRaw: number
  /** The matched size, including reversed fills. */
  readonly filledRaw: number
  /** The collateral of all its trades before fees, including reversed ones. */
  readonly collateralRaw: number
  /** Shares; 0 for a market buy, whose size is in collateral. */
  readonly remainingRaw: number
  readonly placedSeq: Seq
  readonly placedMs: number
  readonly endedMs: number | null
  /** Index of CANCEL_REASONS, a value of SELF_TRADE_REASON, or null if it was not canceled. */
  readonly cancelReason: number | null
  readonly clientOrderId: string | null
  /** Unix seconds; 0 = no expiration. */
  readonly expirationSec: number
  /** When the taker delay ends and the order may enter its market; null if it is not held. */
  readonly eligibleMs: number | null
  readonly signatureType: number
  readonly signedFeeBps: number
  readonly orderGroup: OrderGroupId | null
}

/** An order as its owner sees it. */
export type SignedOrderRow = Signed<OrderRow>

interface UserOrdersParams {
  readonly accountId: AccountId
  readonly marketId: MarketId
  readonly statuses: readonly number[]
  readonly limit: number
}

class UserOrders {
  readonly #live: Statement<[AccountId, MarketId, number], OrderRow>
  readonly #order: Statement<[Seq], OrderRow>
  readonly #named: NamedOrders
  readonly #signed: SignedOrders
  readonly ofOneState: (params: UserOrdersParams) => SignedOrderRow[]

  constructor(connection: Connection, records: Records) {
    this.#live = connection.prepare(LIVE_ORDERS)
    this.#order = connection.prepare(ORDER)
    this.#named = new NamedOrders(connection)
    this.#signed = new SignedOrders(records)
    this.ofOneState = connection.transaction((params: UserOrdersParams) => this.#all(params))
  }

  #all({ accountId, marketId, statuses, limit }: UserOrdersParams): SignedOrderRow[] {
    const rows = [...new Set(statuses)].flatMap((status) => {
      if (status === LIVE) return this.#live.all(accountId, marketId, limit)
      return this.#named.list(listName(accountId, marketId, status), limit, (placedSeq) => {
        const row = this.#order.get(placedSeq)
        const isOf = row?.accountId === accountId && row.marketId === marketId
        return isOf && row.status === status ? row : undefined
      })
    })
    rows.sort((a, b) => b.placedSeq - a.placedSeq)
    return rows.slice(0, limit).map((row) => this.#signed.of(row))
  }
}

/** Newest orders first. Each status has a separate list, so `limit` bounds the cost. */
export const userOrders = query({
  name: 'userOrders',
  prepare: (db, records) => new UserOrders(db, records),
  run: (orders, params: UserOrdersParams): SignedOrderRow[] => orders.ofOneState(params),
  rests: ({ accountId }) => ({ owner: accountId }),
})

/** Finds single orders; `columns` are of `orders o`. One transaction reads all layers of names. */
export class OrderFinder<Row extends OrderRow> {
  readonly #order: Statement<[Seq], Row>
  readonly #named: NamedOrders

  constructor(connection: Connection, columns: string) {
    this.#order = connection.prepare(`SELECT ${columns} FROM orders o WHERE placed_seq = ?`)
    this.#named = new NamedOrders(connection)
  }

  /** The order of this slot and generation, open or not; null if there is none. */
  bySlot(slot: Slot, generation: Generation): Row | null {
    return this.#named.newest(slotName(slot, generation), (placedSeq) => {
      const row = this.#order.get(placedSeq)
      return row?.slot === slot && row.generation === generation ? row : undefined
    })
  }

  /** The account's newest order with this client id; null if there is none. */
  byClientId(accountId: AccountId, clientOrderId: string): Row | null {
    return this.#named.newest(clientIdName(accountId, clientOrderId), (placedSeq) => {
      const row = this.#order.get(placedSeq)
      const isOf = row?.accountId === accountId && row.clientOrderId === clientOrderId
      return isOf ? row : undefined
    })
  }
}

function ofOneState<Params>(
  db: Connection,
  find: (finder: OrderFinder<OrderRow>, params: Params) => OrderRow | null,
): (params: Params) => OrderRow | null {
  const finder = new OrderFinder<OrderRow>(db, ORDER_COLUMNS)
  return db.transaction((params: Params) => find(finder, params))
}

/** The order of this slot and generation, open or not; null if there is none. */
export const orderBySlot = query({
  name: 'orderBySlot',
  prepare: (db) =>
    ofOneState(db, (finder, { slot, generation }: { slot: Slot; generation: Generation }) =>
      finder.bySlot(slot, generation),
    ),
  run: (find, params: { slot: Slot; generation: Generation }): OrderRow | null => find(params),
  rests: (_, order) => ({ owner: order?.accountId }),
})

interface ClientIdParams {
  readonly accountId: AccountId
  readonly clientOrderId: string
}

/** The account's newest order with this client id; null if there is none. */
export const orderByClientId = query({
  name: 'orderByClientId',
  prepare: (db) =>
    ofOneState(db, (finder, { accountId, clientOrderId }: ClientIdParams) =>
      finder.byClientId(accountId, clientOrderId),
    ),
  run: (find, params: ClientIdParams): OrderRow | null => find(params),
  rests: ({ accountId }) => ({ owner: accountId }),
})

// A profile's open orders in all markets. The index starts a page where the previous one ended, so
// a page costs what it returns, however many orders the profile has or ever had.

const OPEN_ORDERS = `
SELECT ${ORDER_COLUMNS} FROM live_orders l JOIN orders o USING (placed_seq)
WHERE l.owner = ? AND l.placed_seq < ? ORDER BY l.placed_seq DESC LIMIT ?`

interface OpenOrdersParams {
  readonly accountId: AccountId
  /** Returns only older orders. */
  readonly beforeSeq: Seq
  readonly limit: number
}

/** Newest orders first. */
export const openOrders = query({
  name: 'openOrders',
  prepare: (db, records) => ({
    before: db.prepare<[AccountId, Seq, number], OrderRow>(OPEN_ORDERS),
    signed: new SignedOrders(records),
  }),
  run: ({ before, signed }, { accountId, beforeSeq, limit }: OpenOrdersParams): SignedOrderRow[] =>
    before.all(accountId, beforeSeq, limit).map((row) => signed.of(row)),
  rests: ({ accountId }) => ({ owner: accountId }),
})

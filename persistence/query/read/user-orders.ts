import type { AccountId, Generation, MarketId, Seq, Slot } from '../../../engine/domain/ids.ts'
import { ORDER_STATUSES, SIDE } from '../../../engine/domain/order.ts'
import { query } from './query.ts'

// A profile's orders, as the routes need them. Numbers are those of engine/domain/order.ts.

const LIVE = ORDER_STATUSES.indexOf('LIVE')

/** A reversed size is not open again: only an order that ended counts it as unfilled. */
const REMAINING = `
remaining_raw + iif(status = ${LIVE} OR (market_form = 1 AND side = ${SIDE.BUY}), 0, undone_raw)`
export const ORDER_COLUMNS = `
slot, generation, owner AS accountId, market_id AS marketId, side, outcome,
order_type AS orderType, market_form AS marketForm, post_only AS postOnly, status,
price_ticks AS priceTicks, size_raw AS sizeRaw, spend_raw AS spendRaw, filled_raw AS filledRaw,
${REMAINING} AS remainingRaw, placed_seq AS placedSeq, placed_ms AS placedMs,
ended_ms AS endedMs, cancel_reason AS cancelReason, client_order_id AS clientOrderId,
eligible_ms AS eligibleMs`
const BY_OWNER =
  `SELECT ${ORDER_COLUMNS} FROM orders WHERE owner = ? AND market_id = ? AND status = ? ` +
  'ORDER BY placed_seq DESC LIMIT ?'
const BY_SLOT = `SELECT ${ORDER_COLUMNS} FROM orders WHERE slot = ? AND generation = ?`
const BY_CLIENT_ID =
  `SELECT ${ORDER_COLUMNS} FROM orders WHERE owner = ? AND client_order_id = ? ` +
  'ORDER BY placed_seq DESC LIMIT 1'

export interface OrderRow {
  readonly slot: Slot
  readonly generation: Generation
  readonly accountId: AccountId
  readonly marketId: MarketId
  readonly side: number
  readonly outcome: number
  readonly orderType: number
  /** 0 or 1, like `postOnly`. */
  readonly marketForm: number
  readonly postOnly: number
  readonly status: number
  readonly priceTicks: number
  readonly sizeRaw: number
  readonly spendRaw: number
  /** The matched size, whether reversed or not. */
  readonly filledRaw: number
  /** Shares; 0 for a market buy, which has its size in collateral. */
  readonly remainingRaw: number
  readonly placedSeq: Seq
  readonly placedMs: number
  readonly endedMs: number | null
  /** Index of CANCEL_REASONS, one of SELF_TRADE_REASON, or null when it was not canceled. */
  readonly cancelReason: number | null
  readonly clientOrderId: string | null
  /** When the taker delay ends and the order may enter its market; null when it is not held. */
  readonly eligibleMs: number | null
}

export interface UserOrdersAsk {
  readonly accountId: AccountId
  readonly marketId: MarketId
  readonly statuses: readonly number[]
  readonly limit: number
}

/**
 * Gives the newest orders first. Each status has its own range of the index, so `limit` bounds the
 * work.
 */
export const userOrders = query({
  name: 'userOrders',
  prepare: (db) => db.prepare<[number, number, number, number], OrderRow>(BY_OWNER),
  run: (byOwner, { accountId, marketId, statuses, limit }: UserOrdersAsk): OrderRow[] => {
    const rows: OrderRow[] = []
    for (const status of new Set(statuses)) {
      rows.push(...byOwner.all(accountId, marketId, status, limit))
    }
    rows.sort((a, b) => b.placedSeq - a.placedSeq)
    return rows.slice(0, limit)
  },
})

/** Gives the order of this slot and generation, open or not; null for none. */
export const orderBySlot = query({
  name: 'orderBySlot',
  prepare: (db) => db.prepare<[number, number], OrderRow>(BY_SLOT),
  run: (bySlot, { slot, generation }: { slot: Slot; generation: Generation }): OrderRow | null =>
    bySlot.get(slot, generation) ?? null,
})

/** Gives the newest order of the account with this client id; null for none. */
export const orderByClientId = query({
  name: 'orderByClientId',
  prepare: (db) => db.prepare<[number, string], OrderRow>(BY_CLIENT_ID),
  run: (
    byClientId,
    { accountId, clientOrderId }: { accountId: AccountId; clientOrderId: string },
  ): OrderRow | null => byClientId.get(accountId, clientOrderId) ?? null,
})

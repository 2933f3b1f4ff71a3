import type { AccountId, Seq } from '../../../../engine/domain/ids.ts'
import { query } from '../query.ts'
import { SIGNED_COLUMNS, type SignedOrderRow } from './user-orders.ts'

// A profile's open orders in all markets. The index starts a page where the previous one ended, so
// a page costs what it returns, however many orders the profile has or ever had.

const OPEN_ORDERS = `
SELECT ${SIGNED_COLUMNS} FROM live_orders l JOIN orders o USING (placed_seq)
WHERE l.owner = ? AND l.placed_seq < ? ORDER BY l.placed_seq DESC LIMIT ?`

export interface OpenOrdersParams {
  readonly accountId: AccountId
  /** Returns only older orders. */
  readonly beforeSeq: Seq
  readonly limit: number
}

/** Newest orders first. */
export const openOrders = query({
  name: 'openOrders',
  prepare: (db) => db.prepare<[AccountId, Seq, number], SignedOrderRow>(OPEN_ORDERS),
  run: (before, { accountId, beforeSeq, limit }: OpenOrdersParams): SignedOrderRow[] =>
    before.all(accountId, beforeSeq, limit),
  rests: ({ accountId }) => ({ owner: accountId }),
})

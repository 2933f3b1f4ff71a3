import type { AccountId, Seq } from '../../../../engine/domain/ids.ts'
import { query } from '../query.ts'
import { SIGNED_COLUMNS, type SignedOrderRow } from './user-orders.ts'

// The open orders of a profile over all markets. The index begins a page where the page before
// ended, so a page costs what it gives, however many orders the profile has or ever had.

const OPEN_ORDERS = `
SELECT ${SIGNED_COLUMNS} FROM live_orders l JOIN orders o USING (placed_seq)
WHERE l.owner = ? AND l.placed_seq < ? ORDER BY l.placed_seq DESC LIMIT ?`

export interface OpenOrdersParams {
  readonly accountId: AccountId
  /** Only older orders are given. */
  readonly beforeSeq: Seq
  readonly limit: number
}

/** Gives the newest orders first. */
export const openOrders = query({
  name: 'openOrders',
  prepare: (db) => db.prepare<[AccountId, Seq, number], SignedOrderRow>(OPEN_ORDERS),
  run: (before, { accountId, beforeSeq, limit }: OpenOrdersParams): SignedOrderRow[] =>
    before.all(accountId, beforeSeq, limit),
  rests: ({ accountId }) => ({ owner: accountId }),
})

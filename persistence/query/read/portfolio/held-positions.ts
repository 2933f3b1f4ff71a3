import type { AccountId, MarketId } from '../../../../engine/domain/ids.ts'
import { type PositionRow, positionsOfMarket } from '../positions.ts'
import { query } from '../query.ts'

// The markets in which a profile has shares now. The index only has nonzero positions, so past
// holdings cost nothing.

const HELD = `
SELECT DISTINCT market_id AS marketId FROM positions
WHERE owner = ? AND market_id < ? AND size_raw <> 0 ORDER BY market_id DESC LIMIT ?`

export interface HeldParams {
  readonly accountId: AccountId
  /** Returns only older markets. */
  readonly beforeId: MarketId
  /** Maximum number of markets. */
  readonly limit: number
  /** Additional markets to return, whatever the profile holds of them. */
  readonly others: readonly MarketId[]
}

export interface HeldPositions {
  /** Newest markets first. */
  readonly marketIds: readonly MarketId[]
  readonly rows: readonly PositionRow[]
  /** Whether there are older markets. */
  readonly hasMore: boolean
}

/** Both outcomes of each market, YES before NO. */
export const heldPositions = query({
  name: 'heldPositions',
  prepare: (db) => ({
    held: db.prepare<[AccountId, MarketId, number], { marketId: MarketId }>(HELD),
    ofMarket: positionsOfMarket(db),
  }),
  run: ({ held, ofMarket }, params: HeldParams): HeldPositions => {
    const { accountId, beforeId, limit, others } = params
    const found = held.all(accountId, beforeId, limit + 1).map(({ marketId }) => marketId)
    const older = others.filter((marketId) => marketId < beforeId)
    const all = [...new Set([...found, ...older])].sort((a, b) => b - a)
    const marketIds = all.slice(0, limit)
    const rows = marketIds.flatMap((marketId) => ofMarket(accountId, marketId))
    return { marketIds, rows, hasMore: all.length > limit }
  },
})

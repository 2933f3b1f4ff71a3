import type { AccountId, MarketId } from '../../../../engine/domain/ids.ts'
import { type PositionRow, positionsOfMarket } from '../positions.ts'
import { query } from '../query.ts'

// The markets of which a profile holds shares now. An index has only positions that are not zero,
// so it costs nothing what a profile ever held.

const HELD = `
SELECT DISTINCT market_id AS marketId FROM positions
WHERE owner = ? AND size_raw <> 0 ORDER BY market_id DESC LIMIT ?`

export interface HeldAsk {
  readonly accountId: AccountId
  /** Most markets whose shares it holds. */
  readonly limit: number
  /** Markets that are told besides, whatever it holds of them. */
  readonly others: readonly MarketId[]
}

export interface HeldPositions {
  /** The newest markets first. */
  readonly marketIds: readonly MarketId[]
  readonly rows: readonly PositionRow[]
}

/** Gives both outcomes of each market, YES before NO. */
export const heldPositions = query({
  name: 'heldPositions',
  prepare: (db) => ({
    held: db.prepare<[AccountId, number], { marketId: MarketId }>(HELD),
    ofMarket: positionsOfMarket(db),
  }),
  run: ({ held, ofMarket }, { accountId, limit, others }: HeldAsk): HeldPositions => {
    const found = held.all(accountId, limit).map(({ marketId }) => marketId)
    const marketIds = [...new Set([...found, ...others])].sort((a, b) => b - a)
    return { marketIds, rows: marketIds.flatMap((marketId) => ofMarket(accountId, marketId)) }
  },
})

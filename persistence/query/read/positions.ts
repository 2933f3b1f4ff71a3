import type { AccountId, MarketId } from '../../../engine/domain/ids.ts'
import type { Connection } from '../../database.ts'
import { query } from './query.ts'

// A profile's positions in the outcome tokens of a market, and their costs (rules §9.1).

const OF_MARKET = `
SELECT market_id AS marketId, outcome, size_raw AS sizeRaw, cost_raw AS costRaw,
  realised_raw AS realisedRaw
FROM positions WHERE owner = ? AND market_id = ? ORDER BY outcome`

export interface PositionRow {
  readonly marketId: MarketId
  readonly outcome: number
  readonly sizeRaw: number
  readonly costRaw: number
  readonly realisedRaw: number
}

export interface PositionsParams {
  readonly accountId: AccountId
  readonly marketIds: readonly MarketId[]
}

/** The rows of an account in a market, YES before NO. */
export function positionsOfMarket(
  db: Connection,
): (accountId: AccountId, marketId: MarketId) => PositionRow[] {
  const ofMarket = db.prepare<[AccountId, MarketId], PositionRow>(OF_MARKET)
  return (accountId, marketId) => ofMarket.all(accountId, marketId)
}

/** In the order of the markets, YES before NO; no row for a token that never traded. */
export const positions = query({
  name: 'positions',
  prepare: positionsOfMarket,
  run: (ofMarket, { accountId, marketIds }: PositionsParams): PositionRow[] =>
    marketIds.flatMap((marketId) => ofMarket(accountId, marketId)),
})

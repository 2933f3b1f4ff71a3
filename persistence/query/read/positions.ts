import type { AccountId, MarketId } from '../../../engine/domain/ids.ts'
import { query } from './query.ts'

// What a profile holds of the outcome tokens of a market, and what they cost (rules §9.1).

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

export interface PositionsAsk {
  readonly accountId: AccountId
  readonly marketIds: readonly MarketId[]
}

/** Gives rows in the order of the markets, YES before NO; no row for a token that never traded. */
export const positions = query({
  name: 'positions',
  prepare: (db) => db.prepare<[number, number], PositionRow>(OF_MARKET),
  run: (ofMarket, { accountId, marketIds }: PositionsAsk): PositionRow[] =>
    marketIds.flatMap((marketId) => ofMarket.all(accountId, marketId)),
})

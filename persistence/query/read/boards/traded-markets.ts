import type { MarketId } from '../../../../engine/domain/ids.ts'
import { query } from '../query.ts'

// Markets traded in the last day, newest first. Each costs one search, however often it was traded.

const BEFORE = `
SELECT market_id AS marketId FROM market_hours WHERE market_id < ?
ORDER BY market_id DESC LIMIT 1`

export interface TradedMarketsParams {
  /** Only markets with a lower id. */
  readonly beforeId: MarketId
  readonly limit: number
}

export const tradedMarkets = query({
  name: 'tradedMarkets',
  prepare: (db) => db.prepare<[MarketId], { readonly marketId: MarketId }>(BEFORE),
  run: (before, { beforeId, limit }: TradedMarketsParams): MarketId[] => {
    const found: MarketId[] = []
    let next = before.get(beforeId)
    while (next !== undefined) {
      found.push(next.marketId)
      if (found.length === limit) break
      next = before.get(next.marketId)
    }
    return found
  },
})

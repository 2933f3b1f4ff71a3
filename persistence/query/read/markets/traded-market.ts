import type { MarketId } from '../../../../engine/domain/ids.ts'

/** The market of a trade; `groupId` is null when it is in no group. */
export interface TradedMarket {
  readonly slug: string
  readonly yesTokenId: string
  readonly noTokenId: string
  readonly groupId: MarketId | null
}

/** Of a market id. */
export const TRADED_MARKET = `
SELECT slug, json_extract(facts, '$.yesTokenId') AS yesTokenId,
  json_extract(facts, '$.noTokenId') AS noTokenId, group_id AS groupId
FROM markets WHERE market_id = ?`

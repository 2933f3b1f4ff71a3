import type { MarketId } from '../../../../engine/domain/ids.ts'

/** The market of a trade; `groupId` is null when it is in no group. */
export interface TradedMarket {
  readonly slug: string
  readonly conditionId: string
  readonly yesTokenId: string
  readonly noTokenId: string
  readonly adapterAddress: string | null
  readonly groupId: MarketId | null
}

/** Of a market id. */
export const TRADED_MARKET = `
SELECT slug, json_extract(facts, '$.conditionId') AS conditionId,
  json_extract(facts, '$.yesTokenId') AS yesTokenId,
  json_extract(facts, '$.noTokenId') AS noTokenId,
  json_extract(facts, '$.adapterAddress') AS adapterAddress, group_id AS groupId
FROM markets WHERE market_id = ?`

/** The group of a traded market, with what its id is made of and its number of children. */
export interface TradedGroup {
  readonly groupId: MarketId
  readonly slug: string
  readonly negRiskId: string
  /** Null for none. */
  readonly convertFeeBps: number | null
  readonly children: number
}

/** Of a group id. */
export const TRADED_GROUP = `
SELECT market_id AS groupId, slug, json_extract(facts, '$.negRiskId') AS negRiskId,
  json_extract(facts, '$.convertFeeBps') AS convertFeeBps,
  (SELECT count(*) FROM markets AS child WHERE child.group_id = markets.market_id) AS children
FROM markets WHERE market_id = ?`

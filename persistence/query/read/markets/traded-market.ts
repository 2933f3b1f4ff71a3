import { assert } from '../../../../engine/domain/assert.ts'
import type { MarketId } from '../../../../engine/domain/ids.ts'
import type { Connection, Statement } from '../../../database.ts'
import { query } from '../query.ts'

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
const TRADED_MARKET = `
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
const TRADED_GROUP = `
SELECT market_id AS groupId, slug, json_extract(facts, '$.negRiskId') AS negRiskId,
  json_extract(facts, '$.convertFeeBps') AS convertFeeBps,
  (SELECT count(*) FROM markets AS child WHERE child.group_id = markets.market_id) AS children
FROM markets WHERE market_id = ?`

/** What a chain must have of a market before its shares can move. */
export interface MarketTerms {
  readonly marketId: MarketId
  readonly market: TradedMarket
  /** Null when the market is in no group. */
  readonly group: TradedGroup | null
}

export class TradedMarkets {
  readonly #market: Statement<[MarketId], TradedMarket>
  readonly #group: Statement<[MarketId], TradedGroup>

  constructor(connection: Connection) {
    this.#market = connection.prepare(TRADED_MARKET)
    this.#group = connection.prepare(TRADED_GROUP)
  }

  of(marketId: MarketId): MarketTerms {
    const market = this.#market.get(marketId)
    assert(market !== undefined, 'a market whose shares move is in the tables')
    const group = market.groupId === null ? null : this.#group.get(market.groupId)
    assert(group !== undefined, 'the group of a market is in the tables')
    return { marketId, market, group }
  }
}

export const marketTerms = query({
  name: 'marketTerms',
  prepare: (db) => new TradedMarkets(db),
  run: (markets, { marketId }: { marketId: MarketId }) => markets.of(marketId),
  rests: () => ({}),
})

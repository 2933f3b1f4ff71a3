import type { Market } from '../../../../engine/core/markets/catalogue.ts'
import type { MarketId } from '../../../../engine/domain/ids.ts'
import type { Statement } from '../../../database.ts'
import { groupIdOf, partsOf } from '../../../search/market-text.ts'
import { query } from '../query.ts'
import { type SearchIndex, searchIndexOf } from './search-index.ts'

// The active markets most similar to a market: those of its group, then those of its categories,
// then those with a similar meaning. The market itself may have ended.

const BY_SLUG = 'SELECT market_id AS marketId, facts AS metadata FROM markets WHERE slug = ?'

interface MarketRow {
  readonly marketId: MarketId
  readonly metadata: string
}

export interface NearParams {
  readonly slug: string
  readonly countMax: number
}

class NearMarkets {
  readonly #index: SearchIndex
  readonly #bySlug: Statement<[string], MarketRow>

  constructor(index: SearchIndex) {
    this.#index = index
    this.#bySlug = index.connection.prepare(BY_SLUG)
  }

  of({ slug, countMax }: NearParams): readonly MarketId[] | null {
    const found = this.#bySlug.get(slug)
    if (found === undefined) return null
    const { vectors } = this.#index.current()
    const { marketId } = found
    const row = vectors.rowOf(marketId)
    const own =
      row === undefined
        ? this.#ofMetadata(JSON.parse(found.metadata))
        : { steps: vectors.stepsAt(row), labels: vectors.labelsAt(row) }
    return vectors.nearest({ marketId, ...own }, countMax)
  }

  /** An ended market is not searched, so its stored data gives its topic. */
  #ofMetadata(market: Market) {
    const steps = this.#index.meaning.of(partsOf(market))
    return { steps, labels: { groupId: groupIdOf(market), categories: market.categories } }
  }
}

/** Ids of active markets, most similar first; null for a slug that no market ever had. */
export const nearMarkets = query({
  name: 'nearMarkets',
  prepare: (db) => new NearMarkets(searchIndexOf(db)),
  run: (near, params: NearParams): readonly MarketId[] | null => near.of(params),
})

// Selects the markets of a market page for its boards (rules §9.5). Open markets are found in the
// lists of active markets. Most profit of the last day was realised in markets that are resolved by
// now, so the markets traded in that day are checked one by one.

import type { MarketId } from '../../../engine/domain/ids.ts'
import { tradedMarkets } from '../../../persistence/query/read/boards/traded-markets.ts'
import type { Facets, Filter, Pair } from '../../exchange/read-model/lists/facets.ts'
import type { PublishedMarket, PublishedMarkets } from '../../exchange/read-model/published.ts'
import type { ArchivedMarkets } from '../markets/archived-markets.ts'
import { filterOf, type ShownPage } from '../pages/page-directory.ts'
import type { PrivateReads } from '../reads/private-reads.ts'

/** Markets per batch: few enough that main does other work between two batches. */
const AT_ONCE = 128
/** Markets of one day that are checked, newest first. */
export const DAY_MARKETS_MAX = 1 << 14

interface Parts {
  readonly reads: PrivateReads
  readonly archive: ArchivedMarkets
  readonly facets: Facets
  readonly published: PublishedMarkets
  /** Increases when properties or their options change, and with them the properties of markets. */
  readonly wordsVersion: () => number
}

export class PageSelection {
  readonly #parts: Parts
  /** Properties of markets that left memory; nothing else of them changes. */
  #ofArchived = new Map<MarketId, readonly Pair[]>()
  #wordsVersion = -1

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Whether the page has no filter. */
  isOfAll({ content }: ShownPage): boolean {
    return filterOf(content.baseFilter).size === 0
  }

  /** The active markets of a page with a filter. A group represents its markets. */
  open({ content }: ShownPage): MarketId[] {
    const filter = filterOf(content.baseFilter)
    const { facets, published } = this.#parts
    facets.catchUp()
    return [...facets.passing(filter).slots()].flatMap((slot) => {
      const found = published.active.ownerOf(slot)
      if (found === undefined) return []
      const { children, market } = found
      return children.length === 0
        ? [market.marketId]
        : children.map((each) => each.market.marketId)
    })
  }

  /** The markets of the page that were traded in the last day; undefined on a read timeout. */
  async traded({ content }: ShownPage): Promise<MarketId[] | null | undefined> {
    const filter = filterOf(content.baseFilter)
    if (filter.size === 0) return null
    const { reads } = this.#parts
    const found: MarketId[] = []
    let beforeId: MarketId = Number.MAX_SAFE_INTEGER
    for (let looked = 0; looked < DAY_MARKETS_MAX; looked += AT_ONCE) {
      const ids = await reads.read(tradedMarkets, { beforeId, limit: AT_ONCE })
      const passing = ids === undefined ? undefined : await this.#passing(ids, filter)
      if (ids === undefined || passing === undefined) return undefined
      found.push(...passing)
      beforeId = ids.at(-1) ?? 0
      if (ids.length < AT_ONCE) break
    }
    return found
  }

  async #passing(ids: readonly MarketId[], filter: Filter): Promise<MarketId[] | undefined> {
    this.#renew()
    const { archive, published } = this.#parts
    const unknown = ids.filter(
      (id) => !this.#ofArchived.has(id) || published.byId(id) !== undefined,
    )
    const markets = await archive.byIds(unknown)
    if (markets === undefined) return undefined
    return ids.filter((id) => {
      const market = markets.get(id)
      const pairs = market === undefined ? this.#ofArchived.get(id) : this.#pairsOf(market)
      return pairs !== undefined && passes(pairs, filter)
    })
  }

  #renew(): void {
    const version = this.#parts.wordsVersion()
    const isFull = this.#ofArchived.size > DAY_MARKETS_MAX
    if (version !== this.#wordsVersion || isFull) this.#ofArchived = new Map()
    this.#wordsVersion = version
  }

  /** A market of a group also has the properties of its group. */
  #pairsOf(published: PublishedMarket): readonly Pair[] {
    const { facets } = this.#parts
    const { group, market } = published
    const pairs = group === null ? [] : facets.pairsOf(group)
    const all = [...facets.pairsOf(published), ...pairs]
    if (this.#parts.published.byId(market.marketId) === undefined) {
      this.#ofArchived.set(market.marketId, all)
    }
    return all
  }
}

function passes(pairs: readonly Pair[], filter: Filter): boolean {
  return [...filter].every(([key, values]) =>
    pairs.some(([ofMarket, value]) => ofMarket === key && values.includes(value)),
  )
}

// Public reads of markets in wire form, from published state alone (invariant 1). A market is
// encoded once per version, and a list is joined from encoded markets. So a book that changes a
// thousand times a second costs a reader one encoding of that book. A list is kept in order by what
// changed.
// Invariant: `#bytes` is the length of everything that `#encoded` holds, and is below its bound.

import type { Market } from '../../../../engine/core/markets/catalogue.ts'
import { LIMITS } from '../../../../engine/domain/limits.ts'
import { Joined, type Part } from '../../../messages/payload.ts'
import type { Freshness } from '../../../messages/versions.ts'
import { listedRestingRaw, listedTrend, listedVolume } from '../market-kinds.ts'
import { type CollateralToken, marketView, slugView } from '../market-view.ts'
import type { PublishedMarket, PublishedMarkets } from '../published.ts'
import { Facets, type Filter } from './facets.ts'
import { FilterCounts } from './filter-counts.ts'
import { OrderedList, type Worth } from './ordered-list.ts'

const marketIdOf = ({ market }: PublishedMarket) => market.marketId
/** A market without a deadline is last. */
const deadlineOf = ({ market }: PublishedMarket) => market.deadlineMs ?? Number.MAX_SAFE_INTEGER
const createdOf = ({ market }: PublishedMarket) => market.createdMs
const updatedOf = ({ updatedMs }: PublishedMarket) => updatedMs

/** Highest first; equal markets newest first. */
function highest(high: Worth<PublishedMarket>['high']): Worth<PublishedMarket> {
  return { high, id: marketIdOf }
}

function lowest(low: Worth<PublishedMarket>['high']): Worth<PublishedMarket> {
  return highest((published) => -low(published))
}

const WORTHS = {
  trending: highest(listedTrend),
  lp_rewards: highest(({ market }) => market.dailyRewardRaw ?? 0),
  ending_soon: lowest(deadlineOf),
  newest: highest(marketIdOf),
  high_value: {
    high: (published) => listedVolume(published).carries,
    low: (published) => listedVolume(published).raw,
    id: marketIdOf,
  },
  liquidity: highest(listedRestingRaw),
  createdAt: lowest(createdOf),
  '-createdAt': highest(createdOf),
  updatedAt: lowest(updatedOf),
  '-updatedAt': highest(updatedOf),
  deadline: lowest(deadlineOf),
  '-deadline': highest(deadlineOf),
  id: lowest(marketIdOf),
  '-id': highest(marketIdOf),
} satisfies Record<string, Worth<PublishedMarket>>

/** The names by which a list can be sorted (rules §12.3). */
export const SORT_NAMES = [
  'lp_rewards',
  'ending_soon',
  'newest',
  'high_value',
  'liquidity',
  'trending',
] as const

export type SortBy = (typeof SORT_NAMES)[number]

/** The names by which the markets of a page can be sorted; a dash means descending. */
export const FIELD_SORT_NAMES = [
  ...(['createdAt', '-createdAt', 'updatedAt', '-updatedAt'] as const),
  ...(['deadline', '-deadline', 'id', '-id'] as const),
] as const

export type FieldSort = (typeof FIELD_SORT_NAMES)[number]

const EVERYTHING: Filter = new Map()

export interface Page {
  readonly sortBy: SortBy
  /** Absent for every market. */
  readonly filter?: Filter
  /** Starts at 1. */
  readonly page: number
  readonly limit: number
  /** Omits `nextMarket`; false when absent. */
  readonly isBare?: boolean
}

interface Encoded {
  readonly version: number
  readonly isExpired: boolean
  readonly bytes: Buffer
  /** The same without `nextMarket`, which is the last field, as parts. */
  readonly bare: readonly Part[]
}

const PAGE_HEAD = '{"data":['

export class MarketLists {
  readonly #published: PublishedMarkets
  readonly #collateral: CollateralToken
  readonly #clock: () => number
  readonly #encoded = new Map<PublishedMarket, Encoded>()
  #bytes = 0
  /** One list for each requested sort order. */
  readonly #ordered = new Map<SortBy | FieldSort, OrderedList<PublishedMarket>>()
  readonly facets: Facets
  readonly filterCounts: FilterCounts
  #counts: { readonly version: number; readonly bytes: Buffer } | null = null
  #categories: { readonly version: number; readonly bytes: Buffer } | null = null
  /** By the market object, which each command replaces. */
  #slugTexts = new Map<Market, string>()
  #slugs: { readonly listVersion: number; readonly bytes: Buffer } | null = null
  /** Markets encoded since the start. */
  encodedCount = 0

  constructor(
    published: PublishedMarkets,
    collateral: CollateralToken,
    clock: () => number,
    facets = new Facets(published.active),
  ) {
    this.#published = published
    this.facets = facets
    this.filterCounts = new FilterCounts(facets)
    this.#collateral = collateral
    this.#clock = clock
  }

  /** The bytes of all encoded markets. */
  get heldBytes(): number {
    return this.#bytes
  }

  /** The JSON of one market. */
  market(published: PublishedMarket): Buffer {
    return this.#encodedOf(published).bytes
  }

  /** How long the JSON of this moment is that of the market at least. */
  freshness({ market: { marketId, deadlineMs } }: PublishedMarket): Freshness {
    const isExpired = deadlineMs === null || deadlineMs <= this.#clock()
    return this.#published.versions.ofMarket(marketId, isExpired ? undefined : deadlineMs)
  }

  #encodedOf(published: PublishedMarket): Encoded {
    const { deadlineMs } = published.market
    const nowMs = this.#clock()
    const isExpired = deadlineMs !== null && deadlineMs <= nowMs
    const known = this.#encoded.get(published)
    if (known?.version === published.version && known.isExpired === isExpired) return known
    const { nextMarket, ...view } = marketView(published, this.#collateral, nowMs)
    const tail = `,"nextMarket":${JSON.stringify(nextMarket)}}`
    const bytes = Buffer.from(JSON.stringify(view).slice(0, -1) + tail)
    const bare = [bytes.subarray(0, bytes.length - Buffer.byteLength(tail)), '}']
    this.encodedCount++
    this.#bytes += bytes.length - (known?.bytes.length ?? 0)
    if (this.#bytes > LIMITS.marketBytesCachedMax) {
      this.#encoded.clear()
      this.#bytes = bytes.length
    }
    const encoded = { version: published.version, isExpired, bytes, bare }
    this.#encoded.set(published, encoded)
    return encoded
  }

  /** The active markets in this order, up to date. */
  ordered(by: SortBy | FieldSort): OrderedList<PublishedMarket> {
    const known = this.#ordered.get(by)
    const list = known ?? new OrderedList(this.#published.active, WORTHS[by])
    if (known === undefined) this.#ordered.set(by, list)
    list.catchUp()
    return list
  }

  /** A page of the active markets that pass the filter, with their total count. */
  page({ sortBy, page, limit, filter = EVERYTHING, isBare = false }: Page): Joined {
    const { facets } = this
    facets.catchUp()
    const list = this.ordered(sortBy)
    const bits = filter.size === 0 ? null : facets.passing(filter)
    const shown = list.page((page - 1) * limit, limit, bits)
    const count = bits === null ? list.count : bits.count
    return new Joined([PAGE_HEAD, ...this.joined(shown, isBare), `],"totalMarketsCount":${count}}`])
  }

  /** The JSON of markets separated by commas; bare ones omit `nextMarket`. */
  joined(markets: readonly PublishedMarket[], isBare = false): Part[] {
    return markets.flatMap((published, index) => {
      const { bytes, bare } = this.#encodedOf(published)
      const parts = isBare ? bare : [bytes]
      return index === 0 ? [...parts] : [',', ...parts]
    })
  }

  /** The number of active markets per category and in total, encoded once. */
  categoryCounts(): Buffer {
    const { facets } = this
    facets.catchUp()
    if (this.#counts?.version === facets.version) return this.#counts.bytes
    const ids = [...facets.valuesOf('categoryId')].sort((a, b) => Number(a) - Number(b))
    const counted = ids.map((id) => [id, facets.countOf(new Map([['categoryId', [id]]]))])
    const totalCount = this.#published.active.count
    const body = { category: Object.fromEntries(counted), totalCount }
    const bytes = Buffer.from(JSON.stringify(body))
    this.#counts = { version: facets.version, bytes }
    return bytes
  }

  /** Number and name of each category of active markets, encoded once. */
  categories(): Buffer {
    const { facets } = this
    facets.catchUp()
    const version = facets.valuesVersionOf('category')
    if (this.#categories?.version === version) return this.#categories.bytes
    const all = facets.categories().map(({ id, name }) => ({ id: Number(id), name }))
    const bytes = Buffer.from(JSON.stringify(all))
    this.#categories = { version, bytes }
    return bytes
  }

  /** Slug, strike price and deadline of every active market, newest first. */
  slugs(): Buffer {
    const { listVersion } = this.#published
    if (this.#slugs?.listVersion === listVersion) return this.#slugs.bytes
    const before = this.#slugTexts
    this.#slugTexts = new Map(
      Array.from(this.ordered('newest').all(), (published) => [
        published.market,
        before.get(published.market) ?? JSON.stringify(slugView(published)),
      ]),
    )
    const bytes = Buffer.from(`[${[...this.#slugTexts.values()].join(',')}]`)
    this.#slugs = { listVersion, bytes }
    return bytes
  }
}

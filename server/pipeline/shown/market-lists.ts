// Public reads of markets as they are sent, from published facts alone (law 1). A market is encoded
// once per version, and a list is joined from encoded markets. So a book that moves a thousand
// times a second costs a reader one encoding of that book. Invariant: `#bytes` is the length of
// everything that `#encoded` holds, and is below its bound.

import { LIMITS } from '../../../engine/domain/limits.ts'
import { takesOrders } from '../../../engine/domain/market.ts'
import { compareSums } from '../../../engine/domain/units.ts'
import { joined } from '../../http/caching/entity-tag.ts'
import { type CollateralToken, marketView, slugView } from './market-view.ts'
import { type PublishedMarket, type PublishedMarkets, restingRaw } from './published.ts'

/** How a list is sorted; `moves` when trades can change the order. */
interface Sorting {
  readonly moves: boolean
  readonly compare: (one: PublishedMarket, other: PublishedMarket) => number
}

const newest: Sorting = {
  moves: false,
  compare: (one, other) => other.market.marketId - one.market.marketId,
}

/** Highest first; equal markets newest first. */
function highest(worth: (published: PublishedMarket) => number): Sorting {
  return {
    moves: true,
    compare: (one, other) => worth(other) - worth(one) || newest.compare(one, other),
  }
}

/** A market without a deadline ends last. */
const deadlineOf = ({ market }: PublishedMarket) => market.deadlineMs ?? Number.MAX_SAFE_INTEGER

const SORTINGS = {
  // No market has a reward yet: all are equal.
  lp_rewards: newest,
  ending_soon: {
    moves: false,
    compare: (one, other) => deadlineOf(one) - deadlineOf(other) || newest.compare(one, other),
  },
  newest,
  high_value: {
    moves: true,
    compare: (one, other) => compareSums(other.volume, one.volume) || newest.compare(one, other),
  },
  liquidity: highest(restingRaw),
} satisfies Record<SortBy, Sorting>

/** The names by which a list can be sorted (rules §12.3). */
export const SORT_NAMES = [
  'lp_rewards',
  'ending_soon',
  'newest',
  'high_value',
  'liquidity',
] as const

export type SortBy = (typeof SORT_NAMES)[number]

export interface Page {
  readonly sortBy: SortBy
  /** Counted from 1. */
  readonly page: number
  readonly limit: number
}

interface Encoded {
  readonly version: number
  readonly isExpired: boolean
  readonly bytes: Buffer
}

interface Sorted {
  readonly markets: PublishedMarket[]
  readonly listVersion: number
  changes: number
}

const COMMA = Buffer.from(',')
const PAGE_HEAD = Buffer.from('{"data":[')

export class MarketLists {
  readonly #published: PublishedMarkets
  readonly #collateral: CollateralToken
  readonly #clock: () => number
  readonly #encoded = new Map<PublishedMarket, Encoded>()
  #bytes = 0
  readonly #sorted = new Map<SortBy, Sorted>()
  #slugTexts = new Map<PublishedMarket, string>()
  #slugs: { readonly listVersion: number; readonly bytes: Buffer } | null = null
  /** How many markets were encoded since the start. */
  encodedCount = 0

  constructor(published: PublishedMarkets, collateral: CollateralToken, clock: () => number) {
    this.#published = published
    this.#collateral = collateral
    this.#clock = clock
  }

  /** The bytes of all markets that are kept encoded. */
  get heldBytes(): number {
    return this.#bytes
  }

  /** The JSON of one market. */
  market(published: PublishedMarket): Buffer {
    const { deadlineMs } = published.market
    const nowMs = this.#clock()
    const isExpired = deadlineMs !== null && deadlineMs <= nowMs
    const known = this.#encoded.get(published)
    if (known?.version === published.version && known.isExpired === isExpired) return known.bytes
    const bytes = Buffer.from(JSON.stringify(marketView(published, this.#collateral, nowMs)))
    this.encodedCount++
    this.#bytes += bytes.length - (known?.bytes.length ?? 0)
    if (this.#bytes > LIMITS.marketBytesCachedMax) {
      this.#encoded.clear()
      this.#bytes = bytes.length
    }
    this.#encoded.set(published, { version: published.version, isExpired, bytes })
    return bytes
  }

  /** A page of the active markets, with their number. */
  page({ sortBy, page, limit }: Page): Buffer {
    const all = this.#active(sortBy)
    const shown = all.slice((page - 1) * limit, page * limit)
    const parts: Buffer[] = [PAGE_HEAD]
    for (const [index, published] of shown.entries()) {
      if (index > 0) parts.push(COMMA)
      parts.push(this.market(published))
    }
    parts.push(Buffer.from(`],"totalMarketsCount":${all.length}}`))
    return joined(parts)
  }

  /** Slug, strike price and deadline of every active market, newest first. */
  slugs(): Buffer {
    const { listVersion } = this.#published
    if (this.#slugs?.listVersion === listVersion) return this.#slugs.bytes
    const before = this.#slugTexts
    this.#slugTexts = new Map(
      this.#active('newest').map((published) => [
        published,
        before.get(published) ?? JSON.stringify(slugView(published)),
      ]),
    )
    const bytes = Buffer.from(`[${[...this.#slugTexts.values()].join(',')}]`)
    this.#slugs = { listVersion, bytes }
    return bytes
  }

  #active(sortBy: SortBy): readonly PublishedMarket[] {
    const { listVersion, changes } = this.#published
    const { compare, moves } = SORTINGS[sortBy]
    const known = this.#sorted.get(sortBy)
    if (known === undefined || known.listVersion !== listVersion) {
      const active = this.#published.all().filter(({ status }) => takesOrders(status))
      const markets = active.sort(compare)
      this.#sorted.set(sortBy, { markets, listVersion, changes })
      return markets
    }
    if (moves && known.changes !== changes) {
      // The list is nearly sorted already, so this costs little more than a look at each market.
      known.markets.sort(compare)
      known.changes = changes
    }
    return known.markets
  }
}

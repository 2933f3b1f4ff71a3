// Bookmarks as sent, with their markets. A market in memory is sent from the bytes that all readers
// share; one that left memory is read from the tables.

import type { Bookmark } from '../../../engine/core/social/bookmarks.ts'
import type { MarketId, ProfileId } from '../../../engine/domain/ids.ts'
import {
  kindOf,
  type MarketKind,
  type MarketStatus,
  takesOrders,
} from '../../../engine/domain/markets/market.ts'
import type { BookmarkKind } from '../../../engine/domain/social/social-command.ts'
import { SOCIAL_LIMITS } from '../../../engine/domain/social/social-limits.ts'
import type { Pipeline } from '../../exchange/pipeline.ts'
import type { MarketLists } from '../../exchange/read-model/lists/market-lists.ts'
import { type CollateralToken, marketView } from '../../exchange/read-model/market-view.ts'
import type { PublishedMarket } from '../../exchange/read-model/published.ts'
import { isoText } from '../../messages/iso-text.ts'
import { Joined, type Part } from '../../messages/payload.ts'
import type { ArchivedMarkets } from '../markets/archived-markets.ts'
import type { Requester } from '../reads/private-reads.ts'

export const AVAILABILITIES = ['active', 'resolved', 'unavailable'] as const
type Availability = (typeof AVAILABILITIES)[number]

/** A group has two names, because clients use both. */
const MARKET_KIND: Readonly<Record<BookmarkKind, MarketKind>> = {
  clob: 'clob',
  negrisk: 'group',
  ladder: 'group',
  amm: 'amm',
}

export function isOfKind({ market }: PublishedMarket, targetKind: BookmarkKind): boolean {
  return kindOf(market) === MARKET_KIND[targetKind]
}

function availabilityOf(status: MarketStatus): Availability {
  if (status === 'RESOLVED') return 'resolved'
  return status === 'CREATED' || takesOrders(status) ? 'active' : 'unavailable'
}

/** A number may also be a slug; ids have precedence. */
const MARKET_ID = /^[1-9][0-9]{0,7}$/

interface Parts {
  readonly pipeline: Pipeline
  readonly lists: MarketLists
  readonly archive: ArchivedMarkets
  readonly collateral: CollateralToken
  readonly clock: () => number
}

export class BookmarkViews {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /**
   * The market of an id, a slug or the address of a pool; null for none, undefined on a read
   * timeout.
   */
  async target(
    targetId: string,
    requester: Requester,
  ): Promise<PublishedMarket | null | undefined> {
    const { archive } = this.#parts
    if (MARKET_ID.test(targetId)) {
      const marketId = Number(targetId)
      const found = await archive.byIds([marketId], requester)
      if (found === undefined) return undefined
      const known = found.get(marketId)
      if (known !== undefined) return known
    }
    return archive.byAddressOrSlug(targetId, requester)
  }

  /** The bookmarks of a profile, newest first; undefined on a read timeout. */
  async listOf(profileId: ProfileId, requester: Requester): Promise<Joined | undefined> {
    const { pipeline } = this.#parts
    const { bookmarks } = pipeline.clearing.social
    const shown = bookmarks.of(profileId).reverse()
    const isPublic = bookmarks.isShown(profileId)
    await pipeline.durable()
    const found = await this.#marketsOf(shown, requester)
    if (found === undefined) return undefined
    let leftBytes: number = SOCIAL_LIMITS.bookmarkBytesMax
    const views = shown.map((bookmark) => {
      const published = found.get(bookmark.marketId)
      const json = leftBytes < 0 ? NO_MARKET : this.#json(published)
      leftBytes -= json.length
      return this.#viewOf(bookmark, published, leftBytes < 0 ? NO_MARKET : json)
    })
    const tail = `],"isPublic":${isPublic},"total":${shown.length}}`
    return new Joined([LIST_HEAD, ...withCommas(views), tail])
  }

  one(bookmark: Bookmark, published: PublishedMarket): Joined {
    return new Joined(this.#viewOf(bookmark, published, this.#json(published)))
  }

  /**
   * A group that left memory is read by its slug, which also returns its children. Beyond a limit
   * of markets read in this way, groups have no market.
   */
  async #marketsOf(
    bookmarks: readonly Bookmark[],
    requester: Requester,
  ): Promise<ReadonlyMap<MarketId, PublishedMarket> | undefined> {
    const { archive, pipeline } = this.#parts
    const marketIds = bookmarks.map(({ marketId }) => marketId)
    const found = await archive.byIds(marketIds, requester)
    if (found === undefined) return undefined
    const whole = new Map(found)
    let leftMarkets: number = SOCIAL_LIMITS.bookmarkChildrenMax
    for (const [marketId, { market }] of found) {
      if (kindOf(market) !== 'group' || pipeline.published.byId(marketId) !== undefined) continue
      if (leftMarkets <= 0) {
        whole.delete(marketId)
        continue
      }
      const group = await archive.bySlug(market.slug, requester)
      if (group === undefined) return undefined
      leftMarkets -= group?.children.length ?? 0
      if (group !== null) whole.set(marketId, group)
    }
    return whole
  }

  #json(published: PublishedMarket | undefined): Buffer {
    if (published === undefined) return NO_MARKET
    const { pipeline, lists, collateral, clock } = this.#parts
    const isLive = pipeline.published.byId(published.market.marketId) === published
    if (isLive) return lists.market(published)
    return Buffer.from(JSON.stringify(marketView(published, collateral, clock())))
  }

  #viewOf(
    { seq, targetKind, marketId, putMs }: Bookmark,
    published: PublishedMarket | undefined,
    json: Buffer,
  ): Part[] {
    const availability = published === undefined ? 'unavailable' : availabilityOf(published.status)
    const reported = {
      bookmarkId: seq,
      targetKind,
      targetId: String(marketId),
      slug: published?.market.slug ?? null,
      availability,
      createdAt: isoText(putMs),
    }
    const head = JSON.stringify(reported).slice(0, -1)
    return [`${head},"market":`, json, CLOSE]
  }
}

const NO_MARKET = Buffer.from('null')
const LIST_HEAD = '{"data":['
const CLOSE = '}'

function withCommas(views: readonly Part[][]): Part[] {
  return views.flatMap((parts, index) => (index === 0 ? parts : [',', ...parts]))
}

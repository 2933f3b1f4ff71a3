import { decideBookmark, decideFollow } from '../../../engine/core/decide/social.ts'
import type { Bookmark } from '../../../engine/core/social/bookmarks.ts'
import { assert } from '../../../engine/domain/assert.ts'
import type { MarketId, ProfileId, Seq } from '../../../engine/domain/ids.ts'
import { LIMITS } from '../../../engine/domain/limits.ts'
import {
  kindOf,
  type MarketKind,
  type MarketStatus,
  takesOrders,
} from '../../../engine/domain/markets/market.ts'
import { REJECT, Reject } from '../../../engine/domain/reject-precedence.ts'
import type { BookmarkKind } from '../../../engine/domain/social/social-command.ts'
import { SOCIAL_LIMITS } from '../../../engine/domain/social/social-limits.ts'
import type { Pipeline } from '../../exchange/pipeline.ts'
import type { MarketLists } from '../../exchange/read-model/lists/market-lists.ts'
import { type CollateralToken, marketView } from '../../exchange/read-model/market-view.ts'
import type { PublishedMarket } from '../../exchange/read-model/published.ts'
import { isoText } from '../../messages/iso-text.ts'
import { Joined, type Part } from '../../messages/payload.ts'
import type { AccountChanges, ProfileRequest } from '../accounts/accounts.ts'
import type { ArchivedMarkets } from '../markets/archived-markets.ts'
import type { PrivateReads, Requester } from '../reads/private-reads.ts'
import type { SharedServices } from '../shared-services.ts'

// Changes of follows and bookmarks. A request for what already exists changes nothing.

/** The relation of one profile to another. */
interface FollowState {
  readonly profileId: ProfileId
  readonly isFollowing: boolean
  readonly followersCount: number
}

export class SocialChanges {
  readonly #pipeline: Pipeline

  constructor(pipeline: Pipeline) {
    this.#pipeline = pipeline
  }

  async follow(profileId: ProfileId, followedId: ProfileId): Promise<FollowState | Reject> {
    const { clearing } = this.#pipeline
    const changing = this.#pipeline.change(() => {
      if (clearing.social.follows.isFollowing(profileId, followedId)) return null
      const reject = decideFollow(clearing, profileId, followedId)
      return reject ?? { kind: 'followProfile', profileId, followedId }
    })
    const state = this.#stateOf(profileId, followedId)
    return (await changing) ?? state
  }

  async unfollow(profileId: ProfileId, followedId: ProfileId): Promise<FollowState | Reject> {
    const { follows } = this.#pipeline.clearing.social
    const changing = this.#pipeline.change(() => {
      if (!follows.isFollowing(profileId, followedId)) return null
      return { kind: 'unfollowProfile', profileId, followedId }
    })
    const state = this.#stateOf(profileId, followedId)
    return (await changing) ?? state
  }

  /** Read it before the wait for a change: later commands may not be durable. */
  #stateOf(profileId: ProfileId, followedId: ProfileId): FollowState {
    const { follows } = this.#pipeline.clearing.social
    return {
      profileId: followedId,
      isFollowing: follows.isFollowing(profileId, followedId),
      followersCount: follows.followersOf(followedId),
    }
  }

  /** A market that is already bookmarked keeps its bookmark, with its id and its kind. */
  async bookmark(
    profileId: ProfileId,
    marketId: MarketId,
    targetKind: BookmarkKind,
  ): Promise<Bookmark | Reject> {
    const { clearing } = this.#pipeline
    const { bookmarks } = clearing.social
    const changing = this.#pipeline.change(() => {
      if (bookmarks.find(profileId, marketId) !== undefined) return null
      const reject = decideBookmark(clearing, profileId)
      return reject ?? { kind: 'putBookmark', profileId, marketId, targetKind }
    })
    const put = bookmarks.find(profileId, marketId)
    const refused = await changing
    if (refused !== null) return refused
    assert(put !== undefined, 'a bookmark that was put exists')
    return put
  }

  /** The id of another profile's bookmark is refused like an unknown id. */
  removeBookmark(profileId: ProfileId, bookmarkId: Seq): Promise<Reject | null> {
    const { bookmarks } = this.#pipeline.clearing.social
    return this.#pipeline.change(() => {
      const found = bookmarks.of(profileId).find(({ seq }) => seq === bookmarkId)
      if (found === undefined) return REJECT.BOOKMARK_NOT_FOUND
      return { kind: 'removeBookmark', profileId, marketId: found.marketId }
    })
  }

  clearBookmarks(profileId: ProfileId): Promise<Reject | null> {
    const { bookmarks } = this.#pipeline.clearing.social
    return this.#pipeline.change(() => {
      return bookmarks.owners.of(profileId) === 0 ? null : { kind: 'clearBookmarks', profileId }
    })
  }

  showBookmarks(profileId: ProfileId, isPublic: boolean): Promise<Reject | null> {
    const { bookmarks } = this.#pipeline.clearing.social
    return this.#pipeline.change(() => {
      if (bookmarks.isShown(profileId) === isPublic) return null
      return { kind: 'showBookmarks', profileId, isPublic }
    })
  }
}

/** What the routes of this folder need. */
export interface SocialServices extends SharedServices {
  readonly social: SocialChanges
  readonly bookmarks: BookmarkViews
  readonly connections: SocialConnections
}

// The account of another service that a profile proved, and what the profile applies from it. The
// account is a part of the profile, so an edit changes it.

/** The parts of the account to apply. */
interface TakeOver {
  readonly username: boolean
  readonly avatar: boolean
}

export const SKIP_REASONS = ['taken', 'invalid'] as const

interface TakenOver {
  readonly usernameApplied: boolean
  readonly avatarApplied: boolean
  /** `taken` by another profile, or `invalid` as a username; null when it was not skipped. */
  readonly usernameSkippedReason: (typeof SKIP_REASONS)[number] | null
}

type Edit = Omit<ProfileRequest, 'account'>

const HANDLE = /^[A-Za-z0-9_]{1,15}$/
/** A username begins with a letter, so that none looks like an address or a handle. */
const STARTS_AS_NAME = /^[A-Za-z]/
const PICTURE = /^https:\/\/[!-~]+$/

/** A provider's data is external: only what a page may display is kept. */
function checkedOf({ handle, avatarUrl }: SocialAccount): SocialAccount | undefined {
  if (!HANDLE.test(handle)) return undefined
  const isShort = (avatarUrl?.length ?? 0) <= LIMITS.profileUrlCharactersMax
  const isPicture = avatarUrl !== null && PICTURE.test(avatarUrl) && !/["'<>`\\]/.test(avatarUrl)
  return { handle, avatarUrl: isPicture && isShort ? avatarUrl : null }
}

export class SocialConnections {
  readonly #accounts: AccountChanges
  readonly #reads: PrivateReads
  readonly #provider: SocialProvider | null

  /** Without a provider nobody can connect. */
  constructor(accounts: AccountChanges, reads: PrivateReads, provider: SocialProvider | null) {
    this.#accounts = accounts
    this.#reads = reads
    this.#provider = provider
  }

  /** Stores the account that the code proves, replacing any other. */
  async connect(profileId: ProfileId, code: string): Promise<SocialAccount | Reject> {
    if (this.#provider === null) return REJECT.SOCIAL_CONNECTION_OFF
    const proven = await this.#provider.accountOf(code)
    const account = proven === undefined ? undefined : checkedOf(proven)
    if (account === undefined) return REJECT.SOCIAL_CODE_INVALID
    const { handle: xHandle, avatarUrl: xAvatar } = account
    const edited = await this.#edit(profileId, { xHandle, xAvatar })
    return edited ?? account
  }

  /** What the profile applied earlier stays. */
  async disconnect(profileId: ProfileId): Promise<Reject | null> {
    const shown = await this.#reads.profile(profileId)
    if (shown === undefined) return REJECT.READ_TIMEOUT
    if (shown === null || shown.xHandle === null) return null
    return this.#edit(profileId, { xHandle: null, xAvatar: null })
  }

  async takeOver(profileId: ProfileId, wanted: TakeOver): Promise<TakenOver | Reject> {
    const shown = await this.#reads.profile(profileId)
    if (shown === undefined) return REJECT.READ_TIMEOUT
    if (shown === null || shown.xHandle === null) return REJECT.SOCIAL_NOT_CONNECTED
    const { xHandle, xAvatar } = shown
    const picture = wanted.avatar && xAvatar !== null ? { pfpUrl: xAvatar } : {}
    const avatarApplied = 'pfpUrl' in picture
    const isName = STARTS_AS_NAME.test(xHandle)
    if (wanted.username && isName) {
      const refused = await this.#edit(profileId, { username: xHandle, ...picture })
      if (refused === null) {
        return { usernameApplied: true, avatarApplied, usernameSkippedReason: null }
      }
      if (refused !== REJECT.USERNAME_TAKEN) return refused
    }
    const refused = avatarApplied ? await this.#edit(profileId, picture) : null
    if (refused !== null) return refused
    const why = isName ? 'taken' : 'invalid'
    const usernameSkippedReason = wanted.username ? why : null
    return { usernameApplied: false, avatarApplied, usernameSkippedReason }
  }

  async #edit(profileId: ProfileId, edit: Edit): Promise<Reject | null> {
    const edited = await this.#accounts.editProfile(profileId, edit, this.#reads)
    return edited instanceof Reject ? edited : null
  }
}

// The interface to a service where users have accounts, such as X. A page of that service gives its
// user a code, which proves the account once.

/** An account proven by a code. */
interface SocialAccount {
  /** Without the @. */
  readonly handle: string
  /** https link; null without a picture. */
  readonly avatarUrl: string | null
}

export interface SocialProvider {
  /** Undefined for a code that proves nothing. It has its own deadline. */
  accountOf(code: string): Promise<SocialAccount | undefined>
}

const CODE = /^demo:([A-Za-z0-9_]{1,15})$/

/** Accepts every code of the form `demo:handle`, because a demo has nothing of value. */
export const demoProvider: SocialProvider = {
  accountOf: async (code) => {
    const handle = CODE.exec(code)?.[1]
    if (handle === undefined) return undefined
    return { handle, avatarUrl: `https://pictures.example/${handle}.png` }
  },
}

// Bookmarks as sent, with their markets. A market in memory is sent from the bytes that all readers
// share; one that left memory is read from the tables.

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

import { LEG_RESULTS } from '../../../engine/core/packs/packs.ts'
import type { MarketId, ProfileId } from '../../../engine/domain/ids.ts'
import { OUTCOME, SIDE } from '../../../engine/domain/order.ts'
import { type TimeMs, UNIT_RAW } from '../../../engine/domain/units.ts'
import { PACK_STATUSES } from '../../../persistence/follower/packs/packs.ts'
import {
  AUDIENCES,
  type Audience,
  type FeedEntry,
  type FeedPlace,
  feed,
} from '../../../persistence/query/read/feeds/feed.ts'
import type { TakerRow } from '../../../persistence/query/read/history/mined-trades.ts'
import { paysRaw } from '../../../persistence/query/read/packs/packs.ts'
import { shownName } from '../../../persistence/query/read/profiles.ts'
import { eitherOf, hmac, sessionOrIdentity } from '../../auth/auth-scheme.ts'
import { cached, lasting } from '../../edge/http/caching/cache.ts'
import { cursorOf, invalidCursor, placeIn } from '../../edge/http/cursor.ts'
import { route } from '../../edge/http/route.ts'
import {
  account,
  isoTime,
  profileId,
  shownUsername,
  slug,
  uint256Text,
} from '../../edge/http/schema/fields.ts'
import {
  defaulted,
  integer,
  means,
  nullable,
  number,
  oneOf,
  pattern,
  text,
} from '../../edge/http/schema/scalars.ts'
import { anyOf, list, object, optional, schemaOf } from '../../edge/http/schema/schema.ts'
import type { PublishedMarket } from '../../exchange/read-model/published.ts'
import { isoText } from '../../messages/iso-text.ts'
import { refuse } from '../../messages/refusal.ts'
import { nameToShow } from '../accounts/profile-fields.ts'
import { ACCOUNT, MARKET_EXAMPLE } from '../examples.ts'
import type { ArchivedMarkets } from '../markets/archived-markets.ts'
import { legFields, legView } from '../packs/pack-views.ts'
import {
  type PrivateReads,
  publicRequester,
  type Requester,
  requesterOf,
} from '../reads/private-reads.ts'
import type { SharedServices } from '../shared-services.ts'

// Pages of the feeds: events of everyone or of the profiles that a caller follows, newest first.

interface FeedRequest {
  readonly audience: Audience
  /** Whose follows apply; unused for the other audiences. */
  readonly follower: ProfileId
  readonly before: FeedPlace
  readonly limit: number
  /** Only entries from this time on. */
  readonly fromMs: TimeMs
}

type PackEntry = Extract<FeedEntry, { pack: unknown }>
type Markets = ReadonlyMap<MarketId, PublishedMarket>

type EntryView = ReturnType<typeof viewOf> | ReturnType<typeof packEntryView>

const PRICE_DIGITS = 6

export class Feeds {
  readonly #archive: ArchivedMarkets
  readonly #reads: PrivateReads

  constructor(archive: ArchivedMarkets, reads: PrivateReads) {
    this.#archive = archive
    this.#reads = reads
  }

  /** Undefined on a read timeout. */
  async page(wanted: FeedRequest, requester: Requester) {
    const page = await this.#reads.read(feed, wanted, requester)
    if (page === undefined) return undefined
    const markets = await this.#archive.byIds(new Set(page.entries.flatMap(marketsOf)), requester)
    if (markets === undefined) return undefined
    const groupIds = [...markets.values()].flatMap(({ market }) => market.groupId ?? [])
    const groups = await this.#archive.byIds(groupIds, requester)
    if (groups === undefined) return undefined
    const data = page.entries.flatMap((entry): EntryView[] => {
      if (isOfPack(entry)) return [packEntryView(entry, markets)]
      const shown = markets.get(entry.marketId)
      if (shown === undefined || shown.status === 'DRAFT') return []
      return [viewOf(entry, shown, groups)]
    })
    return { data, next: page.next }
  }
}

function isOfPack(entry: FeedEntry): entry is PackEntry {
  return entry.what === 'PACK_MADE' || entry.what === 'PACK_ENDED'
}

function marketsOf(entry: FeedEntry): MarketId[] {
  return isOfPack(entry) ? entry.pack.legs.map(({ marketId }) => marketId) : [entry.marketId]
}

function packEntryView({ seq, leg, atMs, what, trader, pack }: PackEntry, markets: Markets) {
  const isMade = what === 'PACK_MADE'
  return {
    id: isMade ? String(seq) : `${seq}-${leg}`,
    type: isMade ? ('PARLAY_PLACED' as const) : ('PARLAY_RESOLVED' as const),
    timestamp: isoText(atMs),
    user: trader === null ? null : userView(trader),
    market: null,
    pack: {
      id: String(pack.packId),
      status: pack.status,
      stake: String(pack.stakeRaw),
      payout: String(paysRaw(pack)),
      legs: pack.legs.flatMap(({ marketId, outcome, result }) => {
        const market = markets.get(marketId)
        return market === undefined ? [] : [{ ...legView(market, outcome), result }]
      }),
    },
  }
}

function viewOf(entry: Exclude<FeedEntry, PackEntry>, shown: PublishedMarket, groups: Markets) {
  const { seq, leg, atMs } = entry
  const timestamp = isoText(atMs)
  const market = marketView(shown, groups)
  if (entry.what === 'RESOLVED') {
    const id = `${seq}-${leg}`
    const winningOutcome = winnerOf(shown)
    return { id, type: 'RESOLVED' as const, timestamp, user: null, market, winningOutcome }
  }
  const { side, outcome, sharesRaw, collateralRaw, trader } = entry
  const buys = side === SIDE.BUY
  return {
    id: String(seq),
    type: buys ? ('BOUGHT' as const) : ('SOLD' as const),
    timestamp,
    user: trader === null ? null : userView(trader),
    market,
    side: buys ? ('BUY' as const) : ('SELL' as const),
    outcome: outcome === OUTCOME.YES ? ('YES' as const) : ('NO' as const),
    price: Number((collateralRaw / sharesRaw).toFixed(PRICE_DIGITS)),
    contracts: String(sharesRaw),
    amountUsd: collateralRaw / UNIT_RAW,
  }
}

function userView(trader: TakerRow) {
  const { profileId, account, username, pfpUrl, rankName } = trader
  return { profileId, account, username, displayName: shownName(trader), pfpUrl, rankName }
}

function marketView({ market }: PublishedMarket, groups: Markets) {
  const group = market.groupId === undefined ? undefined : groups.get(market.groupId)?.market
  const ofGroup = group === undefined ? null : { slug: group.slug, title: group.title }
  return { id: market.marketId, slug: market.slug, title: market.title, group: ofGroup }
}

/** Null when the payout is split. */
function winnerOf({ payoutNumerators }: PublishedMarket): 'YES' | 'NO' | null {
  const [yes, no] = payoutNumerators ?? [0, 0]
  if (yes > 0 && no > 0) return null
  return yes > 0 ? 'YES' : 'NO'
}

/** What the routes of this folder need. */
export interface FeedServices extends SharedServices {
  readonly feeds: Feeds
}

// The schema of a feed entry, with examples.

const NOTHING = () => schemaOf<null>({ type: 'null' })

const user = () =>
  object({
    profileId: profileId(),
    account: account(),
    username: shownUsername(),
    displayName: nameToShow(),
    pfpUrl: means(nullable(text()), 'Link to the picture of the trader; null without one.'),
    rankName: means(nullable(text()), 'Name of the rank of the trader; null without one.'),
  })

const group = () =>
  object({
    slug: means(text(), 'Slug of the group.'),
    title: means(text(), 'The question of the group.'),
  })

const market = () =>
  object({
    id: means(integer(1), 'Id of the market.'),
    slug: slug(),
    title: means(text(), 'The question of the market.'),
    group: means(anyOf(group(), NOTHING()), 'The group of the market; null for none.'),
  })

const pack = () =>
  object({
    id: means(text(), 'Id of the pack, for GET /parlay/positions/:id.'),
    status: means(oneOf(...PACK_STATUSES), 'ACTIVE until it is lost or all legs are decided.'),
    stake: means(uint256Text(), 'Raw collateral that its maker staked.'),
    payout: means(uint256Text(), 'Raw collateral that it pays or paid if it wins.'),
    legs: means(
      list(
        object({
          ...legFields(),
          result: means(oneOf(...LEG_RESULTS), 'Result of the leg; VOID legs do not count.'),
        }),
      ),
      'Its legs, which must all win.',
    ),
  })

/** An event: a taker's trade in a book or with a pool, a pack, or the resolution of a market. */
const entry = () =>
  object({
    id: means(text(), 'Unique id of the entry.'),
    type: means(
      oneOf('BOUGHT', 'SOLD', 'RESOLVED', 'PARLAY_PLACED', 'PARLAY_RESOLVED'),
      'Kind of event: a taker bought or sold, a market was resolved, a pack was made or ended.',
    ),
    timestamp: means(isoTime(), 'When it happened.'),
    user: means(
      anyOf(user(), NOTHING()),
      'Profile that acted; null for a resolution and for an unknown profile.',
    ),
    market: means(anyOf(market(), NOTHING()), 'Market of the event; null for a pack.'),
    side: means(optional(oneOf('BUY', 'SELL')), 'Side of the taker; only for a trade.'),
    outcome: means(optional(oneOf('YES', 'NO')), 'Outcome traded; only for a trade.'),
    price: means(optional(number(0)), 'Average price of one share; only for a trade.'),
    contracts: means(optional(uint256Text()), 'Raw shares traded; only for a trade.'),
    amountUsd: means(
      optional(number(0)),
      'Whole collateral paid or received for the shares: before fees in a book, with the fee of ' +
        'a pool. Only for a trade.',
    ),
    pack: means(optional(pack()), 'Current state of the pack; only for a pack.'),
    winningOutcome: means(
      optional(nullable(oneOf('YES', 'NO'))),
      'Outcome that won; null if the payout is split; only for a resolution.',
    ),
  })

const AT = MARKET_EXAMPLE.createdAt
const { id, slug: named, title } = MARKET_EXAMPLE
const MARKET = { id, slug: named, title, group: null }

const BOUGHT_EXAMPLE = {
  id: '42',
  type: 'BOUGHT' as const,
  timestamp: AT,
  user: {
    profileId: 1,
    account: ACCOUNT,
    username: null,
    displayName: ACCOUNT,
    pfpUrl: null,
    rankName: 'Bronze',
  },
  market: MARKET,
  side: 'BUY' as const,
  outcome: 'YES' as const,
  price: 0.52,
  contracts: '100000000',
  amountUsd: 52,
}

const RESOLVED_EXAMPLE = {
  id: '97-1',
  type: 'RESOLVED' as const,
  timestamp: AT,
  user: null,
  market: MARKET,
  winningOutcome: 'YES' as const,
}

const PACK_PLACED_EXAMPLE = {
  id: '98',
  type: 'PARLAY_PLACED' as const,
  timestamp: AT,
  user: BOUGHT_EXAMPLE.user,
  market: null,
  pack: {
    id: '98',
    status: 'ACTIVE' as const,
    stake: '10000000',
    payout: '45000000',
    legs: [{ marketSlug: named, title, outcomeIndex: 0, result: 'PENDING' as const }],
  },
}

// The public feed, and the feed of the profiles that the caller follows.

const TRADING_LIMIT_MAX = 30
const FOLLOWING_LIMIT_MAX = 100
const LIMIT_DEFAULT = 30
const KEPT_SEC = 60
const DAY_MS = 86_400_000
const CURSOR_CHARACTERS_MAX = 80

/** After the last entry that a page examined; null when it was the last page. */
function nextOf(place: FeedPlace | null, listed: string): string | null {
  return place === null ? null : cursorOf(place, listed)
}

const cursor = () =>
  means(
    optional(pattern(`^[A-Za-z0-9_-]{0,${CURSOR_CHARACTERS_MAX}}$`, 'Base64url text.')),
    'nextCursor of the previous page of the same list; absent or empty for the first page.',
  )

const page = () =>
  object({
    data: means(list(entry()), 'The entries of this page, newest first.'),
    nextCursor: means(
      nullable(text()),
      'Cursor of the next page; null on the last one. A page with a cursor may be short or empty.',
    ),
  })

export const tradingFeed = route({
  method: 'GET',
  path: '/feed/trading',
  auth: eitherOf(hmac(), sessionOrIdentity()).orNobody(),
  rateClass: 'public',
  about: 'Lists trades, packs and resolutions of the whole exchange, newest first.',
  shared: {
    cache: cached(lasting(KEPT_SEC)),
    when: ({ audience }) => audience !== 'following',
  },
  query: {
    audience: means(
      defaulted(oneOf(...AUDIENCES), 'all'),
      'all; featured: trades of 100 or more in whole collateral, packs that may pay as much, and ' +
        'resolutions; following: events of followed profiles, which requires authentication.',
    ),
    limit: means(
      defaulted(integer(1, TRADING_LIMIT_MAX), LIMIT_DEFAULT),
      'Maximum entries per page of the feed.',
    ),
    cursor: cursor(),
  },
  reply: page(),
  means: 'A page of the feed, without reversed trades.',
  rejects: ['UNAUTHENTICATED', 'VALIDATION', 'READ_TIMEOUT'],
  example: {
    query: { audience: 'all', limit: 30 },
    reply: {
      data: [PACK_PLACED_EXAMPLE, RESOLVED_EXAMPLE, BOUGHT_EXAMPLE],
      nextCursor: cursorOf({ seq: 42, leg: 0 }, 'all'),
    },
  },
  handle: async ({ query, caller, call }, { feeds }: FeedServices) => {
    const { audience, limit } = query
    if (audience === 'following' && caller === null) return refuse('UNAUTHENTICATED')
    const before = placeIn(query.cursor ?? '', audience)
    if (before === null) return invalidCursor()
    const requester = caller === null ? publicRequester(call) : requesterOf({ caller, call })
    const follower = caller?.profileId ?? 0
    const found = await feeds.page({ audience, follower, before, limit, fromMs: 0 }, requester)
    if (found === undefined) return refuse('READ_TIMEOUT')
    return { data: found.data, nextCursor: nextOf(found.next, audience) }
  },
})

export const followingFeed = route({
  method: 'GET',
  path: '/feed/following',
  auth: eitherOf(hmac(), sessionOrIdentity()),
  rateClass: 'private',
  about: 'Lists trades and packs of followed profiles in the last 24 hours, newest first.',
  query: {
    limit: means(
      defaulted(integer(1, FOLLOWING_LIMIT_MAX), LIMIT_DEFAULT),
      'Maximum entries per page of the feed.',
    ),
    cursor: cursor(),
  },
  reply: page(),
  means: 'A page of the feed; its entries are at most 24 hours old.',
  rejects: ['VALIDATION', 'READ_TIMEOUT'],
  example: { query: { limit: 30 }, reply: { data: [BOUGHT_EXAMPLE], nextCursor: null } },
  handle: async ({ query, caller, call }, { feeds, clock }: FeedServices) => {
    const before = placeIn(query.cursor ?? '', 'day')
    if (before === null) return invalidCursor()
    const wanted = { audience: 'following', follower: caller.profileId, before } as const
    const page = { limit: query.limit, fromMs: clock() - DAY_MS }
    const found = await feeds.page({ ...wanted, ...page }, requesterOf({ caller, call }))
    if (found === undefined) return refuse('READ_TIMEOUT')
    return { data: found.data, nextCursor: nextOf(found.next, 'day') }
  },
})

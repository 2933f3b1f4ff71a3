// The public feed, and the feed of the profiles that the caller follows.

import { AUDIENCES, type FeedPlace } from '../../../persistence/query/read/feeds/feed.ts'
import { eitherOf, hmac, sessionOrIdentity } from '../../auth/auth-scheme.ts'
import { cached, lasting } from '../../edge/http/caching/cache.ts'
import { invalidCursor } from '../../edge/http/cursor.ts'
import { route } from '../../edge/http/route.ts'
import { means } from '../../edge/http/schema/meaning.ts'
import {
  defaulted,
  integer,
  nullable,
  oneOf,
  pattern,
  text,
} from '../../edge/http/schema/scalars.ts'
import { list, object, optional } from '../../edge/http/schema/schema.ts'
import { refuse } from '../../messages/refusal.ts'
import { publicRequester, requesterOf } from '../reads/private-reads.ts'
import { BOUGHT_EXAMPLE, entry, PACK_PLACED_EXAMPLE, RESOLVED_EXAMPLE } from './feed-shapes.ts'
import type { FeedServices } from './services.ts'

const TRADING_LIMIT_MAX = 30
const FOLLOWING_LIMIT_MAX = 100
const LIMIT_DEFAULT = 30
const KEPT_SEC = 60
const DAY_MS = 86_400_000
const CURSOR_CHARACTERS_MAX = 80
const CURSOR = /^([1-9][0-9]{0,15})[.]([0-9]{1,15})[.]/
const FIRST: FeedPlace = { seq: Number.MAX_SAFE_INTEGER, leg: 0 }

type Listed = (typeof AUDIENCES)[number] | 'day'

/** A cursor holds the last entry that its page examined, and the list that it belongs to. */
function cursorOf(place: FeedPlace | null, listed: Listed): string | null {
  if (place === null) return null
  return Buffer.from(`${place.seq}.${place.leg}.${listed}`).toString('base64url')
}

/** Null for text that is not a cursor of this list. */
function placeIn(cursor: string, listed: Listed): FeedPlace | null {
  if (cursor === '') return FIRST
  const stated = CURSOR.exec(Buffer.from(cursor, 'base64url').toString())
  if (stated === null) return null
  const place = { seq: Number(stated[1]), leg: Number(stated[2]) }
  return cursorOf(place, listed) === cursor ? place : null
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
    return { data: found.data, nextCursor: cursorOf(found.next, audience) }
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
    return { data: found.data, nextCursor: cursorOf(found.next, 'day') }
  },
})

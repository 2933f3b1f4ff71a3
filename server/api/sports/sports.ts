// Public reads of matches and their scores (rules §12.8).

import { LIMITS } from '../../../engine/domain/limits.ts'
import { Reject } from '../../../engine/domain/reject-precedence.ts'
import { MATCH_PHASES, SPORT_TYPES } from '../../../engine/domain/sports/match.ts'
import { SPORT_LIMITS } from '../../../engine/domain/sports/sport-limits.ts'
import type { MatchesParams, MatchPlace } from '../../../persistence/query/read/markets/matches.ts'
import { matchOrders } from '../../../persistence/query/read/orders/match-orders.ts'
import { eitherOf, hmac, open, sessionOrIdentity } from '../../auth/auth-scheme.ts'
import { cached, lasting } from '../../edge/http/caching/cache.ts'
import { invalidCursor } from '../../edge/http/cursor.ts'
import { route } from '../../edge/http/route.ts'
import { slug } from '../../edge/http/schema/fields.ts'
import {
  defaulted,
  integer,
  means,
  nullable,
  oneOf,
  pattern,
  text,
} from '../../edge/http/schema/scalars.ts'
import { list, object, optional } from '../../edge/http/schema/schema.ts'
import { userOrderView } from '../../exchange/read-model/views.ts'
import type { Call } from '../../messages/call.ts'
import { refuse } from '../../messages/refusal.ts'
import { ORDER_ID } from '../examples.ts'
import {
  batchCancelReply,
  cancelAllInSlices,
  MULTI_STATUS,
  refuseCancel,
  SOME_CANCELED,
} from '../orders/cancel-replies.ts'
import {
  CANCELED_EXAMPLE,
  statusNumbers,
  USER_ORDER_EXAMPLE,
  userOrder,
  userOrderQuery,
} from '../orders/order-shapes.ts'
import { publicRequester, requesterOf } from '../reads/private-reads.ts'
import { esportType, MATCH_EXAMPLE, matchView, SCORED_EXAMPLE, shownMatch } from './match-shapes.ts'
import type { SportServices } from './services.ts'

const DEFAULT_LIMIT = 50
const CURSOR_CHARACTERS_MAX = 256
const CURSOR = /^(live|upcoming|finished)[.](0|[1-9][0-9]{0,15})[.]([a-z0-9][a-z0-9-]*)$/
/** Clients that poll every second are mostly answered by a cache. */
const KEPT_SEC = 3

function cursorOf({ phase, startsMs, slug }: MatchPlace): string {
  return Buffer.from(`${phase}.${startsMs}.${slug}`).toString('base64url')
}

/** The place in a cursor; undefined for an invalid one. */
function placeIn(cursor: string): MatchPlace | null | undefined {
  if (cursor === '') return null
  const stated = CURSOR.exec(Buffer.from(cursor, 'base64url').toString())
  const phase = MATCH_PHASES.find((each) => each === stated?.[1])
  if (stated === null || phase === undefined) return undefined
  const place = { phase, startsMs: Number(stated[2]), slug: stated[3] }
  return cursorOf(place) === cursor ? place : undefined
}

const paging = {
  limit: means(
    defaulted(integer(1, SPORT_LIMITS.listLimitMax), DEFAULT_LIMIT),
    'Maximum matches per page of the list.',
  ),
  cursor: means(
    optional(pattern(`^[A-Za-z0-9_-]{0,${CURSOR_CHARACTERS_MAX}}$`, 'Base64url text.')),
    'nextCursor of the previous page; absent or empty for the first page.',
  ),
}
const sportType = () =>
  means(optional(oneOf(...SPORT_TYPES)), 'Only of this sport; absent for all.')

const page = () =>
  object({
    data: means(list(shownMatch()), 'The matches of this page.'),
    nextCursor: means(nullable(text()), 'Cursor of the next page; null on the last page.'),
  })
const PAGE_EXAMPLE = { data: [SCORED_EXAMPLE], nextCursor: null }

interface Requested extends Pick<MatchesParams, 'phases' | 'sportType' | 'esportType' | 'limit'> {
  readonly cursor: string | undefined
}

async function pageOf({ cursor, ...requested }: Requested, call: Call, { matches }: SportServices) {
  const after = placeIn(cursor ?? '')
  if (after === undefined) return invalidCursor()
  const { limit } = requested
  // Reads one extra match to know whether there is another page.
  const found = await matches.page({ ...requested, after, limit: limit + 1 }, publicRequester(call))
  if (found === undefined) return refuse('READ_TIMEOUT')
  const data = found.slice(0, limit).map(matchView)
  const last = found.length > limit ? data.at(-1) : undefined
  if (last === undefined) return { data, nextCursor: null }
  const place = { phase: last.status, startsMs: Date.parse(last.startsAt), slug: last.slug }
  return { data, nextCursor: cursorOf(place) }
}

export const liveMatches = route({
  method: 'GET',
  path: '/sports/live',
  auth: open(),
  rateClass: 'public',
  cache: cached(lasting(KEPT_SEC)),
  about: 'Lists matches in play with their scores, earliest start first, by cursor.',
  query: { sportType: sportType(), ...paging },
  reply: page(),
  means: 'A page of the matches that have a score and are not finished.',
  rejects: ['VALIDATION', 'READ_TIMEOUT'],
  example: { query: { sportType: 'football', limit: DEFAULT_LIMIT }, reply: PAGE_EXAMPLE },
  handle: ({ query, call }, services: SportServices) => {
    const { sportType: sport = null, limit, cursor } = query
    const requested = {
      phases: ['live'],
      sportType: sport,
      esportType: null,
      limit,
      cursor,
    } as const
    return pageOf(requested, call, services)
  },
})

export const sportEvents = route({
  method: 'GET',
  path: '/sports/events',
  auth: open(),
  rateClass: 'public',
  cache: cached(lasting(KEPT_SEC)),
  about: 'Lists sports and esports matches: live ones, then upcoming ones, then finished ones.',
  query: {
    sportType: sportType(),
    esportType: means(optional(esportType()), 'Only this esports game; absent for all.'),
    status: means(optional(oneOf(...MATCH_PHASES)), 'Only matches in this phase; absent for all.'),
    ...paging,
  },
  reply: page(),
  means: 'A page of the matches, each with its markets.',
  rejects: ['VALIDATION', 'READ_TIMEOUT'],
  example: { query: { status: 'live', limit: DEFAULT_LIMIT }, reply: PAGE_EXAMPLE },
  handle: ({ query, call }, services: SportServices) => {
    const { sportType: sport = null, esportType: game = null, status, limit, cursor } = query
    const phases = status === undefined ? MATCH_PHASES : [status]
    return pageOf({ phases, sportType: sport, esportType: game, limit, cursor }, call, services)
  },
})

// The orders of a profile in all markets of a match (rules §4.8, §12.4).

const params = { slug: means(slug(), 'Slug of the match, or of one of its markets.') }

export const ordersOfMatch = route({
  method: 'GET',
  path: '/sports-markets/:slug/user-orders',
  auth: eitherOf(hmac(), sessionOrIdentity()).forSubAccounts(),
  rateClass: 'private',
  about: "Lists the caller's orders in all markets of a match, newest first; live ones by default.",
  params,
  query: userOrderQuery(),
  reply: list(userOrder()),
  means: 'The orders of all its markets together; an empty list if there are none.',
  rejects: ['MATCH_NOT_FOUND', 'READ_TIMEOUT'],
  example: { params: { slug: MATCH_EXAMPLE.slug }, reply: [USER_ORDER_EXAMPLE] },
  handle: async (
    { params: { slug: name }, query, caller, owner, call },
    services: SportServices,
  ) => {
    const { reads, pipeline, archive, matches } = services
    const requester = requesterOf({ caller, call })
    const match = await matches.named(name, requester)
    if (match === undefined) return refuse('READ_TIMEOUT')
    if (match === null) return refuse('MATCH_NOT_FOUND')
    const request = {
      accountId: owner,
      marketIds: match.markets.map(({ marketId }) => marketId),
      statuses: statusNumbers(query.statuses),
      limit: query.limit ?? LIMITS.userOrdersLimitMax,
    }
    const rows = await reads.read(matchOrders, request, requester)
    if (rows === undefined) return refuse('READ_TIMEOUT')
    const markets = await archive.byIds(
      rows.map(({ marketId }) => marketId),
      requester,
    )
    if (markets === undefined) return refuse('READ_TIMEOUT')
    return rows.flatMap((row) => {
      const published = markets.get(row.marketId)
      return published === undefined ? [] : userOrderView(row, published, pipeline.ids)
    })
  },
})

export const cancelInMatch = route({
  method: 'DELETE',
  path: '/sports-markets/:slug/user-orders',
  auth: hmac('trading').forSubAccounts(),
  rateClass: 'trade',
  bulkhead: 'frees',
  about: "Cancels all of the caller's open orders in all markets of a match.",
  params,
  others: { [MULTI_STATUS]: SOME_CANCELED },
  reply: batchCancelReply(),
  means: 'No order that the caller had in its markets when the call arrived is open.',
  rejects: ['OVERLOADED', 'TRADING_DISABLED', 'MATCH_NOT_FOUND', 'READ_TIMEOUT'],
  example: {
    params: { slug: MATCH_EXAMPLE.slug },
    reply: {
      message: 'Orders canceled successfully',
      canceled: [ORDER_ID],
      orders: [CANCELED_EXAMPLE],
      failed: [],
    },
  },
  handle: async ({ params: { slug: name }, owner, caller, call }, services: SportServices) => {
    const { everywhere, pipeline, matches } = services
    const match = await matches.named(name, requesterOf({ caller, call }))
    if (match === undefined) return refuse('READ_TIMEOUT')
    if (match === null) return refuse('MATCH_NOT_FOUND')
    const marketIds = match.markets.map(({ marketId }) => marketId)
    const outcome = await everywhere.run(owner, marketIds)
    if (outcome instanceof Reject) return refuseCancel(outcome, pipeline)
    return cancelAllInSlices(outcome, services, requesterOf({ caller, call }))
  },
})

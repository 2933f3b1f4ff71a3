// The acts of a profile: trades, pairs, conversions and claims, newest first (rules §9.2).

import type { MarketId, ProfileId } from '../../../engine/domain/ids.ts'
import {
  history as historyOf,
  type Place,
} from '../../../persistence/query/read/portfolio/history.ts'
import { eitherOf, hmac, open, sessionOrIdentity } from '../../auth/auth-scheme.ts'
import { cached, lasting } from '../../edge/http/caching/cache.ts'
import { invalidCursor } from '../../edge/http/cursor.ts'
import { route } from '../../edge/http/route.ts'
import { account, slug } from '../../edge/http/schema/fields.ts'
import {
  defaulted,
  integer,
  means,
  nullable,
  pattern,
  text,
} from '../../edge/http/schema/scalars.ts'
import { list, object, optional, type Values } from '../../edge/http/schema/schema.ts'
import { Refusal, refuse } from '../../messages/refusal.ts'
import { profileOf } from '../accounts/account-profile.ts'
import { ACCOUNT, ORDER_ID } from '../examples.ts'
import { publicRequester, type Requester, requesterOf } from '../reads/private-reads.ts'
import type { SharedServices } from '../shared-services.ts'
import { entry, HISTORY_MARKET_EXAMPLE, viewOf } from './history-views.ts'

const LIMIT_MAX = 100
const LIMIT_DEFAULT = 20
const PUBLIC_CACHED_SEC = 5
const CURSOR_CHARACTERS_MAX = 80
const CURSOR = /^([1-9][0-9]{0,15})\.([0-9]{1,15})\.([0-9]{1,15})$/
const FIRST: Place = { seq: Number.MAX_SAFE_INTEGER, leg: 0 }
/** A cursor holds the last act of its page, and the market of its list; 0 for all. */
function cursorOf({ seq, leg }: Place, marketId: MarketId): string {
  return Buffer.from(`${seq}.${leg}.${marketId}`).toString('base64url')
}

/** Null for a text that is not a cursor of this list. */
function placeIn(cursor: string, marketId: MarketId): Place | null {
  if (cursor === '') return FIRST
  const stated = CURSOR.exec(Buffer.from(cursor, 'base64url').toString())
  if (stated === null) return null
  const place = { seq: Number(stated[1]), leg: Number(stated[2]) }
  return cursorOf(place, marketId) === cursor ? place : null
}

const pageQuery = () => ({
  limit: means(defaulted(integer(1, LIMIT_MAX), LIMIT_DEFAULT), 'Maximum acts per page.'),
  cursor: means(
    optional(pattern(`^[A-Za-z0-9_-]{0,${CURSOR_CHARACTERS_MAX}}$`, 'Base64url text.')),
    'nextCursor of the previous page, for the same market; absent or empty for the first page.',
  ),
  market: means(optional(slug()), 'Slug of the one market to list; absent for all.'),
})

const historyPage = () =>
  object({
    data: means(list(entry()), 'The acts of this page, newest first.'),
    nextCursor: means(nullable(text()), 'Cursor of the next page; null on the last page.'),
  })

async function pageOf(
  owner: ProfileId,
  query: Values<ReturnType<typeof pageQuery>>,
  requester: Requester,
  services: SharedServices,
) {
  const { archive, reads } = services
  const named = query.market
  const one = named === undefined ? null : await archive.bySlug(named, requester)
  if (one === undefined) return refuse('READ_TIMEOUT')
  if (named !== undefined && one === null) return refuse('MARKET_NOT_FOUND')
  const marketId = one?.market.marketId ?? null
  const before = placeIn(query.cursor ?? '', marketId ?? 0)
  if (before === null) return invalidCursor()
  const requested = { owner, before, limit: query.limit, marketId }
  const page = await reads.read(historyOf, requested, requester)
  if (page === undefined) return refuse('READ_TIMEOUT')
  const ids = page.rows.map((row) => (row.what === 'TRADE' ? row.part : row.move).marketId)
  const markets = await archive.byIds(ids, requester)
  if (markets === undefined) return refuse('READ_TIMEOUT')
  const data = page.rows.flatMap((row, index) => {
    const market = markets.get(ids[index])
    return market === undefined ? [] : [viewOf(row, market, services)]
  })
  const nextCursor = page.next === null ? null : cursorOf(page.next, marketId ?? 0)
  return { data, nextCursor }
}

export const portfolioHistory = route({
  method: 'GET',
  path: '/portfolio/history',
  auth: eitherOf(hmac(), sessionOrIdentity()).forSubAccounts(),
  rateClass: 'private',
  about: 'Lists trades, splits, merges, conversions and claims of the caller, newest first.',
  query: {
    limit: means(defaulted(integer(1, LIMIT_MAX), LIMIT_DEFAULT), 'Maximum acts per page.'),
    cursor: means(
      optional(pattern(`^[A-Za-z0-9_-]{0,${CURSOR_CHARACTERS_MAX}}$`, 'Base64url text.')),
      'nextCursor of the previous page, for the same market; absent or empty for the first page.',
    ),
    market: means(optional(slug()), 'Slug of the one market to list; absent for all.'),
  },
  reply: object({
    data: means(list(entry()), 'The acts of this page, newest first.'),
    nextCursor: means(nullable(text()), 'Cursor of the next page; null on the last page.'),
  }),
  means: "A page of the caller's acts, without reversed trades.",
  rejects: ['VALIDATION', 'MARKET_NOT_FOUND', 'READ_TIMEOUT'],
  example: {
    query: { limit: 20 },
    reply: {
      data: [
        {
          blockTimestamp: 1_767_225_600,
          market: HISTORY_MARKET_EXAMPLE,
          transactionHash: null,
          collateralAmount: '45',
          outcomeIndex: 0,
          outcomeTokenAmount: '97',
          outcomeTokenAmounts: ['97', '0'],
          outcomeTokenPrice: 0.45,
          strategy: 'Market Buy',
          operation: 'buy',
          tradeEventId: '42',
          orderId: ORDER_ID,
        },
      ],
      nextCursor: cursorOf({ seq: 42, leg: 0 }, 0),
    },
  },
  handle: ({ query, owner, caller, call }, services: SharedServices) =>
    pageOf(owner, query, requesterOf({ caller, call }), services),
})

export const accountHistory = route({
  method: 'GET',
  path: '/portfolio/:account/history',
  auth: open(),
  rateClass: 'public',
  cache: cached(lasting(PUBLIC_CACHED_SEC)),
  about: 'Lists trades, splits, merges, conversions and claims of an account, without order ids.',
  params: { account: account() },
  query: pageQuery(),
  reply: historyPage(),
  means: "A page of the account's acts; empty for an unknown account.",
  rejects: ['VALIDATION', 'MARKET_NOT_FOUND', 'READ_TIMEOUT'],
  example: {
    params: { account: ACCOUNT },
    query: { limit: LIMIT_DEFAULT },
    reply: { data: [], nextCursor: null },
  },
  handle: async ({ params, query, call }, services: SharedServices) => {
    const owner = profileOf(params.account, services)
    if (owner instanceof Refusal) return owner
    const page = await pageOf(owner, query, publicRequester(call), services)
    if (page instanceof Refusal) return page
    const data = page.data.map((entry) => {
      const named = { orderId: undefined, makerMatchId: undefined, ...entry }
      const { orderId: _order, makerMatchId: _match, ...shown } = named
      return shown
    })
    return { data, nextCursor: page.nextCursor }
  },
})

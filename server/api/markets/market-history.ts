// The history of one market: trades, prices and the feed, from the read tables. Each call reads a
// bounded number of rows, whatever the length of the history or the page number.

import { LIMITS } from '../../../engine/domain/limits.ts'
import { MS_PER_SEC } from '../../../engine/domain/units.ts'
import { parseInstant } from '../../auth/api-token.ts'
import { open } from '../../auth/auth-scheme.ts'
import { cached, lasting, REVALIDATE } from '../../edge/http/caching/cache.ts'
import { route } from '../../edge/http/route.ts'
import { marketName } from '../../edge/http/schema/market-names.ts'
import { means } from '../../edge/http/schema/meaning.ts'
import { shownWith } from '../../edge/http/schema/printed.ts'
import { defaulted, integer, oneOf, text } from '../../edge/http/schema/scalars.ts'
import { list, object, optional, type Values } from '../../edge/http/schema/schema.ts'
import { invalid, Refusal, refuse } from '../../messages/refusal.ts'
import { publicRequester } from '../reads/private-reads.ts'
import {
  EVENT_EXAMPLE,
  FEED_EXAMPLE,
  feedEvent,
  marketEvent,
  priceHistory,
  SERIES_EXAMPLE,
  TAPE_EXAMPLE,
  tapeTrade,
} from './history-shapes.ts'
import { INTERVALS, windowOf } from './price-intervals.ts'
import type { MarketServices } from './services.ts'

const PAGES_MAX = 1_000_000_000
const { marketTradesLimitMax } = LIMITS

const paging = () => ({
  page: means(defaulted(integer(1, PAGES_MAX), 1), 'Page to list, counted from 1.'),
  limit: means(
    defaulted(integer(1, marketTradesLimitMax), marketTradesLimitMax),
    'Maximum entries per page.',
  ),
})

const totalPages = () => means(integer(0), 'Number of pages of this limit.')

/** The result, or the refusal when it is missing. */
function foundOr<T extends object>(found: T | null | undefined) {
  if (found === undefined) return refuse('READ_TIMEOUT')
  return found ?? refuse('MARKET_NOT_FOUND')
}

export const marketEvents = route({
  method: 'GET',
  path: '/markets/:slug/events',
  auth: open(),
  rateClass: 'public',
  cache: cached(REVALIDATE, ['MARKET_NOT_FOUND', lasting(300, 300)]),
  about: 'Lists finalized (MINED) trades of one market or of all markets of a group, newest first.',
  params: { slug: marketName() },
  query: paging(),
  reply: object({
    events: means(list(marketEvent()), 'Trades of this page, most recently mined first.'),
    totalPages: totalPages(),
    page: means(optional(integer(1)), 'The requested page; absent without events.'),
    limit: means(optional(integer(1)), 'The requested limit; absent without events.'),
  }),
  means: 'One page of trades; after the last page, only events and totalPages.',
  rejects: ['MARKET_NOT_FOUND', 'READ_TIMEOUT'],
  example: {
    params: { slug: 'rain-tomorrow' },
    reply: { events: [EVENT_EXAMPLE], totalPages: 1, page: 1, limit: 100 },
  },
  handle: async ({ params, query, call }, { history }: MarketServices) =>
    foundOr(
      await history.events({ slug: params.slug, wanted: query, requester: publicRequester(call) }),
    ),
})

export const marketFeed = route({
  method: 'GET',
  path: '/markets/:slug/get-feed-events',
  auth: open(),
  rateClass: 'public',
  cache: cached(REVALIDATE),
  about:
    'Lists the events of a market or a group, newest first: trades, its creation, its resolution.',
  params: { slug: marketName() },
  query: paging(),
  reply: object({
    data: means(
      object({
        data: means(list(feedEvent()), 'Events, newest first.'),
        totalPages: totalPages(),
      }),
      'One page of the feed.',
    ),
  }),
  means: 'One page of the feed; empty after the last page.',
  rejects: ['MARKET_NOT_FOUND', 'READ_TIMEOUT'],
  example: {
    params: { slug: 'rain-tomorrow' },
    reply: { data: { data: [FEED_EXAMPLE], totalPages: 1 } },
  },
  handle: async ({ params, query, call }, { history }: MarketServices) => {
    const wanted = { slug: params.slug, wanted: query, requester: publicRequester(call) }
    const feed = await history.feed(wanted)
    return foundOr(feed && { data: feed })
  },
})

const SECONDS = /^[0-9]{1,11}$/
const DATE = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/
/** Thirty days. */
const FIDELITY_MAX = 43_200

/** Unix ms of Unix seconds or of an ISO 8601 date or time; NaN for anything else. */
function timeOf(text: string): number {
  if (SECONDS.test(text)) return Number(text) * MS_PER_SEC
  return DATE.test(text) ? Date.parse(text) : parseInstant(text)
}

const CLOCK = '[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,9})?(Z|[+-][0-9]{2}:[0-9]{2})'
const TIME = `^([0-9]{1,11}|[0-9]{4}-[0-9]{2}-[0-9]{2}(T${CLOCK})?)$`

const time = (what: string) =>
  means(shownWith(optional(text(40, 1)), { pattern: TIME }), `${what} Unix seconds or ISO 8601.`)

const priceQuery = () => ({
  interval: means(
    optional(oneOf(...INTERVALS)),
    'Period before to: 5m in steps of 5 s, 1h of 1 min, 6h of 5 min, 1d of 10 min, ' +
      `1w of 1 h, 1m (30 days) of 6 h; all in at most ${LIMITS.pricePointsMax} steps. 1d by ` +
      'default; ignored when from is given.',
  ),
  from: time('Start of the series:'),
  to: time('End of the series, now when absent or in the future:'),
  fidelity: means(
    optional(integer(1, FIDELITY_MAX)),
    `Minutes between points; at most ${LIMITS.pricePointsMax} points are returned. Without ` +
      'from and interval, the newest points are returned.',
  ),
})

/** The window of a call, or its error. */
function windowIn(query: Values<ReturnType<typeof priceQuery>>, nowMs: number) {
  const { interval, from, to, fidelity } = query
  const times = { from: timeOf(from ?? '0'), to: timeOf(to ?? '0') }
  const wrong = (['from', 'to'] as const).filter((field) => Number.isNaN(times[field]))
  const message =
    'must be Unix seconds, not milliseconds, or an ISO 8601 date or time with its zone'
  if (wrong.length > 0) return invalid(...wrong.map((field) => ({ field, message })))
  const untilMs = to === undefined ? nowMs : Math.min(nowMs, times.to)
  const fromMs = from === undefined ? undefined : times.from
  if (fromMs !== undefined && fromMs > untilMs) {
    return invalid({ field: 'from', message: 'must not be later than to, or than now' })
  }
  const window = windowOf({ interval, fromMs, untilMs, fidelity })
  if (!('fidelityMin' in window)) return window
  const least = `at most ${LIMITS.pricePointsMax} points fit: choose ${window.fidelityMin} or more`
  return invalid({ field: 'fidelity', message: `gives too many points for this period; ${least}` })
}

export const historicalPrice = route({
  method: 'GET',
  path: '/markets/:slug/historical-price',
  auth: open(),
  rateClass: 'public',
  cache: cached(lasting(1)),
  about: 'Returns YES prices of one market over time, newest first, by interval or fidelity.',
  params: { slug: marketName() },
  query: priceQuery(),
  reply: priceHistory(),
  means: 'The series of a market, or those of the markets of a group.',
  rejects: ['VALIDATION', 'MARKET_NOT_FOUND', 'READ_TIMEOUT'],
  example: { params: { slug: 'rain-tomorrow' }, reply: SERIES_EXAMPLE },
  handle: async ({ params, query, call }, { history, clock }: MarketServices) => {
    const wanted = windowIn(query, clock())
    if (wanted instanceof Refusal) return wanted
    return foundOr(
      await history.prices({ slug: params.slug, wanted, requester: publicRequester(call) }),
    )
  },
})

export const marketTrades = route({
  method: 'GET',
  path: '/markets/:slug/trades',
  auth: open(),
  rateClass: 'public',
  cache: cached(REVALIDATE),
  about:
    'Returns the public tape of a market or group by ascending seq; fills gaps of the socket tape.',
  params: { slug: marketName() },
  query: {
    afterSeq: means(
      optional(integer(0)),
      'Only trades after this seq, oldest first; absent for the newest trades.',
    ),
    limit: means(
      defaulted(integer(1, marketTradesLimitMax), marketTradesLimitMax),
      'Maximum trades in the reply.',
    ),
  },
  reply: object({ trades: means(list(tapeTrade()), 'Trades by ascending seq.') }),
  means: 'Durable trades, mined or not.',
  rejects: ['MARKET_NOT_FOUND', 'READ_TIMEOUT'],
  example: { params: { slug: 'rain-tomorrow' }, reply: { trades: [TAPE_EXAMPLE] } },
  handle: async ({ params, query, call }, { history }: MarketServices) => {
    const { afterSeq = null, limit } = query
    const requested = {
      slug: params.slug,
      wanted: { afterSeq, limit },
      requester: publicRequester(call),
    }
    const trades = await history.trades(requested)
    return foundOr(trades && { trades })
  },
})

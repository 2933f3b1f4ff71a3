// What happened in one market: trades, prices and the feed, from the read tables. Each reads a
// bounded number of rows, however long the history is and however far back the page is.

import { LIMITS } from '../../../engine/domain/limits.ts'
import { open } from '../../http/access/auth-scheme.ts'
import { cached, lasting, REVALIDATE } from '../../http/caching/cache.ts'
import { refuse } from '../../http/refusal.ts'
import { route } from '../../http/route.ts'
import { marketName } from '../../http/schema/market-names.ts'
import { means } from '../../http/schema/meaning.ts'
import { defaulted, integer, oneOf } from '../../http/schema/scalars.ts'
import { list, object, optional } from '../../http/schema/schema.ts'
import { INTERVALS } from '../../services/markets/price-intervals.ts'
import { publicAsker } from '../../services/private-reads.ts'
import type { Services } from '../services.ts'
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

const PAGES_MAX = 1_000_000_000
const { marketTradesLimitMax } = LIMITS

const paging = () => ({
  page: means(defaulted(integer(1, PAGES_MAX), 1), 'Which page to show, counted from 1.'),
  limit: means(
    defaulted(integer(1, marketTradesLimitMax), marketTradesLimitMax),
    'Most entries on a page.',
  ),
})

const totalPages = () => means(integer(0), 'How many pages of this limit there are.')

/** The answer, or the refusal that stands for none. */
function foundOr<T extends object>(found: T | null | undefined) {
  if (found === undefined) return refuse('READ_TIMEOUT')
  return found ?? refuse('MARKET_NOT_FOUND')
}

export const marketEvents = route({
  method: 'GET',
  path: '/markets/:slug/events',
  auth: open(),
  lane: 'public',
  cache: cached(REVALIDATE, ['MARKET_NOT_FOUND', lasting(300, 300)]),
  about: 'Finalized (MINED) trades of one market or of all markets of a group, newest first.',
  params: { slug: marketName() },
  query: paging(),
  reply: object({
    events: means(list(marketEvent()), 'Trades of this page, the one mined last first.'),
    totalPages: totalPages(),
    page: means(optional(integer(1)), 'The page that was asked for; absent without events.'),
    limit: means(optional(integer(1)), 'The limit that was asked for; absent without events.'),
  }),
  means: 'One page of trades; a page behind the last has only events and totalPages.',
  rejects: ['MARKET_NOT_FOUND', 'READ_TIMEOUT'],
  example: {
    params: { slug: 'rain-tomorrow' },
    reply: { events: [EVENT_EXAMPLE], totalPages: 1, page: 1, limit: 100 },
  },
  handle: async ({ params, query, call }, { history }: Services) =>
    foundOr(await history.events({ slug: params.slug, wish: query, asker: publicAsker(call) })),
})

export const marketFeed = route({
  method: 'GET',
  path: '/markets/:slug/get-feed-events',
  auth: open(),
  lane: 'public',
  cache: cached(REVALIDATE),
  about:
    'What happened in a market or a group, newest first: trades, its creation, its resolution.',
  params: { slug: marketName() },
  query: paging(),
  reply: object({
    data: means(
      object({
        data: means(list(feedEvent()), 'What happened, newest first.'),
        totalPages: totalPages(),
      }),
      'One page of the feed.',
    ),
  }),
  means: 'One page of the feed; a page behind the last is empty.',
  rejects: ['MARKET_NOT_FOUND', 'READ_TIMEOUT'],
  example: {
    params: { slug: 'rain-tomorrow' },
    reply: { data: { data: [FEED_EXAMPLE], totalPages: 1 } },
  },
  handle: async ({ params, query, call }, { history }: Services) => {
    const wish = { slug: params.slug, wish: query, asker: publicAsker(call) }
    const feed = await history.feed(wish)
    return foundOr(feed && { data: feed })
  },
})

export const historicalPrice = route({
  method: 'GET',
  path: '/markets/:slug/historical-price',
  auth: open(),
  lane: 'public',
  cache: cached(lasting(1)),
  about: 'YES prices of one market over time, newest first, in steps that the interval sets.',
  params: { slug: marketName() },
  query: {
    interval: means(
      defaulted(oneOf(...INTERVALS), '1d'),
      'How far back: 5m in steps of 5 s, 1h of 1 min, 6h of 5 min, 1d of 10 min, 1w of 1 h, 1m ' +
        `(30 days) of 6 h; all in at most ${LIMITS.pricePointsMax} steps.`,
    ),
  },
  reply: priceHistory(),
  means: 'The series of a market, or those of the markets of a group.',
  rejects: ['MARKET_NOT_FOUND', 'READ_TIMEOUT'],
  example: { params: { slug: 'rain-tomorrow' }, reply: SERIES_EXAMPLE },
  handle: async ({ params, query, call }, { history }: Services) =>
    foundOr(
      await history.prices({ slug: params.slug, wish: query.interval, asker: publicAsker(call) }),
    ),
})

export const marketTrades = route({
  method: 'GET',
  path: '/markets/:slug/trades',
  auth: open(),
  lane: 'public',
  cache: cached(REVALIDATE),
  about: 'The public tape of a market or a group, by rising seq: it fills gaps of the socket tape.',
  params: { slug: marketName() },
  query: {
    afterSeq: means(
      optional(integer(0)),
      'Only trades after this seq, oldest first; absent for the newest trades.',
    ),
    limit: means(
      defaulted(integer(1, marketTradesLimitMax), marketTradesLimitMax),
      'Most trades of the reply.',
    ),
  },
  reply: object({ trades: means(list(tapeTrade()), 'Trades by rising seq.') }),
  means: 'Trades that are durable, whether mined yet or not.',
  rejects: ['MARKET_NOT_FOUND', 'READ_TIMEOUT'],
  example: { params: { slug: 'rain-tomorrow' }, reply: { trades: [TAPE_EXAMPLE] } },
  handle: async ({ params, query, call }, { history }: Services) => {
    const { afterSeq = null, limit } = query
    const asked = { slug: params.slug, wish: { afterSeq, limit }, asker: publicAsker(call) }
    const trades = await history.trades(asked)
    return foundOr(trades && { trades })
  },
})

import { LIMITS } from '../../../engine/domain/limits.ts'
import { MS_PER_SEC } from '../../../engine/domain/units.ts'
import { open } from '../../auth/auth-scheme.ts'
import { parseInstant } from '../../auth/hmac-signature.ts'
import { cached, lasting, REVALIDATE } from '../../edge/http/caching/cache.ts'
import { route } from '../../edge/http/route.ts'
import {
  account,
  address,
  bytes32,
  isoTime,
  marketName,
  profileId,
  shownUsername,
  uint256Text,
} from '../../edge/http/schema/fields.ts'
import {
  boolean,
  defaulted,
  integer,
  means,
  named,
  nullable,
  number,
  oneOf,
  shownWith,
  text,
} from '../../edge/http/schema/scalars.ts'
import {
  anyOf,
  list,
  object,
  optional,
  schemaOf,
  type Values,
} from '../../edge/http/schema/schema.ts'
import { invalid, Refusal, refuse } from '../../messages/refusal.ts'
import { nameToShow } from '../accounts/profile-fields.ts'
import { MARKET_EXAMPLE, TRADER_EXAMPLE } from '../examples.ts'
import { publicRequester } from '../reads/private-reads.ts'
import type { MarketServices } from './services.ts'
import { INTERVALS, windowOf } from './services.ts'

// Schemas of a market's history, with an example of each (rules §12.3).

const AT = MARKET_EXAMPLE.createdAt
const { slug, title } = MARKET_EXAMPLE

const trader = () =>
  object({
    id: profileId(),
    account: account(),
    username: shownUsername(),
    displayName: nameToShow(),
    bio: means(nullable(text()), 'Biography of the trader; null without one.'),
    client: means(text(), 'Kind of wallet that logs in: eoa, etherspot or base.'),
    pfpUrl: means(nullable(text()), 'Link to the picture of the trader; null without one.'),
    smartWallet: means(nullable(address()), 'Proven smart wallet of the trader; null for none.'),
    isCreator: means(boolean(), 'Whether the trader creates markets; always false here.'),
    socialUrl: means(nullable(text()), 'Link to a page of the trader; null without one.'),
  })

const marketEvent = () =>
  named(
    'MarketEvent',
    object({
      createdAt: means(isoTime(), 'When the orders matched.'),
      txHash: means(nullable(bytes32()), 'Transaction that settled the trade.'),
      side: means(integer(0, 1), 'Side of the taker: 0 for a buy, 1 for a sell.'),
      price: means(number(0, 1), 'Average price of one share, at most six decimals.'),
      fills: means(
        list(
          object({
            price: means(number(0, 1), 'Token price of these fills.'),
            size: means(integer(1), 'Raw shares traded at this price.'),
          }),
          1,
        ),
        'Fills by price, best price first.',
      ),
      matchedSize: means(uint256Text(), 'Raw shares traded.'),
      tokenId: means(uint256Text(), 'Token that the taker bought or sold.'),
      makerAmount: means(integer(0), 'Raw units that the taker gave, before fees.'),
      takerAmount: means(integer(0), 'Raw units that the taker received, before fees.'),
      title: means(text(), 'The question of the traded market, also for a group.'),
      tradeEventId: means(uint256Text(), 'Id of the trade, as in the reply to its order.'),
      profile: means(
        anyOf(trader(), schemaOf<null>({ type: 'null' })),
        'The taker of the trade; null when its profile is unknown.',
      ),
    }),
  )

const EVENT_EXAMPLE = {
  createdAt: AT,
  txHash: `0x${'ab'.repeat(32)}`,
  side: 0,
  price: 0.52,
  fills: [{ price: 0.52, size: 100_000_000 }],
  matchedSize: '100000000',
  tokenId: MARKET_EXAMPLE.tokens.yes,
  makerAmount: 52_000_000,
  takerAmount: 100_000_000,
  title,
  tradeEventId: '420',
  profile: { ...TRADER_EXAMPLE, isCreator: false },
}

const feedUser = () =>
  object({
    name: means(text(), 'Display name of the profile; outcomex for the exchange itself.'),
    rankName: means(nullable(text()), 'Name of its rank; null without one.'),
  })

const feedData = () =>
  object({
    slug: means(text(), 'Slug of the market.'),
    title: means(text(), 'The question of the market.'),
    strategy: means(optional(oneOf('Buy', 'Sell')), 'What the taker did; only for a trade.'),
    outcome: means(
      optional(nullable(oneOf('YES', 'NO'))),
      'Outcome traded or that won; null if the payout is split; absent for a creation.',
    ),
    price: means(optional(number(0, 1)), 'Average price of one share; only for a trade.'),
    contracts: means(optional(uint256Text()), 'Raw shares traded; only for a trade.'),
    tradeAmount: means(optional(uint256Text()), 'Raw collateral of the shares; only for a trade.'),
    tradeEventId: means(optional(uint256Text()), 'Id of the trade; only for a trade.'),
  })

const feedEvent = () =>
  named(
    'MarketFeedEvent',
    object({
      eventType: means(
        oneOf('NEW_TRADE', 'MARKET_CREATED', 'MARKET_RESOLVED'),
        'Kind of event; a trade is listed once it is mined.',
      ),
      timestamp: means(isoTime(), 'When it happened.'),
      user: means(feedUser(), 'Profile that acted.'),
      data: means(feedData(), 'Details of the event.'),
    }),
  )

const FEED_EXAMPLE = {
  eventType: 'NEW_TRADE' as const,
  timestamp: AT,
  user: { name: 'alice', rankName: 'Bronze' },
  data: {
    slug,
    title,
    strategy: 'Buy' as const,
    outcome: 'YES' as const,
    price: 0.52,
    contracts: '100000000',
    tradeAmount: '52000000',
    tradeEventId: '420',
  },
}

const pricePoint = () =>
  object({
    price: means(
      number(0, 1),
      'YES price of the last trade up to the end of the step, without reversed ' + 'trades.',
    ),
    timestamp: means(isoTime(), 'When the step begins.'),
  })

const seriesFields = () => ({
  title: means(text(), 'The question of the market.'),
  prices: means(
    list(pricePoint()),
    'Points of the series, newest first; none before the first trade, none after a resolution.',
  ),
})

/** The series of a market, or one for each market of a group. */
const priceHistory = () =>
  anyOf(
    object(seriesFields()),
    list(object({ slug: means(text(), 'Slug of the market.'), ...seriesFields() })),
  )

const SERIES_EXAMPLE = { title, prices: [{ price: 0.52, timestamp: AT }] }

const tapeTrade = () =>
  named(
    'Trade',
    object({
      seq: means(integer(1), 'Seq of the command that traded; it increases with each trade.'),
      prevSeq: means(integer(0), 'The seq of the previous trade on this tape; 0 for the first.'),
      price: means(number(0, 1), 'Average YES price of the fills, with at most six decimals.'),
      fills: means(
        list(
          object({
            price: means(number(0, 1), 'YES price of these fills.'),
            size: means(integer(1), 'Raw shares traded at this price.'),
          }),
          1,
        ),
        'Fills by price, best price first.',
      ),
      size: means(integer(1), 'Raw shares traded.'),
      side: means(oneOf('BUY', 'SELL'), 'Side of the taker in YES: a buy of NO is a sell of YES.'),
      timestamp: means(isoTime(), 'When the orders matched.'),
      tradeEventId: means(uint256Text(), 'Id of the trade, as in the reply to its order.'),
      marketSlug: means(
        optional(text()),
        'Slug of the traded market; only on the tape of a group.',
      ),
      busted: means(optional(boolean()), 'True if the trade was reversed; otherwise absent.'),
    }),
  )

const TAPE_EXAMPLE = {
  seq: 420,
  prevSeq: 417,
  price: 0.52,
  fills: [{ price: 0.52, size: 100_000_000 }],
  size: 100_000_000,
  side: 'BUY' as const,
  timestamp: AT,
  tradeEventId: '420',
}

// The history of one market: trades, prices and the feed, from the read tables. Each call reads a
// bounded number of rows, whatever the length of the history or the page number.

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

// Series of recurring markets: their timelines, the market of the current slot, and the candles of
// their oracle (rules §10.3, §10.4). They are read from the tables, which hold every slot.

import { LIMITS } from '../../../engine/domain/limits.ts'
import {
  FREQUENCIES,
  isSlotLength,
  SLOT_STATES,
  SUB_FREQUENCIES,
} from '../../../engine/domain/markets/series.ts'
import { CANDLE_INTERVALS } from '../../../persistence/follower/tables/markets/oracle-candles.ts'
import { oracleCandles } from '../../../persistence/query/read/markets/oracle-candles.ts'
import { open } from '../../auth/auth-scheme.ts'
import { cached, lasting, REVALIDATE } from '../../edge/http/caching/cache.ts'
import { bytes, fresh } from '../../edge/http/reply.ts'
import { route } from '../../edge/http/route.ts'
import { addressOrSlug, isoTime, marketName } from '../../edge/http/schema/fields.ts'
import {
  boolean,
  defaulted,
  integer,
  means,
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
  type Schema,
  schemaOf,
} from '../../edge/http/schema/schema.ts'
import { orderbookListSteps } from '../../exchange/read-model/book-lists.ts'
import { invalid, refuse } from '../../messages/refusal.ts'
import { BOOK_EXAMPLE, MARKET_EXAMPLE } from '../examples.ts'
import { publicRequester, workFor } from '../reads/private-reads.ts'
import type { Steps } from '../reads/sliced-work.ts'
import { orderbook } from '../shapes.ts'
import { detailOf, include, marketReply } from './markets.ts'
import { candleView, type MarketServices } from './services.ts'

const BEFORE = 1
const AFTER = 24
const BY_SYMBOL = 10
const MS_PER_SEC = 1000
/** The last second whose ISO 8601 text has a four-digit year. */
const LAST_SECOND = 253_402_300_799
/** A chart includes the prices before the creation of its market. */
const LEAD_MS = 15 * 60_000

const orNull = <S extends Schema>(schema: S) => anyOf(schema, schemaOf<null>({ type: 'null' }))

const slotFields = () => ({
  slotId: means(integer(1), 'Id of the slot: that of its market.'),
  slug: means(text(), 'Slug of the market of the slot.'),
  state: means(oneOf(...SLOT_STATES), 'State of the slot; orders are accepted while OPEN.'),
  tradable: means(boolean(), 'Whether orders are accepted now.'),
  startAt: means(isoTime(), 'When the slot begins.'),
  endAt: means(isoTime(), 'When the slot ends.'),
})

const countdownSec = () =>
  means(
    integer(0),
    'Seconds until a PRE_OPEN slot begins, or until any other slot ends; 0 when that has passed.',
  )
const timed = () => object({ ...slotFields(), countdownSec: countdownSec() })

const fields = () => ({
  current: means(orNull(timed()), 'The trading slot, else the nearest; null without one.'),
  next: means(orNull(timed()), 'The slot after the current one; null without one.'),
  batch: means(
    list(
      object({ ...slotFields(), index: means(integer(), 'Offset from the anchor, which is 0.') }),
    ),
    'Slots around the anchor, by ascending start.',
  ),
})

const ofSlug = () =>
  object({
    ...fields(),
    anchor: means(
      orNull(object({ slotId: slotFields().slotId, slug: slotFields().slug })),
      'The slot at offset 0; null without one.',
    ),
    job: means(
      object({
        id: means(integer(1), 'Id of the series.'),
        symbol: means(text(), 'Symbol of the asset.'),
        frequency: means(oneOf(...FREQUENCIES), 'How often a slot begins.'),
        subFrequency: means(
          nullable(oneOf(...SUB_FREQUENCIES)),
          'Length of a slot of a minutely or hourly series; null for others.',
        ),
        stableSlug: means(text(), 'Slug of its current slot in /markets/stable/:slug.'),
      }),
      'The series of the slot.',
    ),
  })

const SLOT = {
  slotId: 7,
  slug: 'btc-5m-1771934700',
  state: 'OPEN' as const,
  tradable: true,
  startAt: '2026-02-24T12:05:00.000Z',
  endAt: '2026-02-24T12:10:00.000Z',
}
const CURRENT = { ...SLOT, countdownSec: 142 }
const SHOWN = { current: CURRENT, next: null, batch: [{ ...SLOT, index: 0 }] }
const SERIES_EXAMPLE = {
  id: 1,
  symbol: 'BTC',
  frequency: 'minutely' as const,
  subFrequency: 'minutes_5' as const,
  stableSlug: 'btc-5min-price',
}

/** Clients that poll every second are mostly answered by a cache. */
const TIMELINE_SEC = 3

const around = (most: number, meaning: string) =>
  means(defaulted(integer(0, LIMITS.timelineSlotsMax), most), meaning)

export const timelineBySymbol = route({
  method: 'GET',
  path: '/markets/timeline',
  auth: open(),
  rateClass: 'public',
  cache: cached(lasting(TIMELINE_SEC)),
  about: 'Returns the slots of a series around its current one.',
  query: {
    symbol: means(text(32, 1), 'Symbol of the asset, such as BTC.'),
    frequency: means(oneOf(...FREQUENCIES), 'How often a slot begins.'),
    subFrequency: means(
      optional(oneOf(...SUB_FREQUENCIES)),
      'Length of a slot; required for minutely and hourly series, absent for others.',
    ),
    before: around(BY_SYMBOL, 'How many slots before the current one.'),
    after: around(BY_SYMBOL, 'How many slots after the current one.'),
  },
  reply: object(fields()),
  means: 'The slots of the newest series of this symbol and frequency.',
  rejects: ['VALIDATION', 'SERIES_NOT_FOUND', 'READ_TIMEOUT'],
  example: {
    query: { symbol: 'BTC', frequency: 'minutely', subFrequency: 'minutes_5', before: 0, after: 0 },
    reply: SHOWN,
  },
  handle: async ({ query: requested, call }, { timelines }: MarketServices) => {
    const { symbol, frequency, subFrequency = null, before, after } = requested
    if (!isSlotLength({ frequency, subFrequency })) {
      const message =
        'is not a valid slot length for this frequency; daily and weekly series have none'
      return invalid({ field: 'subFrequency', message })
    }
    const series = { symbol, frequency, subFrequency: subFrequency ?? '' }
    const found = await timelines.around({ series, before, after }, publicRequester(call))
    if (found === undefined) return refuse('READ_TIMEOUT')
    return found === null ? refuse('SERIES_NOT_FOUND') : found.slots
  },
})

export const timelineBySlug = route({
  method: 'GET',
  path: '/markets/:slug/timeline',
  auth: open(),
  rateClass: 'public',
  cache: cached(lasting(TIMELINE_SEC)),
  about: 'Returns the slots of a series around the slot of one market.',
  params: { slug: marketName() },
  query: {
    before: around(BEFORE, 'How many slots before the anchor.'),
    after: around(AFTER, 'How many slots after the anchor.'),
  },
  reply: ofSlug(),
  means: 'The slots around the slot of this market.',
  rejects: ['MARKET_NOT_FOUND', 'READ_TIMEOUT'],
  example: {
    params: { slug: SLOT.slug },
    query: { before: 0, after: 0 },
    reply: { ...SHOWN, anchor: { slotId: SLOT.slotId, slug: SLOT.slug }, job: SERIES_EXAMPLE },
  },
  handle: async ({ params, query: { before, after }, call }, { timelines }: MarketServices) => {
    const series = { slug: params.slug }
    const found = await timelines.around({ series, before, after }, publicRequester(call))
    if (found === undefined) return refuse('READ_TIMEOUT')
    return found === null ? refuse('MARKET_NOT_FOUND') : { ...found.slots, ...found.of }
  },
})

export const stableMarket = route({
  method: 'GET',
  path: '/markets/stable/:slug',
  auth: open(),
  rateClass: 'public',
  cache: cached(REVALIDATE),
  about: 'Returns the market of the current slot of a series, by its stable slug.',
  params: { slug: marketName() },
  query: { include: include() },
  reply: marketReply(),
  means: 'The current market; in an envelope when something is included.',
  rejects: ['VALIDATION', 'MARKET_NOT_FOUND', 'READ_TIMEOUT'],
  example: { params: { slug: 'btc-5min-price' }, reply: MARKET_EXAMPLE },
  handle: async ({ params, query, call }, services: MarketServices) => {
    const series = { stableSlug: params.slug }
    const requester = publicRequester(call)
    const found = await services.timelines.around({ series, before: 0, after: 0 }, requester)
    if (found === undefined) return refuse('READ_TIMEOUT')
    const { current } = found?.slots ?? { current: null }
    if (current === null) return refuse('MARKET_NOT_FOUND')
    return detailOf({ slug: current.slug, include: query.include, requester }, services)
  },
})

const candle = () =>
  object({
    timestamp: means(integer(), 'Start of the candle in Unix seconds.'),
    open: means(number(0), 'Price of its first report.'),
    high: means(number(0), 'Highest price of its reports.'),
    low: means(number(0), 'Lowest price of its reports.'),
    close: means(number(0), 'Price of its last report.'),
    volume: means(number(0), 'Always 0: an oracle has no trades.'),
  })

export const candles = route({
  method: 'GET',
  path: '/markets/:addressOrSlug/oracle-candles',
  auth: open(),
  rateClass: 'public',
  cache: cached(lasting(1)),
  about: 'Returns candles of the oracle price of the asset of a slot.',
  params: { addressOrSlug: addressOrSlug() },
  query: {
    from: means(
      optional(integer(0, LAST_SECOND)),
      'Start in Unix seconds; 15 minutes before the market was created by default.',
    ),
    to: means(optional(integer(0, LAST_SECOND)), 'End in Unix seconds; now by default.'),
    interval: means(
      defaulted(oneOf('1m', '5m', '15m', '1h', '4h', '1d'), '1m'),
      'Length of a candle.',
    ),
  },
  reply: object({
    interval: means(text(), 'Length of a candle.'),
    source: means(text(), 'Source of the prices.'),
    symbol: means(text(), 'Symbol of the asset and the currency of its price.'),
    timestampStart: means(integer(), 'Requested start, in Unix seconds.'),
    timestampEnd: means(integer(), 'Requested end, in Unix seconds.'),
    rows: means(list(candle()), 'Candles by ascending time; none without oracle reports.'),
  }),
  means: 'The candles of this range; for a longer range, the first 5,000.',
  rejects: ['VALIDATION', 'MARKET_NOT_FOUND', 'NO_ORACLE', 'READ_TIMEOUT'],
  example: {
    params: { addressOrSlug: SLOT.slug },
    query: { interval: '5m' },
    reply: {
      interval: '5m',
      source: 'internal',
      symbol: 'BTC/USD',
      timestampStart: 1_771_934_700,
      timestampEnd: 1_771_935_000,
      rows: [
        {
          timestamp: 1_771_934_700,
          open: 95_000,
          high: 95_100,
          low: 94_900,
          close: 95_050,
          volume: 0,
        },
      ],
    },
  },
  handle: async ({ params, query, call }, services: MarketServices) => {
    const requester = publicRequester(call)
    const { reads, timelines, archive, clock } = services
    const found = await archive.byAddressOrSlug(params.addressOrSlug, requester)
    if (found === undefined) return refuse('READ_TIMEOUT')
    if (found === null) return refuse('MARKET_NOT_FOUND')
    if (found.market.slot === undefined) return refuse('NO_ORACLE')
    const firstMs = found.market.createdMs - LEAD_MS
    const from = query.from ?? Math.floor(firstMs / MS_PER_SEC)
    const to = query.to ?? Math.floor(clock() / MS_PER_SEC)
    if (from > to) return invalid({ field: 'from', message: 'must not be later than to' })
    const series = { slug: found.market.slug }
    const line = await timelines.around({ series, before: 0, after: 0 }, requester)
    if (line === undefined) return refuse('READ_TIMEOUT')
    if (line === null) return refuse('MARKET_NOT_FOUND')
    const { symbol } = line.of.job
    const rows = await reads.read(
      oracleCandles,
      {
        symbol,
        intervalMs: CANDLE_INTERVALS[query.interval],
        fromMs: from * MS_PER_SEC,
        toMs: to * MS_PER_SEC,
        limit: LIMITS.candlesMax,
      },
      requester,
    )
    if (rows === undefined) return refuse('READ_TIMEOUT')
    const head = {
      interval: query.interval,
      source: 'internal',
      symbol: `${symbol}/USD`,
      timestampStart: from,
      timestampEnd: to,
    }
    const by = workFor(requester, services.pipeline)
    const shown = await services.slices.run(by, candlesText(head, rows))
    return shown === null ? refuse('OVERLOADED') : bytes(shown)
  },
})

type CandleRows = readonly Parameters<typeof candleView>[0][]

/** Candles encoded per step. */
const CANDLES_A_STEP = 100

function* candlesText(head: object, rows: CandleRows): Steps<string> {
  const parts: string[] = []
  for (let from = 0; from < rows.length; from += CANDLES_A_STEP) {
    const some = rows.slice(from, from + CANDLES_A_STEP)
    parts.push(some.map((row) => JSON.stringify(candleView(row))).join(','))
    yield
  }
  return `${JSON.stringify(head).slice(0, -1)},"rows":[${parts.join(',')}]}`
}

// Many markets in one reply, from bytes that are encoded once per version.

const priceOrNull = (meaning: string) => means(nullable(number(0, 1)), meaning)

const ticker = () =>
  object({
    slug: means(text(), 'Slug of the market.'),
    last: priceOrNull('YES price of the last trade; null before the first.'),
    bid: priceOrNull('Best bid for YES; null without one.'),
    ask: priceOrNull('Best ask for YES; null without one.'),
    volume24h: means(text(), 'Collateral traded in the last 24 hours, raw units as decimal text.'),
    open24h: priceOrNull('First YES price of the last 24 hours; null without a trade.'),
    high24h: priceOrNull('Highest YES price of the last 24 hours; null without a trade.'),
    low24h: priceOrNull('Lowest YES price of the last 24 hours; null without a trade.'),
    change24h: means(
      nullable(number(-1, 1)),
      'Last price minus the first price of the last 24 hours; null without a trade.',
    ),
  })

const TICKER = {
  slug: MARKET_EXAMPLE.slug,
  last: 0.52,
  bid: 0.48,
  ask: 0.55,
  volume24h: '52000000',
  open24h: 0.5,
  high24h: 0.53,
  low24h: 0.49,
  change24h: 0.02,
}

export const tickers = route({
  method: 'GET',
  path: '/markets/tickers',
  auth: open(),
  rateClass: 'public',
  cache: cached(lasting(1)),
  about: 'Returns a ticker of each active market: last price, best prices, and the last 24 hours.',
  reply: object({
    timestamp: means(isoTime(), 'When the tickers were made; a reply is at most one second old.'),
    tickers: means(list(ticker()), 'Active markets, newest first.'),
  }),
  means: 'Every active market, in one list. The 24 hours are counted in steps of five minutes.',
  example: { reply: { timestamp: MARKET_EXAMPLE.createdAt, tickers: [TICKER] } },
  handle: (_input, services: MarketServices) =>
    fresh(services.tickers.bytes(), services.tickers.freshness()),
})

const SLUG = /^[a-z0-9][a-z0-9-]{0,127}$/
/** As shown in documents, without the length of a slug: many languages limit nested repeats. */
const SLUGS = `^[a-z0-9][a-z0-9-]*(,[a-z0-9][a-z0-9-]*){0,${LIMITS.orderbooksMax - 1}}$`
const { orderbooksMax, querySlugsCharactersMax } = LIMITS

export const orderbooks = route({
  method: 'GET',
  path: '/markets/orderbooks',
  auth: open(),
  rateClass: 'public',
  cache: cached(REVALIDATE),
  about: 'Returns the live YES books of several active markets.',
  query: {
    slugs: means(
      shownWith(text(querySlugsCharactersMax, 1), { pattern: SLUGS }),
      `Slugs of up to ${orderbooksMax} markets, separated by commas.`,
    ),
  },
  reply: object({
    books: means(
      list(
        object({
          slug: means(text(), 'Slug of the market.'),
          book: means(orderbook(), 'The current book of the market.'),
        }),
      ),
      'Books in the order of the slugs; a repeated slug is returned once.',
    ),
    missing: means(list(text()), 'Slugs without an active market.'),
  }),
  means: 'The books, each as of its timestamp.',
  example: {
    query: { slugs: 'rain-tomorrow,never-there' },
    reply: {
      books: [{ slug: MARKET_EXAMPLE.slug, book: BOOK_EXAMPLE }],
      missing: ['never-there'],
    },
  },
  handle: async ({ query, call }, { pipeline, clock, slices }: MarketServices) => {
    const slugs = [...new Set(query.slugs.split(',', orderbooksMax + 1))]
    if (slugs.length > orderbooksMax || !slugs.every((slug) => SLUG.test(slug))) {
      return invalid({
        field: 'slugs',
        message: `must be 1 to ${orderbooksMax} slugs separated by commas`,
      })
    }
    const shown = slugs.map((slug) => ({ slug, published: pipeline.published.bySlug(slug) }))
    const by = workFor(publicRequester(call), pipeline)
    const books = await slices.run(by, orderbookListSteps(shown, clock))
    return books === null ? refuse('OVERLOADED') : bytes(books)
  },
})

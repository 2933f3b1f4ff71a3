// Many markets in one reply, from bytes that are encoded once per version.

import { LIMITS } from '../../../engine/domain/limits.ts'
import { open } from '../../auth/auth-scheme.ts'
import { cached, lasting, REVALIDATE } from '../../edge/http/caching/cache.ts'
import { bytes } from '../../edge/http/reply.ts'
import { route } from '../../edge/http/route.ts'
import { isoTime } from '../../edge/http/schema/fields.ts'
import { means, nullable, number, shownWith, text } from '../../edge/http/schema/scalars.ts'
import { list, object } from '../../edge/http/schema/schema.ts'
import { orderbookListSteps } from '../../exchange/read-model/book-lists.ts'
import { invalid, refuse } from '../../messages/refusal.ts'
import { BOOK_EXAMPLE, MARKET_EXAMPLE } from '../examples.ts'
import { workFor } from '../reads/fair-shares.ts'
import { publicRequester } from '../reads/private-reads.ts'
import { orderbook } from '../shapes.ts'
import type { MarketServices } from './services.ts'

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
  handle: (_input, services: MarketServices) => bytes(services.tickers.bytes()),
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

// Reads that find markets by topic. The query thread ranks them.

import { LIMITS } from '../../../engine/domain/limits.ts'
import { nearMarkets } from '../../../persistence/query/read/markets/near-markets.ts'
import { searchMarkets as search } from '../../../persistence/query/read/markets/search.ts'
import { open } from '../../auth/auth-scheme.ts'
import { cached, lasting } from '../../edge/http/caching/cache.ts'
import { bytes } from '../../edge/http/reply.ts'
import { route } from '../../edge/http/route.ts'
import { marketName } from '../../edge/http/schema/fields.ts'
import { boolean, defaulted, integer, means, number, text } from '../../edge/http/schema/scalars.ts'
import { list, object, optional } from '../../edge/http/schema/schema.ts'
import { Joined } from '../../messages/payload.ts'
import { refuse } from '../../messages/refusal.ts'
import { MARKET_EXAMPLE } from '../examples.ts'
import { market } from '../shapes.ts'
import { foundMarkets, searcherOf } from './found-markets.ts'
import type { MarketServices } from './services.ts'

export const searchMarkets = route({
  method: 'GET',
  path: '/markets/search',
  auth: open(),
  rateClass: 'public',
  bulkhead: 'searches',
  cache: cached(lasting(1)),
  about: 'Searches active markets by meaning, not only by words; best match first.',
  query: {
    query: means(text(LIMITS.searchCharactersMax, 1), 'Search text, in free form.'),
    limit: means(defaulted(integer(1, LIMITS.searchLimitMax), 10), 'Maximum markets per page.'),
    page: means(defaulted(integer(1, LIMITS.searchFoundMax), 1), 'Page to list, counted from 1.'),
    similarityThreshold: means(
      defaulted(number(0, 1), 0.5),
      'Minimum similarity of a market: 1 if it has all words of the query, 0 for no similarity.',
    ),
    includeNextMarket: means(
      optional(boolean()),
      'False to omit nextMarket from markets; true by default.',
    ),
  },
  reply: object({
    markets: means(list(market()), 'Markets of this page, best match first.'),
    total: means(
      integer(0, LIMITS.searchFoundMax),
      `Number of markets found; ${LIMITS.searchFoundMax} for that many or more.`,
    ),
    page: means(integer(1), 'Number of this page.'),
    limit: means(integer(1), 'Maximum markets per page.'),
  }),
  means: 'One page of results; empty after the last page.',
  rejects: ['READ_TIMEOUT'],
  example: {
    query: { query: 'weather', limit: 10, page: 1, similarityThreshold: 0.5 },
    reply: { markets: [MARKET_EXAMPLE], total: 1, page: 1, limit: 10 },
  },
  handle: async ({ query, call }, { reads, pipeline, lists }: MarketServices) => {
    const { query: text, limit, page, similarityThreshold, includeNextMarket = true } = query
    const request = { text, similarityMin: similarityThreshold, skip: (page - 1) * limit, limit }
    const found = await reads.read(search, request, searcherOf(call))
    if (found === undefined) return refuse('READ_TIMEOUT')
    const { published } = pipeline
    const markets = foundMarkets(found.marketIds, { published, lists }, !includeNextMarket)
    const { total } = found
    const tail = `],"total":${total},"page":${page},"limit":${limit}}`
    return bytes(new Joined(['{"markets":[', ...markets, tail]))
  },
})

export const postTradeRecommendations = route({
  method: 'GET',
  path: '/markets/:slug/post-trade-recommendations',
  auth: open(),
  rateClass: 'public',
  bulkhead: 'searches',
  cache: cached(lasting(1)),
  about: 'Recommends active markets after a trade: of the same group, then category, then topic.',
  params: { slug: marketName() },
  reply: object({
    markets: means(list(market()), `The closest markets, at most ${LIMITS.recommendationsMax}.`),
  }),
  means: 'Other active markets, closest first.',
  rejects: ['MARKET_NOT_FOUND', 'READ_TIMEOUT'],
  example: { params: { slug: 'rain-tomorrow' }, reply: { markets: [MARKET_EXAMPLE] } },
  handle: async ({ params, call }, { reads, pipeline, lists }: MarketServices) => {
    const request = { slug: params.slug, countMax: LIMITS.recommendationsMax }
    const found = await reads.read(nearMarkets, request, searcherOf(call))
    if (found === undefined) return refuse('READ_TIMEOUT')
    if (found === null) return refuse('MARKET_NOT_FOUND')
    const markets = foundMarkets(found, { published: pipeline.published, lists })
    return bytes(new Joined(['{"markets":[', ...markets, ']}']))
  },
})

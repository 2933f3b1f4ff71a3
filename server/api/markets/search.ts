// Reads that find markets by what they are about. The query thread ranks them.

import { LIMITS } from '../../../engine/domain/limits.ts'
import { nearMarkets } from '../../../persistence/query/read/markets/near-markets.ts'
import { searchMarkets as search } from '../../../persistence/query/read/markets/search.ts'
import { open } from '../../auth/auth-scheme.ts'
import { cached, lasting } from '../../edge/http/caching/cache.ts'
import { bytes } from '../../edge/http/reply.ts'
import { route } from '../../edge/http/route.ts'
import { marketName } from '../../edge/http/schema/market-names.ts'
import { means } from '../../edge/http/schema/meaning.ts'
import { boolean, defaulted, integer, number, text } from '../../edge/http/schema/scalars.ts'
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
  about: 'Active markets that are about a text, best first, also when they do not say its words.',
  query: {
    query: means(text(LIMITS.searchCharactersMax, 1), 'What to look for, in any words.'),
    limit: means(defaulted(integer(1, LIMITS.searchLimitMax), 10), 'Most markets on a page.'),
    page: means(
      defaulted(integer(1, LIMITS.searchFoundMax), 1),
      'Which page to show, counted from 1.',
    ),
    similarityThreshold: means(
      defaulted(number(0, 1), 0.5),
      'Least similarity of a market: 1 when it has all words of the query, 0 for nothing alike.',
    ),
    includeNextMarket: means(
      optional(boolean()),
      'When false, markets come without their nextMarket; true when absent.',
    ),
  },
  reply: object({
    markets: means(list(market()), 'Markets of this page, best first.'),
    total: means(
      integer(0, LIMITS.searchFoundMax),
      `How many markets were found; ${LIMITS.searchFoundMax} for so many or more.`,
    ),
    page: means(integer(1), 'The page that is shown.'),
    limit: means(integer(1), 'How many markets a page has at most.'),
  }),
  means: 'One page of what was found; a page behind the last is empty.',
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
  about: 'Active markets for one who just traded: of the same group, then category, then topic.',
  params: { slug: marketName() },
  reply: object({
    markets: means(list(market()), `The nearest markets, ${LIMITS.recommendationsMax} at most.`),
  }),
  means: 'Other active markets, nearest first.',
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

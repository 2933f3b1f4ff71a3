// Public reads of markets and books, answered on main from bytes encoded once per version.

import { LIMITS } from '../../../engine/domain/limits.ts'
import { kindOf } from '../../../engine/domain/markets/market.ts'
import { nearMarkets } from '../../../persistence/query/read/markets/near-markets.ts'
import { searchMarkets as search } from '../../../persistence/query/read/markets/search.ts'
import { open } from '../../auth/auth-scheme.ts'
import { cached, lasting, REVALIDATE } from '../../edge/http/caching/cache.ts'
import { bytes, fresh } from '../../edge/http/reply.ts'
import { route } from '../../edge/http/route.ts'
import { addressOrSlug, isoTime, marketName, slug } from '../../edge/http/schema/fields.ts'
import {
  boolean,
  defaulted,
  integer,
  means,
  named,
  nullable,
  number,
  oneOf,
  pattern,
  text,
} from '../../edge/http/schema/scalars.ts'
import {
  list,
  object,
  openObject,
  optional,
  schemaOf,
  type Values,
} from '../../edge/http/schema/schema.ts'
import { orderbookBytes } from '../../exchange/read-model/book-views.ts'
import { type MarketLists, SORT_NAMES } from '../../exchange/read-model/lists/market-lists.ts'
import { childrenNamed } from '../../exchange/read-model/market-kinds.ts'
import { marketView } from '../../exchange/read-model/market-view.ts'
import { Joined } from '../../messages/payload.ts'
import { refuse } from '../../messages/refusal.ts'
import { BOOK_EXAMPLE, MARKET_EXAMPLE } from '../examples.ts'
import { crumb } from '../pages/pages.ts'
import { publicRequester, type Requester } from '../reads/private-reads.ts'
import { market, orderbook } from '../shapes.ts'
import { foundMarkets, searcherOf } from './archived-markets.ts'
import type { MarketServices } from './services.ts'

// One market: alone, or in an envelope with the parts that the caller includes (rules §12.3). The
// envelope also has the fields of the market, so both replies share one schema.

const PREVIEW = { before: 1, after: 5 }
const WORD = '(timelinePreview|nextMarket|navigation)'

export const include = () =>
  means(
    optional(
      pattern(
        `^(${WORD}(,${WORD}){0,2})?$`,
        'Any of timelinePreview, nextMarket and navigation, separated by commas.',
      ),
    ),
    'What to include; the market is then repeated as market. nextMarket is part of every market.',
  )

/** Clients in languages without union types read either reply with one type. */
export function marketReply() {
  const envelope = {
    market: means(optional(market()), 'The same market; absent unless something is included.'),
    navigation: means(
      optional(list(crumb())),
      'The path of pages to the deepest page that lists the market; absent unless included.',
    ),
    timelinePreview: means(
      optional(openObject({})),
      'Slots of its series around it, one before and five after; absent for other markets.',
    ),
  }
  return named('MarketReply', openObject({ ...market().properties, ...envelope }))
}

interface Wanted {
  readonly slug: string
  readonly include: string | undefined
  readonly requester: Requester
}

/** The market of this slug, with the parts that `include` names. */
export async function detailOf(
  { slug, include: wanted, requester }: Wanted,
  services: MarketServices,
) {
  const { pipeline, lists, archive, timelines, settings, clock } = services
  const live = pipeline.published.bySlug(slug)
  const found = live ?? (await archive.bySlug(slug, requester))
  if (found === undefined) return refuse('READ_TIMEOUT')
  if (found === null) return refuse('MARKET_NOT_FOUND')
  const json = () =>
    live === undefined
      ? Buffer.from(JSON.stringify(marketView(found, settings.collateral, clock())))
      : lists.market(live)
  if (wanted === undefined || wanted === '') return bytes(json())
  const bytesOf = json()
  const parts = [bytesOf.subarray(0, -1), Buffer.from(',"market":'), bytesOf]
  if (wanted.includes('navigation')) {
    const trail = services.marketPages.trails.of(found)
    parts.push(Buffer.from(`,"navigation":${JSON.stringify(trail)}`))
  }
  if (wanted.includes('timelinePreview') && found.market.slot !== undefined) {
    const line = await timelines.around({ series: { slug }, ...PREVIEW }, requester)
    if (line === undefined) return refuse('READ_TIMEOUT')
    const preview = line === null ? null : { ...line.slots, ...line.of }
    parts.push(Buffer.from(`,"timelinePreview":${JSON.stringify(preview)}`))
  }
  parts.push(Buffer.from('}'))
  return bytes(Buffer.concat(parts))
}

// Reads that find markets by topic. The query thread ranks them.

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

const listQuery = () => ({
  page: means(defaulted(integer(1, 1_000_000), 1), 'Page to list, counted from 1.'),
  limit: means(
    defaulted(integer(1, LIMITS.activeMarketsLimitMax), LIMITS.activeMarketsLimitMax),
    'Maximum markets per page.',
  ),
  sortBy: means(
    optional(oneOf(...SORT_NAMES)),
    'Sort order, newest by default: highest daily reward, ending soonest, most volume, ' +
      'most resting size, or most volume of the last hours.',
  ),
  tradeType: means(
    optional(oneOf('amm', 'clob', 'group')),
    'Only pools, markets with their own book, or groups; all when absent.',
  ),
  automationType: means(
    optional(oneOf('manual', 'lumy', 'sports')),
    'Only markets operated manually, by the clock, or by a match; all when absent.',
  ),
  includeNextMarket: means(
    optional(boolean()),
    'False to omit nextMarket from markets; true by default.',
  ),
})

const listReply = () =>
  object({
    data: means(list(market()), 'Markets of this page.'),
    totalMarketsCount: means(integer(0), 'Number of active markets that match the filters.'),
  })

type ListParams = Values<ReturnType<typeof listQuery>>

/** The filters of a list request, for each key that it names. */
function listed(query: ListParams, lists: MarketLists, categoryId?: number) {
  const { page, limit, sortBy = 'newest', tradeType, automationType } = query
  const isBare = query.includeNextMarket === false
  const filter = new Map<string, readonly string[]>()
  if (categoryId !== undefined) filter.set('categoryId', [String(categoryId)])
  if (tradeType !== undefined) filter.set('tradeType', [tradeType])
  if (automationType !== undefined) filter.set('automationType', [automationType])
  return bytes(lists.page({ page, limit, sortBy, filter, isBare }))
}

export const activeMarkets = route({
  method: 'GET',
  path: '/markets/active',
  auth: open(),
  rateClass: 'public',
  cache: cached(REVALIDATE),
  about: 'Lists active markets by page, newest first by default.',
  query: listQuery(),
  reply: listReply(),
  means: 'One page of active markets; empty after the last page.',
  example: { reply: { data: [MARKET_EXAMPLE], totalMarketsCount: 1 } },
  handle: ({ query }, { lists }: MarketServices) => listed(query, lists),
})

export const activeInCategory = route({
  method: 'GET',
  path: '/markets/active/:categoryId',
  auth: open(),
  rateClass: 'public',
  cache: cached(REVALIDATE),
  about: 'Lists active markets of one category by page.',
  params: {
    categoryId: means(
      integer(1),
      'Id of the category, from GET /navigation or /markets/categories/count.',
    ),
  },
  query: listQuery(),
  reply: listReply(),
  means: 'One page of active markets; empty for an unknown category.',
  example: {
    params: { categoryId: 1 },
    reply: { data: [MARKET_EXAMPLE], totalMarketsCount: 1 },
  },
  handle: ({ params, query }, { lists }: MarketServices) => listed(query, lists, params.categoryId),
})

export const categoriesCount = route({
  method: 'GET',
  path: '/markets/categories/count',
  auth: open(),
  rateClass: 'public',
  cache: cached(REVALIDATE),
  about: 'Returns the number of active markets per category and in total.',
  reply: object({
    category: means(
      schemaOf<Readonly<Record<string, number>>>({
        type: 'object',
        additionalProperties: { type: 'integer', minimum: 0 },
      }),
      'Active markets by category id; a market may be in several.',
    ),
    totalCount: means(integer(0), 'All active markets, each counted once.'),
  }),
  means: 'The current counts.',
  example: { reply: { category: { 1: 10, 2: 5 }, totalCount: 12 } },
  handle: (_input, { lists }: MarketServices) => bytes(lists.categoryCounts()),
})

export const categories = route({
  method: 'GET',
  path: '/categories',
  auth: open(),
  rateClass: 'public',
  cache: cached(REVALIDATE),
  about: 'Lists the categories of active markets, by ascending id.',
  reply: list(
    object({
      id: means(integer(1), 'Id of the category, for /markets/active/:categoryId.'),
      name: means(text(), 'Name of the category, as in its markets.'),
    }),
  ),
  means: 'Each category with an active market.',
  example: {
    reply: [
      { id: 1, name: 'Weather' },
      { id: 2, name: 'Sports' },
    ],
  },
  handle: (_input, { lists }: MarketServices) => bytes(lists.categories()),
})

export const activeSlugs = route({
  method: 'GET',
  path: '/markets/active/slugs',
  auth: open(),
  rateClass: 'public',
  cache: cached(REVALIDATE),
  about: 'Lists the slug, strike price, ticker and deadline of every active market or group.',
  reply: list(
    object({
      slug: means(text(), 'Slug of the market in paths and orders.'),
      strikePrice: means(
        nullable(text()),
        'Price in the question of the title, as decimal text; null if there is none.',
      ),
      ticker: means(
        nullable(text()),
        'The first value of its property `ticker`: its asset; null without one.',
      ),
      deadline: means(nullable(isoTime()), 'When trading ends; null without a deadline.'),
      markets: means(
        optional(list(object({ slug: slug() }))),
        'The markets of a group in order; absent for other markets.',
      ),
    }),
  ),
  means: 'Every active market in one list; the markets of a group are nested in its entry.',
  example: {
    reply: [
      { slug: 'rain-tomorrow', strikePrice: null, ticker: null, deadline: null },
      {
        slug: 'btc-5m-1795404900',
        strikePrice: '95000',
        ticker: 'BTC',
        deadline: '2026-11-23T03:40:00.000Z',
      },
      {
        slug: 'cup-winner',
        strikePrice: null,
        ticker: null,
        deadline: null,
        markets: [{ slug: 'reds-win' }, { slug: 'blues-win' }],
      },
    ],
  },
  handle: (_input, { lists, pipeline }: MarketServices) =>
    fresh(lists.slugs(), pipeline.published.versions.ofList()),
})

export const marketDetail = route({
  method: 'GET',
  path: '/markets/:addressOrSlug',
  auth: open(),
  rateClass: 'public',
  cache: cached(REVALIDATE),
  about: 'Returns one market, group or pool by its slug; a pool also by its address.',
  params: { addressOrSlug: addressOrSlug() },
  query: { include: include() },
  reply: marketReply(),
  means: 'The current market; in an envelope when something is included.',
  rejects: ['MARKET_NOT_FOUND', 'READ_TIMEOUT'],
  example: { params: { addressOrSlug: 'rain-tomorrow' }, reply: MARKET_EXAMPLE },
  handle: ({ params, query, call }, services: MarketServices) => {
    const { published } = services.pipeline
    const { addressOrSlug } = params
    const live = published.bySlug(addressOrSlug) ?? published.byAddress(addressOrSlug)
    // The common case is answered in the same event-loop tick.
    if (live !== undefined && !query.include) {
      return fresh(services.lists.market(live), services.lists.freshness(live))
    }
    const slug = live?.market.slug ?? addressOrSlug
    return detailOf({ slug, include: query.include, requester: publicRequester(call) }, services)
  },
})

/** A market that left memory has no book. */
async function archivedBook(slug: string, requester: Requester, { archive }: MarketServices) {
  const found = await archive.bySlug(slug, requester)
  if (found === undefined) return refuse('READ_TIMEOUT')
  return refuse(found === null ? 'MARKET_NOT_FOUND' : 'ORDERBOOK_INACTIVE')
}

export const marketOrderbook = route({
  method: 'GET',
  path: '/markets/:slug/orderbook',
  auth: open(),
  rateClass: 'public',
  cache: cached(REVALIDATE),
  about: 'Returns the live YES book of one active market, including the orders for NO.',
  params: { slug: marketName() },
  reply: orderbook(),
  means: 'The current book with every price level.',
  rejects: ['MARKET_NOT_FOUND', 'ORDERBOOK_INACTIVE', 'ORDERBOOK_OF_POOL', 'READ_TIMEOUT'],
  example: { params: { slug: 'rain-tomorrow' }, reply: BOOK_EXAMPLE },
  handle: ({ params, call }, services: MarketServices) => {
    const published = services.pipeline.published.bySlug(params.slug)
    if (published === undefined) return archivedBook(params.slug, publicRequester(call), services)
    const kind = kindOf(published.market)
    if (kind === 'group') return refuse('MARKET_NOT_FOUND', childrenNamed(published))
    if (kind === 'amm') return refuse('ORDERBOOK_OF_POOL')
    const { status } = published
    if (status !== 'CREATED' && status !== 'FUNDED') return refuse('ORDERBOOK_INACTIVE')
    const { versions } = services.pipeline.published
    const book = orderbookBytes(published, services.clock())
    return fresh(book, versions.ofMarket(published.market.marketId))
  },
})

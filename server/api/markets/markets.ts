// Public reads of markets and books. All answer on main from bytes encoded once per version.

import { LIMITS } from '../../../engine/domain/limits.ts'
import { kindOf } from '../../../engine/domain/markets/market.ts'
import { open } from '../../auth/auth-scheme.ts'
import { cached, REVALIDATE } from '../../edge/http/caching/cache.ts'
import { bytes } from '../../edge/http/reply.ts'
import { route } from '../../edge/http/route.ts'
import { isoTime, slug } from '../../edge/http/schema/fields.ts'
import { addressOrSlug, marketName } from '../../edge/http/schema/market-names.ts'
import { means } from '../../edge/http/schema/meaning.ts'
import {
  boolean,
  defaulted,
  integer,
  nullable,
  oneOf,
  text,
} from '../../edge/http/schema/scalars.ts'
import { list, object, optional, schemaOf, type Values } from '../../edge/http/schema/schema.ts'
import { orderbookBytes } from '../../exchange/read-model/book-views.ts'
import { type MarketLists, SORT_NAMES } from '../../exchange/read-model/lists/market-lists.ts'
import { childrenNamed } from '../../exchange/read-model/market-kinds.ts'
import { refuse } from '../../messages/refusal.ts'
import { BOOK_EXAMPLE, MARKET_EXAMPLE } from '../examples.ts'
import { publicRequester, type Requester } from '../reads/private-reads.ts'
import { market, orderbook } from '../shapes.ts'
import { detailOf, include, marketReply } from './detail.ts'
import type { MarketServices } from './services.ts'

const listQuery = () => ({
  page: means(defaulted(integer(1, 1_000_000), 1), 'Which page to show, counted from 1.'),
  limit: means(
    defaulted(integer(1, LIMITS.activeMarketsLimitMax), LIMITS.activeMarketsLimitMax),
    'Most markets on a page.',
  ),
  sortBy: means(
    optional(oneOf(...SORT_NAMES)),
    'Which come first, newest when absent: highest daily reward, ending soonest, most volume, ' +
      'most resting size, or most volume of the last hours.',
  ),
  tradeType: means(
    optional(oneOf('amm', 'clob', 'group')),
    'Only pools, markets with a book of their own, or groups; all when absent.',
  ),
  automationType: means(
    optional(oneOf('manual', 'lumy', 'sports')),
    'Only markets that are run by hand, by the clock, or by a match; all when absent.',
  ),
  includeNextMarket: means(
    optional(boolean()),
    'When false, markets come without their nextMarket; true when absent.',
  ),
})

const listReply = () =>
  object({
    data: means(list(market()), 'Markets of this page.'),
    totalMarketsCount: means(integer(0), 'How many active markets pass the filters.'),
  })

type ListParams = Values<ReturnType<typeof listQuery>>

/** The facets of a call for a list, for each key that it names. */
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
  about: 'Active markets by page, newest first unless sorted otherwise.',
  query: listQuery(),
  reply: listReply(),
  means: 'One page of active markets; a page behind the last is empty.',
  example: { reply: { data: [MARKET_EXAMPLE], totalMarketsCount: 1 } },
  handle: ({ query }, { lists }: MarketServices) => listed(query, lists),
})

export const activeInCategory = route({
  method: 'GET',
  path: '/markets/active/:categoryId',
  auth: open(),
  rateClass: 'public',
  cache: cached(REVALIDATE),
  about: 'Active markets of one category by page.',
  params: {
    categoryId: means(
      integer(1),
      'Number of the category, as GET /navigation and /markets/categories/count give it.',
    ),
  },
  query: listQuery(),
  reply: listReply(),
  means: 'One page of active markets; empty for a number that no category has.',
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
  about: 'How many active markets each category has, and how many there are.',
  reply: object({
    category: means(
      schemaOf<Readonly<Record<string, number>>>({
        type: 'object',
        additionalProperties: { type: 'integer', minimum: 0 },
      }),
      'Active markets by the number of their category; a market may be in several.',
    ),
    totalCount: means(integer(0), 'All active markets, each counted once.'),
  }),
  means: 'The counts as they stand now.',
  example: { reply: { category: { 1: 10, 2: 5 }, totalCount: 12 } },
  handle: (_input, { lists }: MarketServices) => bytes(lists.categoryCounts()),
})

export const categories = route({
  method: 'GET',
  path: '/categories',
  auth: open(),
  rateClass: 'public',
  cache: cached(REVALIDATE),
  about: 'The categories of active markets, by rising number.',
  reply: list(
    object({
      id: means(integer(1), 'Number of the category, as /markets/active/:categoryId takes it.'),
      name: means(text(), 'Name of the category, as its markets show it.'),
    }),
  ),
  means: 'Each category that an active market has.',
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
  about: 'Slug, strike price, ticker and deadline of every active market or group.',
  reply: list(
    object({
      slug: means(text(), 'Name of the market in paths and orders.'),
      strikePrice: means(
        nullable(text()),
        'Price that the title asks about, as decimal text; null when it names none.',
      ),
      ticker: means(
        nullable(text()),
        'The first value of its property `ticker`: the asset that it is about; null without one.',
      ),
      deadline: means(nullable(isoTime()), 'When trading ends; null without a deadline.'),
      markets: means(
        optional(list(object({ slug: slug() }))),
        'The markets of a group in their order; absent for other markets.',
      ),
    }),
  ),
  means: 'Every active market in one list; markets of a group stand in its entry.',
  example: {
    reply: [
      { slug: 'rain-tomorrow', strikePrice: null, ticker: null, deadline: null },
      {
        ...{ slug: 'btc-5m-1795404900', strikePrice: '95000', ticker: 'BTC' },
        deadline: '2026-11-23T03:40:00.000Z',
      },
      {
        ...{ slug: 'cup-winner', strikePrice: null, ticker: null, deadline: null },
        markets: [{ slug: 'reds-win' }, { slug: 'blues-win' }],
      },
    ],
  },
  handle: (_input, { lists }: MarketServices) => bytes(lists.slugs()),
})

export const marketDetail = route({
  method: 'GET',
  path: '/markets/:addressOrSlug',
  auth: open(),
  rateClass: 'public',
  cache: cached(REVALIDATE),
  about: 'One market, group or pool by its slug; a pool by its address too.',
  params: { addressOrSlug: addressOrSlug() },
  query: { include: include() },
  reply: marketReply(),
  means: 'The market as it stands now; in an envelope when something is included.',
  rejects: ['MARKET_NOT_FOUND', 'READ_TIMEOUT'],
  example: { params: { addressOrSlug: 'rain-tomorrow' }, reply: MARKET_EXAMPLE },
  handle: ({ params, query, call }, services: MarketServices) => {
    const { published } = services.pipeline
    const { addressOrSlug } = params
    const live = published.bySlug(addressOrSlug) ?? published.byAddress(addressOrSlug)
    // The common case answers in the same turn of the loop.
    if (live !== undefined && !query.include) return bytes(services.lists.market(live))
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
  about: 'The live YES book of one active market, NO interest folded in.',
  params: { slug: marketName() },
  reply: orderbook(),
  means: 'The book as it stands now, every price level of it.',
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
    return bytes(orderbookBytes(published, services.clock()))
  },
})

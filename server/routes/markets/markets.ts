// Public reads of markets and books. All answer on main from bytes encoded once per version.

import { LIMITS } from '../../../engine/domain/limits.ts'
import { open } from '../../http/auth-scheme.ts'
import { refuse } from '../../http/refusal.ts'
import { bytes } from '../../http/reply.ts'
import { route } from '../../http/route.ts'
import { isoTime, slug } from '../../http/schema/fields.ts'
import { means } from '../../http/schema/meaning.ts'
import { defaulted, integer, nullable, oneOf, text } from '../../http/schema/scalars.ts'
import { list, object, optional } from '../../http/schema/schema.ts'
import { orderbookBytes } from '../../pipeline/shown/book-views.ts'
import { SORT_NAMES } from '../../pipeline/shown/market-lists.ts'
import { marketView } from '../../pipeline/shown/views.ts'
import { ANYBODY } from '../../services/markets/archived-markets.ts'
import { BOOK_EXAMPLE, MARKET_EXAMPLE } from '../examples.ts'
import type { Services } from '../services.ts'
import { market, orderbook } from '../shapes.ts'

export const activeMarkets = route({
  method: 'GET',
  path: '/markets/active',
  auth: open(),
  lane: 'public',
  about: 'Active markets by page, newest first unless sorted otherwise.',
  query: {
    page: means(defaulted(integer(1, 1_000_000), 1), 'Which page to show, counted from 1.'),
    limit: means(
      defaulted(integer(1, LIMITS.activeMarketsLimitMax), LIMITS.activeMarketsLimitMax),
      'Most markets on a page.',
    ),
    sortBy: means(
      optional(oneOf(...SORT_NAMES)),
      'Which come first: newest when absent, else ending soonest, most volume or resting size.',
    ),
    tradeType: means(
      optional(oneOf('amm', 'clob', 'group')),
      'Kind of market to list: clob when absent. No market is of another kind.',
    ),
  },
  reply: object({
    data: means(list(market()), 'Markets of this page.'),
    totalMarketsCount: means(integer(0), 'How many active markets there are on all pages.'),
  }),
  means: 'One page of active markets; a page behind the last is empty.',
  example: { reply: { data: [MARKET_EXAMPLE], totalMarketsCount: 1 } },
  handle: ({ query }, { lists }: Services) => {
    const { page, limit, sortBy = 'newest', tradeType = 'clob' } = query
    if (tradeType !== 'clob') return { data: [], totalMarketsCount: 0 }
    return bytes(lists.page({ page, limit, sortBy }))
  },
})

export const activeSlugs = route({
  method: 'GET',
  path: '/markets/active/slugs',
  auth: open(),
  lane: 'public',
  about: 'Slug, strike price, ticker and deadline of every active market.',
  reply: list(
    object({
      slug: means(text(), 'Name of the market in paths and orders.'),
      strikePrice: means(
        nullable(text()),
        'Price that the title asks about, as decimal text; null when it names none.',
      ),
      ticker: means(
        nullable(text()),
        'Short name of the asset that the title is about; always null here.',
      ),
      deadline: means(nullable(isoTime()), 'When trading ends; null without a deadline.'),
    }),
  ),
  means: 'Every active market, in one list.',
  example: {
    reply: [{ slug: 'rain-tomorrow', strikePrice: null, ticker: null, deadline: null }],
  },
  handle: (_input, { lists }: Services) => bytes(lists.slugs()),
})

export const marketDetail = route({
  method: 'GET',
  path: '/markets/:addressOrSlug',
  auth: open(),
  lane: 'public',
  about: 'One market by its slug.',
  params: { addressOrSlug: means(text(LIMITS.slugCharactersMax, 1), 'Slug of the market.') },
  reply: market(),
  means: 'The market as it stands now, with its best prices.',
  rejects: ['MARKET_NOT_FOUND', 'READ_TIMEOUT'],
  example: { params: { addressOrSlug: 'rain-tomorrow' }, reply: MARKET_EXAMPLE },
  handle: ({ params }, services: Services) => {
    const { pipeline, lists } = services
    const published = pipeline.published.bySlug(params.addressOrSlug)
    return published === undefined
      ? archivedDetail(params.addressOrSlug, services)
      : bytes(lists.market(published))
  },
})

/** A market that left memory, from the tables. */
async function archivedDetail(slug: string, { archive, settings, clock }: Services) {
  const found = await archive.bySlug(slug, ANYBODY)
  if (found === undefined) return refuse('READ_TIMEOUT')
  if (found === null) return refuse('MARKET_NOT_FOUND')
  return bytes(JSON.stringify(marketView(found, settings.collateral, clock())))
}

/** A market that left memory has no book. */
async function archivedBook(slug: string, { archive }: Services) {
  const found = await archive.bySlug(slug, ANYBODY)
  if (found === undefined) return refuse('READ_TIMEOUT')
  return refuse(found === null ? 'MARKET_NOT_FOUND' : 'ORDERBOOK_INACTIVE')
}

export const marketOrderbook = route({
  method: 'GET',
  path: '/markets/:slug/orderbook',
  auth: open(),
  lane: 'public',
  about: 'The live YES book of one active market, NO interest folded in.',
  params: { slug: slug() },
  reply: orderbook(),
  means: 'The book as it stands now, every price level of it.',
  rejects: ['MARKET_NOT_FOUND', 'ORDERBOOK_INACTIVE', 'READ_TIMEOUT'],
  example: { params: { slug: 'rain-tomorrow' }, reply: BOOK_EXAMPLE },
  handle: ({ params }, services: Services) => {
    const published = services.pipeline.published.bySlug(params.slug)
    if (published === undefined) return archivedBook(params.slug, services)
    const { status } = published
    if (status !== 'CREATED' && status !== 'FUNDED') return refuse('ORDERBOOK_INACTIVE')
    return bytes(orderbookBytes(published, services.clock()))
  },
})

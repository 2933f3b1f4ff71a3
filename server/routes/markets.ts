// Public reads of markets and books. All answer on main; books are encoded once per version.

import { LIMITS } from '../../engine/domain/limits.ts'
import { takesOrders } from '../../engine/domain/market.ts'
import { open } from '../http/auth-scheme.ts'
import { isoTime, slug } from '../http/fields.ts'
import { refuse } from '../http/refusal.ts'
import { bytes } from '../http/reply.ts'
import { route } from '../http/route.ts'
import { defaulted, integer, nullable, oneOf, text } from '../http/scalars.ts'
import { list, object, optional } from '../http/schema.ts'
import type { PublishedMarket } from '../pipeline/published.ts'
import { marketView, orderbookBytes } from '../pipeline/views.ts'
import { BOOK_EXAMPLE, MARKET_EXAMPLE } from './examples.ts'
import type { Services } from './services.ts'
import { market, orderbook } from './shapes.ts'

function view(published: PublishedMarket, { settings, clock }: Services) {
  return marketView(published, settings.collateral, clock())
}

/** Active markets, newest first. */
function active({ pipeline }: Services): PublishedMarket[] {
  return pipeline.published
    .all()
    .filter((published) => takesOrders(published.status))
    .reverse()
}

export const activeMarkets = route({
  method: 'GET',
  path: '/markets/active',
  auth: open(),
  lane: 'public',
  about: 'Active markets by page, newest first.',
  query: {
    page: defaulted(integer(1, 1_000_000), 1),
    limit: defaulted(integer(1, LIMITS.activeMarketsLimitMax), LIMITS.activeMarketsLimitMax),
    sortBy: optional(oneOf('newest')),
    tradeType: optional(oneOf('amm', 'clob', 'group')),
  },
  reply: object({ data: list(market()), totalMarketsCount: integer(0) }),
  example: { reply: { data: [MARKET_EXAMPLE], totalMarketsCount: 1 } },
  handle: ({ query }, services: Services) => {
    const markets = (query.tradeType ?? 'clob') === 'clob' ? active(services) : []
    const from = (query.page - 1) * query.limit
    const page = markets.slice(from, from + query.limit)
    return {
      data: page.map((published) => view(published, services)),
      totalMarketsCount: markets.length,
    }
  },
})

/** The price a title asks about: "… above $95,000 …" gives 95000. */
function strikePrice(title: string): string | null {
  const found = /\$\s?([0-9][0-9,]*(?:\.[0-9]+)?)/.exec(title)
  return found === null ? null : found[1].replaceAll(',', '')
}

export const activeSlugs = route({
  method: 'GET',
  path: '/markets/active/slugs',
  auth: open(),
  lane: 'public',
  about: 'Slug, strike price, ticker and deadline of every active market.',
  reply: list(
    object({
      slug: text(),
      strikePrice: nullable(text()),
      ticker: nullable(text()),
      deadline: nullable(isoTime()),
    }),
  ),
  example: {
    reply: [{ slug: 'rain-tomorrow', strikePrice: null, ticker: null, deadline: null }],
  },
  handle: (_input, services: Services) =>
    active(services).map(({ market: { slug: name, title, deadlineMs } }) => ({
      slug: name,
      strikePrice: strikePrice(title),
      ticker: null,
      deadline: deadlineMs === null ? null : new Date(deadlineMs).toISOString(),
    })),
})

export const marketDetail = route({
  method: 'GET',
  path: '/markets/:addressOrSlug',
  auth: open(),
  lane: 'public',
  about: 'One market by its slug.',
  params: { addressOrSlug: text(LIMITS.slugCharactersMax, 1) },
  reply: market(),
  rejects: ['MARKET_NOT_FOUND'],
  example: { params: { addressOrSlug: 'rain-tomorrow' }, reply: MARKET_EXAMPLE },
  handle: ({ params }, services: Services) => {
    const published = services.pipeline.published.bySlug(params.addressOrSlug)
    return published === undefined ? refuse('MARKET_NOT_FOUND') : view(published, services)
  },
})

export const marketOrderbook = route({
  method: 'GET',
  path: '/markets/:slug/orderbook',
  auth: open(),
  lane: 'public',
  about: 'The live YES book of one active market, NO interest folded in.',
  params: { slug: slug() },
  reply: orderbook(),
  rejects: ['MARKET_NOT_FOUND', 'ORDERBOOK_INACTIVE'],
  example: { params: { slug: 'rain-tomorrow' }, reply: BOOK_EXAMPLE },
  handle: ({ params }, { pipeline }: Services) => {
    const published = pipeline.published.bySlug(params.slug)
    if (published === undefined) return refuse('MARKET_NOT_FOUND')
    const { status } = published
    if (status !== 'CREATED' && status !== 'FUNDED') return refuse('ORDERBOOK_INACTIVE')
    return bytes(orderbookBytes(published))
  },
})

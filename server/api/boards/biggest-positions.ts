// The biggest open positions of the exchange or of a market page (rules §9.5).

import { open } from '../../auth/auth-scheme.ts'
import { cached, lasting } from '../../edge/http/caching/cache.ts'
import { route } from '../../edge/http/route.ts'
import { address, isoTime, slug } from '../../edge/http/schema/fields.ts'
import {
  defaulted,
  integer,
  means,
  nullable,
  number,
  oneOf,
  rawText,
  text,
} from '../../edge/http/schema/scalars.ts'
import { list, object, optional } from '../../edge/http/schema/schema.ts'
import { isoText } from '../../messages/iso-text.ts'
import { refuse } from '../../messages/refusal.ts'
import { ACCOUNT } from '../examples.ts'
import { decimalOf } from '../portfolio/history-views.ts'
import { publicRequester } from '../reads/private-reads.ts'
import { unitsOf } from '../whole-units.ts'
import { FACE_EXAMPLE, faceShape, faceView } from './board-shapes.ts'
import type { BigPosition, BigPositions, BoardServices } from './services.ts'

const LIMIT_MAX = 100
const LIMIT_DEFAULT = 25
const CACHED_SEC = 15
/** The length of three passes. */
const STALE_MS = 180_000
const STATES = ['READY', 'STALE', 'BUILDING'] as const
const STALE_REASON = 'The newest projection is more than three minutes old.'
const SOURCES = {
  payout: 'payout',
  pool: 'pool',
  midpoint: 'midpoint',
  lastTrade: 'last_trade',
  cost: 'cost',
} as const

const raw = (what: string) => means(rawText(), what)
const formatted = () => means(text(), 'The same in whole units, as decimal text.')

const money = () =>
  object({
    raw: raw('The same in whole units, as decimal text.'),
    formatted: formatted(),
    usd: means(number(), 'The same as a number with two decimals.'),
  })

const position = () =>
  object({
    rank: means(integer(1), 'Rank on the board, counted from 1.'),
    ...faceShape(),
    positionSize: means(money(), 'Value of the shares at the mark price.'),
    heldShares: means(
      object({ raw: raw('Raw shares as decimal text.'), formatted: formatted() }),
      'The shares held.',
    ),
    toWin: means(money(), 'Payout of the shares if their outcome wins.'),
    mark: means(
      object({
        raw: raw('Value of one share in raw collateral.'),
        formatted: formatted(),
        source: means(
          oneOf('payout', 'pool', 'midpoint', 'last_trade', 'cost'),
          'Source of the mark; cost, the price paid for the shares, is the last resort.',
        ),
        asOf: means(isoTime(), 'When the mark was taken.'),
      }),
      'The mark price of one share of the outcome.',
    ),
    unrealizedPnl: means(money(), 'Value of the shares minus their cost.'),
    side: means(oneOf('YES', 'NO'), 'Outcome of the shares.'),
    outcomeLabel: means(oneOf('Yes', 'No'), 'The outcome as shown to users.'),
    market: means(
      object({
        id: means(integer(1), 'Id of the market.'),
        slug: slug(),
        address: means(nullable(address()), 'Address of its pool; null for a market with a book.'),
        title: means(text(), 'Title of the market.'),
        category: means(nullable(text()), 'Its first category; null without one.'),
      }),
      'The market of the shares.',
    ),
  })

const envelope = () =>
  object({
    schemaVersion: means(integer(1), 'Version of the reply format.'),
    state: means(
      oneOf(...STATES),
      'READY, STALE without a new projection for three minutes, or BUILDING before the first.',
    ),
    projectionVersion: means(integer(0), 'Number of projections of all markets since the start.'),
    scopeVersion: means(text(), 'Version of the meaning of the scope, as text.'),
    presentationVersion: means(integer(1), 'Version of the row order.'),
    asOf: means(nullable(isoTime()), 'When the positions were read; null while BUILDING.'),
    markAsOf: means(nullable(isoTime()), 'When the marks were taken; null while BUILDING.'),
    staleReason: means(nullable(text()), 'Why it is STALE; otherwise null.'),
    collateralToken: means(
      object({
        id: means(text(), 'Name of the token in this exchange.'),
        symbol: means(text(), 'Symbol of the token.'),
        address: means(address(), 'Contract of the token.'),
        decimals: means(integer(0), 'Number of decimal digits of one whole unit.'),
        priceOracleId: means(
          nullable(text()),
          'Price feed of the token; null, because one unit is one USD.',
        ),
      }),
      'Token of all amounts.',
    ),
    scope: means(
      object({
        type: means(oneOf('all', 'category'), 'All markets, or those of a market page.'),
        marketPageId: means(nullable(text()), 'Id of that page; null for all markets.'),
      }),
      'Which markets are included.',
    ),
    limit: means(integer(1), 'Maximum rows in the reply.'),
    data: means(list(position()), 'The positions, biggest first.'),
  })

function moneyOf(amountRaw: number) {
  return { raw: String(amountRaw), formatted: decimalOf(amountRaw), usd: unitsOf(amountRaw) }
}

function rowOf(row: BigPosition, rank: number, asOf: string) {
  const { face, market: shown, outcome, sizeRaw, costRaw, worthRaw, markE6, source } = row
  if (face === null) return null
  const { market } = shown
  return {
    rank,
    ...faceView(face),
    positionSize: moneyOf(worthRaw),
    heldShares: { raw: String(sizeRaw), formatted: decimalOf(sizeRaw) },
    toWin: moneyOf(sizeRaw),
    mark: { raw: String(markE6), formatted: decimalOf(markE6), source: SOURCES[source], asOf },
    unrealizedPnl: moneyOf(worthRaw - costRaw),
    side: outcome === 0 ? ('YES' as const) : ('NO' as const),
    outcomeLabel: outcome === 0 ? ('Yes' as const) : ('No' as const),
    market: {
      id: market.marketId,
      slug: market.slug,
      address: market.poolAddress ?? null,
      title: market.title,
      category: market.categories[0] ?? null,
    },
  }
}

const FIXED = { schemaVersion: 1, scopeVersion: '1', presentationVersion: 1 } as const

interface Requested {
  readonly marketPageId: string | null
  readonly limit: number
}

function viewOf(
  { atMs, rows, version }: BigPositions,
  requested: Requested,
  services: BoardServices,
) {
  const { clock, settings } = services
  const asOf = atMs === null ? null : isoText(atMs)
  const isStale = atMs !== null && clock() - atMs > STALE_MS
  const state: (typeof STATES)[number] = atMs === null ? 'BUILDING' : isStale ? 'STALE' : 'READY'
  const { symbol, address, decimals } = settings.collateral
  const { marketPageId, limit } = requested
  const type: 'all' | 'category' = marketPageId === null ? 'all' : 'category'
  return {
    ...FIXED,
    state,
    projectionVersion: version,
    asOf,
    markAsOf: asOf,
    staleReason: isStale ? STALE_REASON : null,
    collateralToken: { id: symbol.toLowerCase(), symbol, address, decimals, priceOracleId: null },
    scope: { type, marketPageId },
    limit,
    data: rows.flatMap((row, index) => rowOf(row, index + 1, asOf ?? '') ?? []),
  }
}

const MONEY_EXAMPLE = { raw: '33060000', formatted: '33.06', usd: 33.06 }
const AT = '2026-01-01T00:00:00.000Z'

export const biggestPositions = route({
  method: 'GET',
  path: '/leaderboard/pnl/unrealized/biggest-positions',
  auth: open(),
  rateClass: 'public',
  cache: cached(lasting(CACHED_SEC)),
  about: 'Lists the biggest open positions by value or by gain; updated every minute.',
  query: {
    metric: means(
      defaulted(oneOf('position_size', 'pnl'), 'position_size'),
      'By the value of the shares, or by their gain since they were bought.',
    ),
    marketPageId: means(
      optional(text(64, 1)),
      'Id of a market page, absent for all; a page with a filter has only its active markets.',
    ),
    limit: means(defaulted(integer(1, LIMIT_MAX), LIMIT_DEFAULT), 'Maximum positions returned.'),
  },
  reply: envelope(),
  means: 'The positions of the newest projection.',
  rejects: ['PAGE_NOT_FOUND', 'READ_TIMEOUT'],
  example: {
    query: { metric: 'position_size', limit: LIMIT_DEFAULT },
    reply: {
      ...FIXED,
      state: 'READY',
      projectionVersion: 12,
      asOf: AT,
      markAsOf: AT,
      staleReason: null,
      collateralToken: {
        id: 'usdc',
        symbol: 'USDC',
        decimals: 6,
        priceOracleId: null,
        address: ACCOUNT,
      },
      scope: { type: 'all', marketPageId: null },
      limit: 25,
      data: [
        {
          rank: 1,
          ...FACE_EXAMPLE,
          positionSize: MONEY_EXAMPLE,
          heldShares: { raw: '57000000', formatted: '57' },
          toWin: { raw: '57000000', formatted: '57', usd: 57 },
          mark: { raw: '580000', formatted: '0.58', source: 'midpoint', asOf: AT },
          unrealizedPnl: { raw: '6616701', formatted: '6.616701', usd: 6.62 },
          side: 'YES',
          outcomeLabel: 'Yes',
          market: {
            id: 1,
            slug: 'rain-tomorrow',
            address: null,
            title: 'Will it rain tomorrow?',
            category: 'Weather',
          },
        },
      ],
    },
  },
  handle: async ({ query, call }, services: BoardServices) => {
    const { boards, marketPages } = services
    const { metric, marketPageId = null, limit } = query
    const page = marketPageId === null ? null : marketPages.directory.byId(marketPageId)
    if (page === undefined) return refuse('PAGE_NOT_FOUND')
    const order = metric === 'pnl' ? 'gain' : 'worth'
    const found = await boards.biggest(page, { order, limit }, publicRequester(call))
    if (found === undefined) return refuse('READ_TIMEOUT')
    return viewOf(found, { marketPageId, limit }, services)
  },
})

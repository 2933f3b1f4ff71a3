// Leaderboards by realised profit and by volume (rules §9.5).

import { BOARD_SPANS } from '../../../persistence/follower/tables/board-spans.ts'
import { type Face, leaderboard } from '../../../persistence/query/read/boards/leaderboard.ts'
import { accuracy, tradedVolume } from '../../../persistence/query/read/boards/owner-sums.ts'
import { open } from '../../auth/auth-scheme.ts'
import { cached, lasting, REVALIDATE } from '../../edge/http/caching/cache.ts'
import { bytes } from '../../edge/http/reply.ts'
import { route } from '../../edge/http/route.ts'
import {
  account,
  address,
  isoTime,
  profileId,
  shownUsername,
  slug,
} from '../../edge/http/schema/fields.ts'
import {
  defaulted,
  integer,
  means,
  nullable,
  number,
  oneOf,
  pattern,
  rawText,
  text,
} from '../../edge/http/schema/scalars.ts'
import { anyOf, list, object, optional, schemaOf } from '../../edge/http/schema/schema.ts'
import { isoText } from '../../messages/iso-text.ts'
import { type Issue, invalid, Refusal, refuse } from '../../messages/refusal.ts'
import { nameToShow, profileOf } from '../accounts/profile-fields.ts'
import { ACCOUNT } from '../examples.ts'
import { decimalOf } from '../portfolio/history.ts'
import { publicRequester } from '../reads/private-reads.ts'
import { unitsOf, wholeUnitsOf } from '../shapes.ts'
import type { BigPosition, BigPositions, BoardRow, BoardServices } from './services.ts'

// The schemas of leaderboards (rules §9.5).

const CACHED_SEC = 15
const LIMIT_MAX = 100
const LIMIT_DEFAULT = 25

/** The owner fields in the rows of all boards. */
export function faceShape() {
  return {
    profileId: profileId(),
    account: account(),
    username: shownUsername(),
    displayName: nameToShow(),
    pfpUrl: means(nullable(text()), 'Picture of the profile; null without one.'),
  }
}

export function faceView(face: Face) {
  const { profileId, account, username, displayName, pfpUrl } = face
  return { profileId, account, username, displayName, pfpUrl }
}

const row = () =>
  object({
    rank: means(integer(1), 'Rank on the board, counted from 1; unique per row.'),
    ...faceShape(),
    rankName: means(nullable(text()), 'Name of the rank that sets its fees; null without one.'),
    pnl: means(number(), 'Realised profit in the window, in whole collateral with two decimals.'),
    volume: means(integer(0), 'Counted volume in the window, in whole collateral, both roles.'),
  })

export const boardPage = () =>
  object({
    data: means(list(row()), 'The rows of this page, best first.'),
    page: means(integer(1), 'Number of this page, counted from 1.'),
    limit: means(integer(1), 'Maximum rows per page.'),
    totalRows: means(integer(0), 'Number of rows of the whole board.'),
    totalPages: means(integer(0), 'Number of pages of the whole board.'),
  })

interface Found {
  readonly rows: readonly BoardRow[]
  readonly count: number
}

export interface Paging {
  readonly page: number
  readonly limit: number
}

/** A profile is in the tables before it can trade, so each row has a face. */
export function boardView({ rows, count }: Found, { page, limit }: Paging) {
  const first = (page - 1) * limit + 1
  const data = rows.flatMap(({ face, pnlRaw, volumeRaw }, index) => {
    if (face === null) return []
    const sums = { pnl: unitsOf(pnlRaw), volume: wholeUnitsOf(volumeRaw) }
    return [{ rank: first + index, ...faceView(face), rankName: face.rankName, ...sums }]
  })
  return { data, page, limit, totalRows: count, totalPages: Math.ceil(count / limit) }
}

export const FACE_EXAMPLE = {
  profileId: 7,
  account: ACCOUNT,
  username: 'ann',
  displayName: 'Ann',
  pfpUrl: null,
}

export const BOARD_EXAMPLE = {
  data: [{ rank: 1, ...FACE_EXAMPLE, rankName: 'Bronze', pnl: 5.44, volume: 69 }],
  page: 1,
  limit: 25,
  totalRows: 1,
  totalPages: 1,
}

// All-time totals of one account: its accuracy and its volume (rules §9.4, §9.5).

const RATIO_DECIMALS = 4

const accuracyShape = () =>
  anyOf(
    object({
      account: account(),
      marketsWon: means(integer(0), 'Markets in which the account made a profit.'),
      marketsLost: means(integer(0), 'Markets in which it made a loss.'),
      totalResolved: means(integer(1), 'Won plus lost markets.'),
      accuracy: means(number(0, 1), 'Fraction of these that it won, with four decimals.'),
      since: means(isoTime(), 'When the first of these markets was paid out.'),
    }),
    schemaOf<null>({ type: 'null' }),
  )

export const accountAccuracy = route({
  method: 'GET',
  path: '/user-stats/accuracy/:account',
  auth: open(),
  rateClass: 'public',
  cache: cached(lasting(CACHED_SEC)),
  about: 'Returns the number of resolved markets that an account won and lost.',
  params: { account: account() },
  reply: accuracyShape(),
  means: 'The counts of the account; null before the first counted market.',
  rejects: ['VALIDATION', 'ACCURACY_OFF', 'READ_TIMEOUT'],
  example: {
    params: { account: ACCOUNT },
    reply: {
      account: ACCOUNT,
      marketsWon: 2,
      marketsLost: 1,
      totalResolved: 3,
      accuracy: 0.6667,
      since: '2026-01-01T00:00:00.000Z',
    },
  },
  handle: async ({ params, call }, services: BoardServices) => {
    const { reads, settings, pipeline } = services
    if (!settings.accuracy) return refuse('ACCURACY_OFF')
    const owner = profileOf(params.account, services)
    if (owner instanceof Refusal) return owner
    const found = await reads.read(accuracy, owner, publicRequester(call))
    if (found === undefined) return refuse('READ_TIMEOUT')
    if (found === null) return bytes('null')
    const { wonCount: marketsWon, lostCount: marketsLost, sinceMs } = found
    const totalResolved = marketsWon + marketsLost
    return {
      account: pipeline.clearing.accounts.accountOf(owner) ?? params.account,
      marketsWon,
      marketsLost,
      totalResolved,
      accuracy: Number((marketsWon / totalResolved).toFixed(RATIO_DECIMALS)),
      since: isoText(sinceMs),
    }
  },
})

export const accountVolume = route({
  method: 'GET',
  path: '/portfolio/:account/traded-volume',
  auth: open(),
  rateClass: 'public',
  cache: cached(REVALIDATE),
  about: 'Returns the all-time volume of an account, as taker and as maker.',
  params: { account: account() },
  reply: object({
    data: means(
      pattern('^(0|[1-9][0-9]*)$', 'Whole collateral as decimal text.'),
      'Collateral of all its trades before fees, rounded down to whole units.',
    ),
  }),
  means: 'The volume of the account; 0 if it never traded.',
  rejects: ['VALIDATION', 'READ_TIMEOUT'],
  example: { params: { account: ACCOUNT }, reply: { data: '9702853' } },
  handle: async ({ params, call }, services: BoardServices) => {
    const owner = profileOf(params.account, services)
    if (owner instanceof Refusal) return owner
    const volumeRaw = await services.reads.read(tradedVolume, owner, publicRequester(call))
    if (volumeRaw === undefined) return refuse('READ_TIMEOUT')
    return { data: String(wholeUnitsOf(volumeRaw)) }
  },
})

// The biggest open positions of the exchange or of a market page (rules §9.5).

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

interface RequestedPositions {
  readonly marketPageId: string | null
  readonly limit: number
}

function viewOf(
  { atMs, rows, version }: BigPositions,
  requested: RequestedPositions,
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

const OFFSET_MAX = 10_000

interface Requested {
  readonly type: 'pnl' | 'volume'
  readonly timeframe?: keyof typeof BOARD_SPANS | undefined
  readonly scope: 'all' | 'category'
  readonly marketPageId?: string | undefined
}

/** The error of the call as a whole, or null. */
function issueOf({ type, timeframe, scope, marketPageId }: Requested): Issue | null {
  const issue = (field: string, message: string) => ({ field, message })
  if (scope === 'all') {
    return marketPageId === undefined ? null : issue('marketPageId', 'requires scope=category')
  }
  if (type !== 'pnl') return issue('scope', 'may only be category on the pnl board')
  if (marketPageId === undefined) return issue('marketPageId', 'is required with scope=category')
  const isDay = timeframe === undefined || timeframe === '24h'
  return isDay ? null : issue('timeframe', 'must be 24h with scope=category')
}

export const leaderboardPage = route({
  method: 'GET',
  path: '/leaderboard/:type',
  auth: open(),
  rateClass: 'public',
  cache: cached(lasting(CACHED_SEC)),
  about: 'Lists accounts by realised profit or by volume; updated every minute.',
  params: {
    type: means(oneOf('pnl', 'volume'), 'Which board: by counted profit, or by counted volume.'),
  },
  query: {
    timeframe: means(
      optional(oneOf('24h', '7d', '30d', 'all')),
      'Period: the current hour and those before. Absent: all, or 24h for a category.',
    ),
    scope: means(
      defaulted(oneOf('all', 'category'), 'all'),
      'All markets, or those of one market page; category requires the pnl board.',
    ),
    marketPageId: means(optional(text(64, 1)), 'Id of the market page, with scope=category.'),
    page: means(
      defaulted(integer(1, OFFSET_MAX + 1), 1),
      `Page to list, counted from 1; pages that begin after row ${OFFSET_MAX + 1} are empty.`,
    ),
    limit: means(defaulted(integer(1, LIMIT_MAX), LIMIT_DEFAULT), 'Maximum rows per page.'),
  },
  reply: boardPage(),
  means: 'A page of the board; the board of a market page has its best 1,000 rows.',
  rejects: ['VALIDATION', 'PAGE_NOT_FOUND', 'READ_TIMEOUT'],
  example: {
    params: { type: 'pnl' },
    query: { timeframe: '7d', scope: 'all', page: 1, limit: LIMIT_DEFAULT },
    reply: BOARD_EXAMPLE,
  },
  handle: async ({ params, query, call }, { boards, marketPages, reads }: BoardServices) => {
    const { type: board } = params
    const { scope, timeframe = 'all', marketPageId = '', page, limit } = query
    const issue = issueOf({ ...query, type: board })
    if (issue !== null) return invalid(issue)
    const requester = publicRequester(call)
    const offset = (page - 1) * limit
    // A deep page costs as much as all rows before it.
    const window = offset > OFFSET_MAX ? { offset: 0, limit: 0 } : { offset, limit }
    if (scope === 'category') {
      const shown = marketPages.directory.byId(marketPageId)
      if (shown === undefined) return refuse('PAGE_NOT_FOUND')
      const found = await boards.ofPage(shown, window, requester)
      return found === undefined ? refuse('READ_TIMEOUT') : boardView(found, { page, limit })
    }
    const request = { board, spanHours: BOARD_SPANS[timeframe], ...window }
    const found = await reads.read(leaderboard, request, requester)
    return found === undefined ? refuse('READ_TIMEOUT') : boardView(found, { page, limit })
  },
})

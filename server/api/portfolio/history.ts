// The acts of a profile: trades, pairs, conversions and claims, newest first (rules §9.2).

import type { MoveEvent } from '../../../engine/core/moves/move-events.ts'
import type { ProfileId } from '../../../engine/domain/ids.ts'
import { SIDE } from '../../../engine/domain/order.ts'
import { MS_PER_SEC, UNIT_RAW } from '../../../engine/domain/units.ts'
import {
  type HistoryRow,
  history as historyOf,
  type Place,
} from '../../../persistence/query/read/portfolio/history.ts'
import { poolTrades } from '../../../persistence/query/read/portfolio/pool-trades.ts'
import type { TradePart } from '../../../persistence/query/read/trade-parts.ts'
import { eitherOf, hmac, open, sessionOrIdentity } from '../../auth/auth-scheme.ts'
import { cached, lasting } from '../../edge/http/caching/cache.ts'
import { cursorOf, invalidCursor, placeIn } from '../../edge/http/cursor.ts'
import { route } from '../../edge/http/route.ts'
import { account, bytes32, orderId, slug, uint256Text } from '../../edge/http/schema/fields.ts'
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
  wholeText,
} from '../../edge/http/schema/scalars.ts'
import {
  anyOf,
  list,
  object,
  optional,
  schemaOf,
  type Values,
} from '../../edge/http/schema/schema.ts'
import type { PublishedMarket } from '../../exchange/read-model/published.ts'
import { Refusal, refuse } from '../../messages/refusal.ts'
import { profileOf } from '../accounts/profile-fields.ts'
import { ACCOUNT, MARKET_EXAMPLE, ORDER_ID } from '../examples.ts'
import { publicRequester, type Requester, requesterOf } from '../reads/private-reads.ts'
import type { SharedServices } from '../shared-services.ts'
import type { PortfolioServices } from './services.ts'

// An act of a profile in replies (rules §9.2).

const STRATEGIES = {
  SPLIT: 'Split',
  MERGE: 'Merge',
  REDEEM: 'Claim',
  CONVERT: 'Convert',
  WITHDRAW: 'Withdraw',
  BUY: 'Buy',
  SELL: 'Sell',
  FUND: 'Add Liquidity',
  DRAIN: 'Remove Liquidity',
  DEPOSIT: 'Deposit',
  TRANSFER: 'Transfer In',
} as const

/** Raw units as a human decimal. */
export function decimalOf(raw: number): string {
  const size = Math.abs(raw)
  const whole = Math.floor(size / UNIT_RAW)
  const rest = String(size % UNIT_RAW)
    .padStart(6, '0')
    .replace(/0+$/, '')
  return `${raw < 0 ? '-' : ''}${whole}${rest === '' ? '' : `.${rest}`}`
}

/** The amounts that moved on the account. A fee is taken from the amount received. */
function tradeView(part: TradePart, { seq, leg }: Place, { pipeline }: SharedServices) {
  const { isTaker, side, outcome, feeRaw } = part
  const buys = side === SIDE.BUY
  const sharesRaw = part.sharesRaw - (buys ? feeRaw : 0)
  const collateralRaw = part.collateralRaw - (buys ? 0 : feeRaw)
  const way = buys ? 'Buy' : 'Sell'
  return {
    collateralAmount: decimalOf(collateralRaw),
    outcomeIndex: outcome,
    outcomeTokenAmount: decimalOf(sharesRaw),
    outcomeTokenAmounts: [outcome === 0 ? sharesRaw : 0, outcome === 1 ? sharesRaw : 0].map(
      decimalOf,
    ),
    outcomeTokenPrice: Number((part.collateralRaw / part.sharesRaw).toFixed(6)),
    strategy: `${isTaker ? 'Market' : 'Limit'} ${way}`,
    operation: buys ? ('buy' as const) : ('sell' as const),
    tradeEventId: String(seq),
    orderId: pipeline.ids.text(part.slot, part.generation),
    ...(isTaker ? {} : { makerMatchId: `${seq}-${leg}` }),
  }
}

/** A trade with a pool. Its price includes the fee. */
function poolTradeView({ kind, yesRaw, noRaw, collateralRaw }: MoveEvent) {
  const sharesRaw = Math.abs(yesRaw + noRaw)
  return {
    outcomeIndex: yesRaw === 0 ? 1 : 0,
    outcomeTokenAmount: decimalOf(sharesRaw),
    outcomeTokenPrice: Math.min(1, Number(Math.abs(collateralRaw / sharesRaw).toFixed(6))),
    operation: kind === 'BUY' ? ('buy' as const) : ('sell' as const),
  }
}

function moveView(move: MoveEvent) {
  const { kind, yesRaw, noRaw, collateralRaw, converted } = move
  const shares = converted?.map((each) => each.yesRaw + each.noRaw) ?? [yesRaw, noRaw]
  return {
    ...(kind === 'BUY' || kind === 'SELL' ? poolTradeView(move) : {}),
    collateralAmount: decimalOf(Math.abs(collateralRaw)),
    outcomeTokenAmounts: shares.map((raw) => decimalOf(Math.abs(raw))),
    strategy: kind === 'TRANSFER' && yesRaw + noRaw < 0 ? 'Transfer Out' : STRATEGIES[kind],
  }
}

function marketOf({ market, status, group }: PublishedMarket, { settings }: SharedServices) {
  const { marketId: id, slug: name, title, conditionId, deadlineMs } = market
  const condition = conditionId === '' ? {} : { conditionId }
  const { symbol, address, decimals } = settings.collateral
  return {
    id: String(id),
    slug: name,
    title,
    ...condition,
    funding: '0',
    closed: status === 'RESOLVED',
    collateral: { symbol, id: address, decimals },
    group: group === null ? null : { slug: group.market.slug, title: group.market.title },
    expirationDate: deadlineMs === null ? 'No deadline' : new Date(deadlineMs).toUTCString(),
  }
}

export function viewOf(row: HistoryRow, market: PublishedMarket, services: SharedServices) {
  const actedMs = row.what === 'TRADE' ? row.part.nowMs : row.movedMs
  const own = row.what === 'TRADE' ? tradeView(row.part, row, services) : moveView(row.move)
  return {
    blockTimestamp: Math.floor((row.minedMs ?? actedMs) / MS_PER_SEC),
    market: marketOf(market, services),
    transactionHash: row.txHash,
    ...own,
  }
}

export const entry = () =>
  named(
    'HistoryEntry',
    object({
      blockTimestamp: means(integer(0), 'Unix seconds of its block; of the act until it has one.'),
      market: means(
        object({
          id: means(text(), 'Id of the market as text; for a conversion, of its group.'),
          slug: slug(),
          title: means(text(), 'The question of the market.'),
          conditionId: means(
            optional(bytes32()),
            'Condition id of the market; absent for a group.',
          ),
          funding: means(text(), 'Always 0: the market detail has its liquidity.'),
          closed: means(boolean(), 'True once the market is resolved.'),
          collateral: means(
            object({
              symbol: means(text(), 'Symbol of the collateral token.'),
              id: means(text(), 'Address of the collateral token.'),
              decimals: means(integer(0), 'Decimals of the collateral token.'),
            }),
            'The collateral of the market.',
          ),
          group: means(
            anyOf(
              object({ slug: slug(), title: means(text(), 'Title of the group.') }),
              schemaOf<null>({ type: 'null' }),
            ),
            'The group of the market; null for none.',
          ),
          expirationDate: means(text(), 'When trading ends, as text.'),
        }),
        'The market of the act.',
      ),
      transactionHash: means(nullable(bytes32()), 'Its transaction; null until it is in a block.'),
      collateralAmount: means(wholeText(), 'Collateral moved, in whole units, after the fee.'),
      outcomeIndex: means(optional(integer(0, 1)), 'Outcome of a trade: 0 for YES, 1 for NO.'),
      outcomeTokenAmount: means(optional(wholeText()), 'Shares moved by a trade, after the fee.'),
      outcomeTokenAmounts: means(
        list(wholeText()),
        'Shares moved: YES and NO; for a conversion, those of each child.',
      ),
      outcomeTokenPrice: means(optional(number(0, 1)), 'Average price of a trade, before the fee.'),
      strategy: means(
        text(),
        'Market Buy, Market Sell, Limit Buy, Limit Sell; Buy or Sell with a pool; Split, Merge, ' +
          'Convert, Claim, Add Liquidity or Remove Liquidity; Transfer In or Transfer Out of ' +
          'shares on a chain.',
      ),
      operation: means(optional(oneOf('buy', 'sell')), 'Whether a trade bought or sold.'),
      tradeEventId: means(optional(uint256Text()), 'Id of a trade, the same for its makers.'),
      orderId: means(optional(orderId()), "The caller's order in a trade."),
      makerMatchId: means(optional(text()), 'Id of a fill as the maker; absent for a taker.'),
    }),
  )

export const HISTORY_MARKET_EXAMPLE = {
  id: String(MARKET_EXAMPLE.id),
  slug: MARKET_EXAMPLE.slug,
  title: MARKET_EXAMPLE.title,
  conditionId: MARKET_EXAMPLE.conditionId,
  funding: '0',
  closed: false,
  collateral: {
    symbol: 'USDC',
    id: MARKET_EXAMPLE.collateralToken.address,
    decimals: 6,
  },
  group: null,
  expirationDate: 'No deadline',
}

// A profile's trades with pools (rules §9.2).

const TRADES_MAX = 500

export const portfolioTrades = route({
  method: 'GET',
  path: '/portfolio/trades',
  auth: eitherOf(hmac(), sessionOrIdentity()).forSubAccounts(),
  rateClass: 'private',
  about: `Lists the caller's newest ${TRADES_MAX} pool trades; GET /portfolio/history has all.`,
  reply: object({ data: means(list(entry()), 'Trades with pools, newest first.') }),
  means: "The caller's trades with pools; book trades are in the history.",
  rejects: ['READ_TIMEOUT'],
  example: {
    reply: {
      data: [
        {
          blockTimestamp: 1_767_225_600,
          market: HISTORY_MARKET_EXAMPLE,
          transactionHash: null,
          collateralAmount: '10',
          outcomeIndex: 0,
          outcomeTokenAmount: '19.821776',
          outcomeTokenAmounts: ['19.821776', '0'],
          outcomeTokenPrice: 0.504496,
          strategy: 'Buy',
          operation: 'buy',
        },
      ],
    },
  },
  handle: async ({ owner, caller, call }, services: PortfolioServices) => {
    const requester = requesterOf({ caller, call })
    const rows = await services.reads.read(poolTrades, { owner, limit: TRADES_MAX }, requester)
    if (rows === undefined) return refuse('READ_TIMEOUT')
    const idOf = (row: (typeof rows)[number]) =>
      row.what === 'MOVE' ? row.move.marketId : row.part.marketId
    const markets = await services.archive.byIds(rows.map(idOf), requester)
    if (markets === undefined) return refuse('READ_TIMEOUT')
    const data = rows.flatMap((row) => {
      const market = markets.get(idOf(row))
      return market === undefined ? [] : [viewOf(row, market, services)]
    })
    return { data }
  },
})

const LIMIT_MAX = 100
const LIMIT_DEFAULT = 20
const PUBLIC_CACHED_SEC = 5
const CURSOR_CHARACTERS_MAX = 80

const pageQuery = () => ({
  limit: means(defaulted(integer(1, LIMIT_MAX), LIMIT_DEFAULT), 'Maximum acts per page.'),
  cursor: means(
    optional(pattern(`^[A-Za-z0-9_-]{0,${CURSOR_CHARACTERS_MAX}}$`, 'Base64url text.')),
    'nextCursor of the previous page, for the same market; absent or empty for the first page.',
  ),
  market: means(optional(slug()), 'Slug of the one market to list; absent for all.'),
})

const historyPage = () =>
  object({
    data: means(list(entry()), 'The acts of this page, newest first.'),
    nextCursor: means(nullable(text()), 'Cursor of the next page; null on the last page.'),
  })

async function pageOf(
  owner: ProfileId,
  query: Values<ReturnType<typeof pageQuery>>,
  requester: Requester,
  services: SharedServices,
) {
  const { archive, reads } = services
  const named = query.market
  const one = named === undefined ? null : await archive.bySlug(named, requester)
  if (one === undefined) return refuse('READ_TIMEOUT')
  if (named !== undefined && one === null) return refuse('MARKET_NOT_FOUND')
  const marketId = one?.market.marketId ?? null
  const listed = String(marketId ?? 0)
  const before = placeIn(query.cursor ?? '', listed)
  if (before === null) return invalidCursor()
  const requested = { owner, before, limit: query.limit, marketId }
  const page = await reads.read(historyOf, requested, requester)
  if (page === undefined) return refuse('READ_TIMEOUT')
  const ids = page.rows.map((row) => (row.what === 'TRADE' ? row.part : row.move).marketId)
  const markets = await archive.byIds(ids, requester)
  if (markets === undefined) return refuse('READ_TIMEOUT')
  const data = page.rows.flatMap((row, index) => {
    const market = markets.get(ids[index])
    return market === undefined ? [] : [viewOf(row, market, services)]
  })
  const nextCursor = page.next === null ? null : cursorOf(page.next, listed)
  return { data, nextCursor }
}

export const portfolioHistory = route({
  method: 'GET',
  path: '/portfolio/history',
  auth: eitherOf(hmac(), sessionOrIdentity()).forSubAccounts(),
  rateClass: 'private',
  about: 'Lists trades, splits, merges, conversions and claims of the caller, newest first.',
  query: pageQuery(),
  reply: historyPage(),
  means: "A page of the caller's acts, without reversed trades.",
  rejects: ['VALIDATION', 'MARKET_NOT_FOUND', 'READ_TIMEOUT'],
  example: {
    query: { limit: 20 },
    reply: {
      data: [
        {
          blockTimestamp: 1_767_225_600,
          market: HISTORY_MARKET_EXAMPLE,
          transactionHash: null,
          collateralAmount: '45',
          outcomeIndex: 0,
          outcomeTokenAmount: '97',
          outcomeTokenAmounts: ['97', '0'],
          outcomeTokenPrice: 0.45,
          strategy: 'Market Buy',
          operation: 'buy',
          tradeEventId: '42',
          orderId: ORDER_ID,
        },
      ],
      nextCursor: cursorOf({ seq: 42, leg: 0 }, '0'),
    },
  },
  handle: ({ query, owner, caller, call }, services: SharedServices) =>
    pageOf(owner, query, requesterOf({ caller, call }), services),
})

export const accountHistory = route({
  method: 'GET',
  path: '/portfolio/:account/history',
  auth: open(),
  rateClass: 'public',
  cache: cached(lasting(PUBLIC_CACHED_SEC)),
  about: 'Lists trades, splits, merges, conversions and claims of an account, without order ids.',
  params: { account: account() },
  query: pageQuery(),
  reply: historyPage(),
  means: "A page of the account's acts; empty for an unknown account.",
  rejects: ['VALIDATION', 'MARKET_NOT_FOUND', 'READ_TIMEOUT'],
  example: {
    params: { account: ACCOUNT },
    query: { limit: LIMIT_DEFAULT },
    reply: { data: [], nextCursor: null },
  },
  handle: async ({ params, query, call }, services: SharedServices) => {
    const owner = profileOf(params.account, services)
    if (owner instanceof Refusal) return owner
    const page = await pageOf(owner, query, publicRequester(call), services)
    if (page instanceof Refusal) return page
    const data = page.data.map((entry) => {
      const named = { orderId: undefined, makerMatchId: undefined, ...entry }
      const { orderId: _order, makerMatchId: _match, ...shown } = named
      return shown
    })
    return { data, nextCursor: page.nextCursor }
  },
})

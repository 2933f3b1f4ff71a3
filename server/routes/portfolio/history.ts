// What a profile did: trades, pairs, conversions and claims, newest first (rules §9.2).

import type { MoveFact } from '../../../engine/core/moves/move-facts.ts'
import type { MarketId } from '../../../engine/domain/ids.ts'
import { SIDE } from '../../../engine/domain/order.ts'
import { MS_PER_SEC, UNIT_RAW } from '../../../engine/domain/units.ts'
import {
  type HistoryRow,
  history as historyOf,
  type Place,
} from '../../../persistence/query/read/portfolio/history.ts'
import type { TradePart } from '../../../persistence/query/read/trade-parts.ts'
import { eitherOf, hmac, sessionOrIdentity } from '../../http/auth-scheme.ts'
import { invalid, refuse } from '../../http/refusal.ts'
import { route } from '../../http/route.ts'
import { bytes32, orderId, slug } from '../../http/schema/fields.ts'
import { means } from '../../http/schema/meaning.ts'
import {
  boolean,
  integer,
  nullable,
  number,
  oneOf,
  pattern,
  text,
} from '../../http/schema/scalars.ts'
import { anyOf, list, object, optional, schemaOf } from '../../http/schema/schema.ts'
import type { PublishedMarket } from '../../pipeline/shown/published.ts'
import { askerOf } from '../../services/private-reads.ts'
import { MARKET_EXAMPLE, ORDER_ID } from '../examples.ts'
import type { Services } from '../services.ts'

const LIMIT_MAX = 100
const CURSOR_CHARACTERS_MAX = 80
const CURSOR = /^([1-9][0-9]{0,15})\.([0-9]{1,15})\.([0-9]{1,15})$/
const FIRST: Place = { seq: Number.MAX_SAFE_INTEGER, leg: 0 }
const STRATEGIES = {
  SPLIT: 'Split',
  MERGE: 'Merge',
  REDEEM: 'Claim',
  CONVERT: 'Convert',
  WITHDRAW: 'Withdraw',
} as const

/** A cursor names the last act of its page, and the market that its list is of; 0 for all. */
function cursorOf({ seq, leg }: Place, marketId: MarketId): string {
  return Buffer.from(`${seq}.${leg}.${marketId}`).toString('base64url')
}

/** Null for a text that is no cursor of this list. */
function placeIn(cursor: string, marketId: MarketId): Place | null {
  if (cursor === '') return FIRST
  const said = CURSOR.exec(Buffer.from(cursor, 'base64url').toString())
  if (said === null) return null
  const place = { seq: Number(said[1]), leg: Number(said[2]) }
  return cursorOf(place, marketId) === cursor ? place : null
}

/** Raw units as a human decimal. */
function decimalOf(raw: number): string {
  const size = Math.abs(raw)
  const whole = Math.floor(size / UNIT_RAW)
  const rest = String(size % UNIT_RAW)
    .padStart(6, '0')
    .replace(/0+$/, '')
  return `${raw < 0 ? '-' : ''}${whole}${rest === '' ? '' : `.${rest}`}`
}

/** What moved on the account: a fee is taken from what it got. */
function tradeView(part: TradePart, { seq, leg }: Place, { pipeline }: Services) {
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

function moveView({ kind, yesRaw, noRaw, collateralRaw, converted }: MoveFact) {
  const shares = converted?.map((each) => each.yesRaw + each.noRaw) ?? [yesRaw, noRaw]
  return {
    collateralAmount: decimalOf(Math.abs(collateralRaw)),
    outcomeTokenAmounts: shares.map((raw) => decimalOf(Math.abs(raw))),
    strategy: STRATEGIES[kind],
  }
}

function marketOf({ market, status, group }: PublishedMarket, { settings }: Services) {
  const { marketId: id, slug: name, title, conditionId, deadlineMs } = market
  const { symbol, address, decimals } = settings.collateral
  return {
    ...{ id, slug: name, title, conditionId, funding: '0' },
    closed: status === 'RESOLVED',
    collateral: { symbol, id: address, decimals },
    group: group === null ? null : { slug: group.market.slug, title: group.market.title },
    expirationDate: deadlineMs === null ? 'No deadline' : new Date(deadlineMs).toUTCString(),
  }
}

function viewOf(row: HistoryRow, market: PublishedMarket, services: Services) {
  const actedMs = row.what === 'TRADE' ? row.part.nowMs : row.movedMs
  const own = row.what === 'TRADE' ? tradeView(row.part, row, services) : moveView(row.move)
  return {
    blockTimestamp: Math.floor((row.minedMs ?? actedMs) / MS_PER_SEC),
    market: marketOf(market, services),
    transactionHash: row.txHash,
    ...own,
  }
}

const human = () => pattern('^-?(0|[1-9][0-9]*)([.][0-9]{1,6})?$', 'Whole units as decimal text.')

const entry = () =>
  object({
    blockTimestamp: means(integer(0), 'Unix seconds of its block; of the act until it has one.'),
    market: means(
      object({
        id: means(integer(1), 'Number of the market; of a conversion, of its group.'),
        slug: slug(),
        title: means(text(), 'The question that the market asks.'),
        conditionId: means(text(), 'Condition id of the market; empty for a group.'),
        funding: means(text(), 'Always 0: no market has a pool yet.'),
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
          'The group that the market belongs to; null for none.',
        ),
        expirationDate: means(text(), 'When trading ends, as text.'),
      }),
      'The market of the act.',
    ),
    transactionHash: means(nullable(bytes32()), 'Its transaction; null until a block holds it.'),
    collateralAmount: means(human(), 'Collateral that moved, whole units, after the fee.'),
    outcomeIndex: means(optional(integer(0, 1)), 'Outcome of a trade: 0 for YES, 1 for NO.'),
    outcomeTokenAmount: means(optional(human()), 'Shares that a trade moved, after the fee.'),
    outcomeTokenAmounts: means(
      list(human()),
      'Shares that moved: YES and NO; of a conversion, those of each child.',
    ),
    outcomeTokenPrice: means(optional(number(0, 1)), 'Average price of a trade, before the fee.'),
    strategy: means(
      text(),
      'Market Buy, Market Sell, Limit Buy, Limit Sell, Split, Merge, Convert or Claim.',
    ),
    operation: means(optional(oneOf('buy', 'sell')), 'Whether a trade bought or sold.'),
    tradeEventId: means(optional(text()), 'Id of a trade; its makers have the same.'),
    orderId: means(optional(orderId()), 'The own order of a trade.'),
    makerMatchId: means(optional(text()), 'Id of a fill as the maker; absent for a taker.'),
  })

export const portfolioHistory = route({
  method: 'GET',
  path: '/portfolio/history',
  auth: eitherOf(hmac(), sessionOrIdentity()).forSubAccounts(),
  lane: 'private',
  about: 'Trades, splits, merges, conversions and claims of the caller, newest first.',
  query: {
    limit: means(integer(1, LIMIT_MAX), 'Most acts on a page of the list.'),
    cursor: means(
      optional(pattern(`^[A-Za-z0-9_-]{0,${CURSOR_CHARACTERS_MAX}}$`, 'Base64url text.')),
      'nextCursor of the page before, of the same market; absent or empty for the first page.',
    ),
    market: means(optional(slug()), 'Slug of the one market to show; absent for all.'),
  },
  reply: object({
    data: means(list(entry()), 'The acts of this page, newest first.'),
    nextCursor: means(nullable(text()), 'Cursor of the next page; null on the last one.'),
  }),
  means: 'A page of what the caller did; a trade that was taken back is left out.',
  rejects: ['VALIDATION', 'MARKET_NOT_FOUND', 'READ_TIMEOUT'],
  example: {
    query: { limit: 20 },
    reply: {
      data: [
        {
          blockTimestamp: 1_767_225_600,
          market: {
            id: MARKET_EXAMPLE.id,
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
          },
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
      nextCursor: cursorOf({ seq: 42, leg: 0 }, 0),
    },
  },
  handle: async ({ query, owner, caller, call }, services: Services) => {
    const { archive, reads } = services
    const asker = askerOf({ caller, call })
    const named = query.market
    const one = named === undefined ? null : await archive.bySlug(named, asker)
    if (one === undefined) return refuse('READ_TIMEOUT')
    if (named !== undefined && one === null) return refuse('MARKET_NOT_FOUND')
    const marketId = one?.market.marketId ?? null
    const before = placeIn(query.cursor ?? '', marketId ?? 0)
    if (before === null) {
      return invalid({ field: 'cursor', message: 'is not a cursor of this list' })
    }
    const asked = { owner, before, limit: query.limit, marketId }
    const page = await reads.read(historyOf, asked, asker)
    if (page === undefined) return refuse('READ_TIMEOUT')
    const ids = page.rows.map((row) => (row.what === 'TRADE' ? row.part : row.move).marketId)
    const markets = await archive.byIds(ids, asker)
    if (markets === undefined) return refuse('READ_TIMEOUT')
    const data = page.rows.flatMap((row, index) => {
      const market = markets.get(ids[index])
      return market === undefined ? [] : [viewOf(row, market, services)]
    })
    const nextCursor = page.next === null ? null : cursorOf(page.next, marketId ?? 0)
    return { data, nextCursor }
  },
})

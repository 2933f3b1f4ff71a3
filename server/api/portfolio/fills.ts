// The trades of a profile in books, each with its role and fee (rules §9.2).

import type { MarketId } from '../../../engine/domain/ids.ts'
import { SETTLEMENT_STATUSES } from '../../../engine/domain/moves/move-command.ts'
import { SIDE } from '../../../engine/domain/order.ts'
import { UNIT_RAW } from '../../../engine/domain/units.ts'
import {
  type FillRow,
  fills as fillsOf,
  ROLES,
  type Role,
} from '../../../persistence/query/read/portfolio/history.ts'
import { eitherOf, hmac, sessionOrIdentity } from '../../auth/auth-scheme.ts'
import { cursorOf, invalidCursor, placeIn } from '../../edge/http/cursor.ts'
import { route } from '../../edge/http/route.ts'
import { bytes32, isoTime, orderId, slug, uint256Text } from '../../edge/http/schema/fields.ts'
import {
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
import { list, object, optional } from '../../edge/http/schema/schema.ts'
import type { PublishedMarket } from '../../exchange/read-model/published.ts'
import { isoText } from '../../messages/iso-text.ts'
import { invalid, refuse } from '../../messages/refusal.ts'
import { MARKET_EXAMPLE, ORDER_ID } from '../examples.ts'
import { requesterOf } from '../reads/private-reads.ts'
import type { PortfolioServices } from './services.ts'

const LIMIT_MAX = 500
const LIMIT_DEFAULT = 100
const CURSOR_CHARACTERS_MAX = 160

/** The filter of a list. A cursor is valid only for the list that returned it. */
interface Filter {
  readonly marketId: MarketId | null
  readonly from: number | undefined
  readonly to: number | undefined
  readonly role: Role | undefined
}

function listedBy({ marketId, from, to, role }: Filter): string {
  return [marketId ?? 0, from ?? '', to ?? '', role ?? ''].join('.')
}

const fill = () =>
  named(
    'Fill',
    object({
      tradeEventId: means(uint256Text(), 'Id of the trade, the same for its taker and makers.'),
      makerMatchId: means(optional(text()), 'Id of the fill as the maker; absent for the taker.'),
      orderId: orderId(),
      clientOrderId: means(optional(text()), 'Client order id of the order.'),
      marketSlug: slug(),
      marketId: means(integer(1), 'Id of the market.'),
      tokenId: means(uint256Text(), 'The traded token.'),
      outcome: means(oneOf('YES', 'NO'), 'Outcome of that token.'),
      side: means(oneOf('BUY', 'SELL'), "Side of the caller's order."),
      role: means(
        oneOf(...ROLES),
        'TAKER for the incoming order, with all makers that it matched; otherwise MAKER.',
      ),
      price: means(number(0, 1), 'Price of one share before fees; for a taker, the average.'),
      size: means(integer(1), 'Raw shares traded.'),
      collateral: means(uint256Text(), 'Raw collateral traded, before the fee.'),
      fee: means(uint256Text(), 'Raw fee taken from the amount received: 0 for a maker.'),
      feeAsset: means(oneOf('SHARES', 'COLLATERAL'), 'Asset of the fee: shares for a buy.'),
      feeRateBps: means(integer(0), 'Rate of the fee in basis points.'),
      settlementStatus: means(oneOf(...SETTLEMENT_STATUSES), 'Settlement status of the trade.'),
      transactionHash: means(nullable(bytes32()), 'Its transaction; null until it is in a block.'),
      timestamp: means(isoTime(), 'When the trade was made.'),
    }),
  )

function viewOf({ seq, leg, part, settlement }: FillRow, shown: PublishedMarket, ids: Ids) {
  const { market } = shown
  const { isTaker, side, outcome, sharesRaw, collateralRaw, clientOrderId, feeRaw } = part
  const buys = side === SIDE.BUY
  return {
    tradeEventId: String(seq),
    ...(isTaker ? {} : { makerMatchId: `${seq}-${leg}` }),
    orderId: ids.text(part.slot, part.generation),
    ...(clientOrderId === '' ? {} : { clientOrderId }),
    marketSlug: market.slug,
    marketId: market.marketId,
    tokenId: outcome === 0 ? market.yesTokenId : market.noTokenId,
    outcome: outcome === 0 ? ('YES' as const) : ('NO' as const),
    side: buys ? ('BUY' as const) : ('SELL' as const),
    role: isTaker ? ('TAKER' as const) : ('MAKER' as const),
    price: Math.round((collateralRaw / sharesRaw) * UNIT_RAW) / UNIT_RAW,
    size: sharesRaw,
    collateral: String(collateralRaw),
    fee: String(feeRaw),
    feeAsset: buys ? ('SHARES' as const) : ('COLLATERAL' as const),
    feeRateBps: isTaker ? part.feeBps : 0,
    settlementStatus: settlement.status,
    transactionHash: settlement.txHash,
    timestamp: isoText(part.nowMs),
  }
}

type Ids = PortfolioServices['pipeline']['ids']

const time = () => optional(integer(0))

export const portfolioFills = route({
  method: 'GET',
  path: '/portfolio/fills',
  auth: eitherOf(hmac(), sessionOrIdentity()).forSubAccounts(),
  rateClass: 'private',
  about: "Lists the caller's trades in books, newest first, with role, fee and settlement.",
  query: {
    limit: means(defaulted(integer(1, LIMIT_MAX), LIMIT_DEFAULT), 'Maximum fills per page.'),
    cursor: means(
      optional(pattern(`^[A-Za-z0-9_-]{0,${CURSOR_CHARACTERS_MAX}}$`, 'Base64url text.')),
      'nextCursor of the previous page, with the same filters; absent or empty for the first page.',
    ),
    market: means(optional(slug()), 'Slug of the one market to list; absent for all.'),
    from: means(time(), 'Only trades from this time on, in Unix milliseconds.'),
    to: means(time(), 'Only trades before this time, in Unix milliseconds.'),
    role: means(optional(oneOf(...ROLES)), 'Only trades in this role; absent for both.'),
  },
  reply: object({
    data: means(list(fill()), 'The fills of this page, newest first.'),
    nextCursor: means(nullable(text()), 'Cursor of the next page; null on the last page.'),
  }),
  means: 'A page of fills, without reversed trades.',
  rejects: ['VALIDATION', 'MARKET_NOT_FOUND', 'READ_TIMEOUT'],
  example: {
    query: { limit: 100, role: 'TAKER' },
    reply: {
      data: [
        {
          tradeEventId: '42',
          orderId: ORDER_ID,
          marketSlug: MARKET_EXAMPLE.slug,
          marketId: MARKET_EXAMPLE.id,
          tokenId: MARKET_EXAMPLE.tokens.yes,
          outcome: 'YES',
          side: 'BUY',
          role: 'TAKER',
          price: 0.45,
          size: 100_000_000,
          collateral: '45000000',
          fee: '3000000',
          feeAsset: 'SHARES',
          feeRateBps: 300,
          settlementStatus: 'MATCHED',
          transactionHash: null,
          timestamp: '2026-01-01T00:00:00.000Z',
        },
      ],
      nextCursor: null,
    },
  },
  handle: async ({ query, owner, caller, call }, services: PortfolioServices) => {
    const { archive, reads, pipeline } = services
    const { market: named, from, to, role, limit } = query
    if (from !== undefined && to !== undefined && from >= to) {
      return invalid({ field: 'to', message: 'must be after from' })
    }
    const requester = requesterOf({ caller, call })
    const one = named === undefined ? null : await archive.bySlug(named, requester)
    if (one === undefined) return refuse('READ_TIMEOUT')
    if (named !== undefined && one === null) return refuse('MARKET_NOT_FOUND')
    const marketId = one?.market.marketId ?? null
    const listed = listedBy({ marketId, from, to, role })
    const before = placeIn(query.cursor ?? '', listed)
    if (before === null) return invalidCursor()
    const times = { fromMs: from ?? 0, toMs: to ?? Number.POSITIVE_INFINITY }
    const roles = role === undefined ? ROLES : [role]
    const requested = { owner, before, limit, marketId, ...times, roles }
    const page = await reads.read(fillsOf, requested, requester)
    if (page === undefined) return refuse('READ_TIMEOUT')
    const markets = await archive.byIds(
      page.rows.map(({ part }) => part.marketId),
      requester,
    )
    if (markets === undefined) return refuse('READ_TIMEOUT')
    const data = page.rows.flatMap((row) => {
      const shown = markets.get(row.part.marketId)
      return shown === undefined ? [] : [viewOf(row, shown, pipeline.ids)]
    })
    return { data, nextCursor: page.next === null ? null : cursorOf(page.next, listed) }
  },
})

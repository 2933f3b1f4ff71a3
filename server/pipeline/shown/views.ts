// Published facts in the shapes of the API (rules §3.5, §11, §12.3, §12.4).

import { ORDER_STATUSES, ORDER_TYPES, SIDE } from '../../../engine/domain/order.ts'
import { costCeilRaw, costFloorRaw, totalOf } from '../../../engine/domain/units.ts'
import type { OrderRow } from '../../../persistence/query/read/user-orders.ts'
import { isoText } from '../../http/iso-text.ts'
import { adjustedMidTicks, midTicks, price } from './book-views.ts'
import type { OrderIds } from './order-ids.ts'
import type { PublishedMarket } from './published.ts'

/** Collateral of the exchange, as every market names it. */
export interface CollateralToken {
  readonly address: string
  readonly decimals: number
  readonly symbol: string
}

const ONE = 1000
/** What a market without a deadline shows: typed clients know no null there. */
const NO_DEADLINE = 'No deadline'
const NO_DEADLINE_MS = Date.UTC(9999, 11, 31)

/** The worth of a YES share in half ticks, out of 2,000 (rules §9.1). Its payout once resolved. */
export function yesMarkHalfTicks(published: PublishedMarket): number {
  const { payoutNumerators: payout, depth, lastYesTicks } = published
  if (payout !== null) return Math.floor((2 * ONE * payout[0]) / (payout[0] + payout[1]))
  const isEmpty = depth.bestBid() === 0 && depth.bestAsk() === ONE
  if (isEmpty) return lastYesTicks === 0 ? ONE : 2 * lastYesTicks
  return 2 * adjustedMidTicks(published)
}

/** The best prices that a trader of YES and a trader of NO meet (rules §11.4). */
function tradePrices({ depth }: PublishedMarket) {
  const bid = price(depth.bestBid())
  const ask = price(depth.bestAsk())
  const noBid = price(ONE - depth.bestAsk())
  const noAsk = price(ONE - depth.bestBid())
  return {
    buy: { market: [ask, noAsk], limit: [bid, noBid] },
    sell: { market: [bid, noBid], limit: [ask, noAsk] },
  }
}

/** The index that won; null for a payout split and for a market that is not resolved. */
function winnerOf(payoutNumerators: readonly [number, number] | null): number | null {
  if (payoutNumerators === null) return null
  if (payoutNumerators[0] > 0 && payoutNumerators[1] > 0) return null
  return payoutNumerators[0] > 0 ? 0 : 1
}

function settlementFields(published: PublishedMarket) {
  const winningOutcomeIndex = winnerOf(published.payoutNumerators)
  const isSplit = published.payoutNumerators !== null && winningOutcomeIndex === null
  return { winningOutcomeIndex, payoutNumerators: isSplit ? published.payoutNumerators : null }
}

/** Empty where takers are not delayed (rules §4.3). */
function delayField({ takerDelayMs }: PublishedMarket['market']): { takerDelayMs?: number } {
  return takerDelayMs === 0 ? {} : { takerDelayMs }
}

function bookFields(published: PublishedMarket) {
  const { market } = published
  const yesMid = midTicks(published.depth.bestBid(), published.depth.bestAsk())
  return {
    conditionId: market.conditionId,
    negRiskRequestId: null,
    tokens: { yes: market.yesTokenId, no: market.noTokenId },
    positionIds: [market.yesTokenId, market.noTokenId],
    prices: [price(yesMid), price(ONE - yesMid)],
    tradePrices: tradePrices(published),
    isRewardable: false,
    settings: {
      minSize: String(market.minSizeRaw),
      maxSpread: market.maxSpread,
      dailyReward: '0',
      rewardsEpoch: 0,
      c: 3,
      ...delayField(market),
    },
    venue: { exchange: market.exchangeAddress, adapter: market.adapterAddress },
  }
}

const RAW_PER_CENT = 10_000n

/** Whole units with two decimals, rounded half up. */
export function centsText(raw: bigint): string {
  const cents = (raw + RAW_PER_CENT / 2n) / RAW_PER_CENT
  return `${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`
}

export function marketView(
  published: PublishedMarket,
  collateralToken: CollateralToken,
  nowMs: number,
) {
  const { market } = published
  const { deadlineMs } = market
  return {
    id: market.marketId,
    slug: market.slug,
    title: market.title,
    proxyTitle: null,
    description: market.description,
    collateralToken,
    expirationDate: deadlineMs === null ? NO_DEADLINE : new Date(deadlineMs).toUTCString(),
    expirationTimestamp: deadlineMs ?? NO_DEADLINE_MS,
    expired: deadlineMs !== null && deadlineMs <= nowMs,
    createdAt: isoText(market.createdMs),
    updatedAt: isoText(published.updatedMs),
    categories: [...market.categories],
    status: published.status,
    creator: { name: 'outcomex' },
    tags: [...market.tags],
    tradeType: 'clob' as const,
    marketType: 'single' as const,
    priorityIndex: 0,
    metadata: { fee: market.feeEnabled, ...delayField(market) },
    volume: String(totalOf(published.volume)),
    volumeFormatted: centsText(totalOf(published.volume)),
    automationType: 'manual' as const,
    imageUrl: null,
    logo: null,
    ...settlementFields(published),
    ...bookFields(published),
  }
}

/** The price a title asks about: "… above $95,000 …" gives 95000. */
function strikePrice(title: string): string | null {
  const found = /\$\s?([0-9][0-9,]*(?:\.[0-9]+)?)/.exec(title)
  return found === null ? null : found[1].replaceAll(',', '')
}

/** A market in the list of slugs. These fields do not change while the market is active. */
export function slugView({ market: { slug, title, deadlineMs } }: PublishedMarket) {
  return {
    slug,
    strikePrice: strikePrice(title),
    ticker: null,
    deadline: deadlineMs === null ? null : isoText(deadlineMs),
  }
}

/** Both signed amounts, which follow from the fields of the order (rules §1.5, §1.6). */
export function amountsOf(row: OrderRow): { makerRaw: number; takerRaw: number } {
  if (row.marketForm === 1) {
    return { makerRaw: row.side === SIDE.BUY ? row.spendRaw : row.sizeRaw, takerRaw: 1 }
  }
  return row.side === SIDE.BUY
    ? { makerRaw: costCeilRaw(row.priceTicks, row.sizeRaw), takerRaw: row.sizeRaw }
    : { makerRaw: row.sizeRaw, takerRaw: costFloorRaw(row.priceTicks, row.sizeRaw) }
}

export function userOrderView(row: OrderRow, { market }: PublishedMarket, ids: OrderIds) {
  const { makerRaw, takerRaw } = amountsOf(row)
  const bySpend = row.marketForm === 1 && row.side === SIDE.BUY
  const originalRaw = bySpend ? row.spendRaw : row.sizeRaw
  const isHeld = row.eligibleMs !== null
  return {
    id: ids.text(row.slot, row.generation),
    createdAt: isoText(row.placedMs),
    ownerId: row.accountId,
    marketId: String(row.marketId),
    token: row.outcome === 0 ? market.yesTokenId : market.noTokenId,
    type: ORDER_TYPES[row.orderType],
    status: ORDER_STATUSES[row.status],
    side: row.side === SIDE.BUY ? ('BUY' as const) : ('SELL' as const),
    makerAmount: String(makerRaw),
    takerAmount: String(takerRaw),
    price: row.marketForm === 1 ? null : String(price(row.priceTicks)),
    originalSize: String(originalRaw),
    // A held market buy still has all that it spends (rules §4.3).
    remainingSize: String(isHeld ? originalRaw : row.remainingRaw),
    ...(row.clientOrderId === null ? {} : { clientOrderId: row.clientOrderId }),
  }
}

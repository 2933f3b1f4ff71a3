// Markets of every kind in the shape of the API (rules §11.4, §12.3), from published state.

import type { Market } from '../../../engine/core/markets/catalogue.ts'
import { assert } from '../../../engine/domain/assert.ts'
import { kindOf } from '../../../engine/domain/markets/market.ts'
import { poolFeeBpsOf } from '../../../engine/domain/moves/move-limits.ts'
import { BPS, type PriceE8, totalOf, UNIT_RAW } from '../../../engine/domain/units.ts'
import { isoText } from '../../messages/iso-text.ts'
import { midTicks, price } from './book-views.ts'
import { automationTypeOf, listedVolume } from './market-kinds.ts'
import { poolLiquidityRaw, poolYesE6 } from './pool-views.ts'
import type { PublishedMarket } from './published.ts'

/** The collateral of the exchange, as shown in every market. */
export interface CollateralToken {
  readonly address: string
  readonly decimals: number
  readonly symbol: string
}

const ONE = 1000
const PERCENT = 100
const E6_PER_PERCENT = UNIT_RAW / PERCENT
const MINUTES_PER_DAY = 1440
/** Shown for a market without a deadline: typed clients do not expect null there. */
const NO_DEADLINE = 'No deadline'
/** The oracle is the exchange's own. */
const NO_PYTH_FEED = ''
export const NO_DEADLINE_MS = Date.UTC(9999, 11, 31)

type Pair = readonly [yes: number, no: number]

/** The payout per share of each outcome; null until the market is resolved. */
function paidPrices({ payoutNumerators: payout }: PublishedMarket): Pair | null {
  if (payout === null) return null
  const [yes, no] = payout
  return [yes / (yes + no), no / (yes + no)]
}

/** The best prices available to traders of YES and of NO (rules §11.4). */
function tradePrices({ depth }: PublishedMarket, paid: Pair | null) {
  if (paid !== null)
    return { buy: { market: paid, limit: paid }, sell: { market: paid, limit: paid } }
  const bid = price(depth.bestBid())
  const ask = price(depth.bestAsk())
  const noBid = price(ONE - depth.bestAsk())
  const noAsk = price(ONE - depth.bestBid())
  return {
    buy: { market: [ask, noAsk], limit: [bid, noBid] },
    sell: { market: [bid, noBid], limit: [ask, noAsk] },
  }
}

/** The index of the winning outcome; null for a split payout and for an unresolved market. */
function winnerOf(payoutNumerators: readonly [number, number] | null): number | null {
  if (payoutNumerators === null) return null
  if (payoutNumerators[0] > 0 && payoutNumerators[1] > 0) return null
  return payoutNumerators[0] > 0 ? 0 : 1
}

export function settlementFields(published: PublishedMarket) {
  const winningOutcomeIndex = winnerOf(published.payoutNumerators)
  const isSplit = published.payoutNumerators !== null && winningOutcomeIndex === null
  return { winningOutcomeIndex, payoutNumerators: isSplit ? published.payoutNumerators : null }
}

/** Empty where takers are not delayed (rules §4.3). */
function delayField({ takerDelayMs, noDelayedCancel = false }: Market) {
  if (takerDelayMs === 0) return {}
  return noDelayedCancel ? { takerDelayMs, delayedCancel: false } : { takerDelayMs }
}

/** Whole collateral per day as text, and raw collateral per minute. */
function rewardFields({ dailyRewardRaw = 0, rebateBps }: Market) {
  return {
    dailyReward: String(dailyRewardRaw / UNIT_RAW),
    rewardsEpoch: dailyRewardRaw / UNIT_RAW / MINUTES_PER_DAY,
    c: 3,
    ...(rebateBps === undefined ? {} : { rebateRate: rebateBps / BPS }),
  }
}

function tokenFields({ conditionId, yesTokenId, noTokenId }: Market) {
  return {
    conditionId,
    tokens: { yes: yesTokenId, no: noTokenId },
    positionIds: [yesTokenId, noTokenId],
  }
}

function venueField({ exchangeAddress, adapterAddress }: Market) {
  return { venue: { exchange: exchangeAddress, adapter: adapterAddress } }
}

function bookFields(published: PublishedMarket) {
  const { market, group } = published
  const { orderInGroup, slot } = market
  const yesMid = midTicks(published.depth.bestBid(), published.depth.bestAsk())
  // A share of a resolved market is worth its payout, whatever its last book (rules §9.1).
  const paid = paidPrices(published)
  return {
    tradeType: 'clob' as const,
    marketType: 'single' as const,
    ...tokenFields(market),
    negRiskRequestId: market.negRiskId ?? null,
    prices: paid ?? [price(yesMid), price(ONE - yesMid)],
    tradePrices: tradePrices(published, paid),
    isRewardable: (market.dailyRewardRaw ?? 0) > 0,
    settings: {
      minSize: String(market.minSizeRaw),
      maxSpread: market.maxSpread,
      ...rewardFields(market),
      ...delayField(market),
    },
    ...venueField(market),
    ...(orderInGroup === undefined ? {} : { orderInGroup }),
    ...(group === null ? {} : { groupSlug: group.market.slug, groupId: group.market.marketId }),
    ...(slot === undefined ? {} : { startAt: isoText(slot.startMs) }),
  }
}

/** The children appear like standalone markets. */
function groupFields(published: PublishedMarket, token: CollateralToken, nowMs: number) {
  const { market, children } = published
  return {
    tradeType: 'group' as const,
    marketType: 'group' as const,
    negRiskMarketId: market.negRiskId ?? '',
    outcomeTokens: children.map((child) => child.market.proxyTitle ?? child.market.title),
    markets: children.map((child) => {
      return { ...commonFields(child, token, nowMs), ...bookFields(child), nextMarket: null }
    }),
    dailyReward: String((market.dailyRewardRaw ?? 0) / UNIT_RAW),
    ...venueField(market),
  }
}

/** A pool shows percentages. It has no price until it is funded. */
function poolFields(published: PublishedMarket) {
  const { market, pool } = published
  assert(pool !== null, 'a market shown with a pool has one')
  const yesE6 = poolYesE6(pool)
  const paid = paidPrices(published)?.map((each) => each * PERCENT)
  const liquidityRaw = poolLiquidityRaw(pool)
  return {
    tradeType: 'amm' as const,
    marketType: 'single' as const,
    ...tokenFields(market),
    address: market.poolAddress ?? '',
    prices: paid ?? [yesE6 / E6_PER_PERCENT, (UNIT_RAW - yesE6) / E6_PER_PERCENT],
    liquidity: String(liquidityRaw),
    liquidityFormatted: centsText(BigInt(liquidityRaw)),
    openInterest: String(pool.openInterestRaw),
    openInterestFormatted: centsText(BigInt(pool.openInterestRaw)),
    // Beyond the spec: lets traders compute the pool's price for a trade (rules §7.2, §7.3).
    feeBps: poolFeeBpsOf(market),
    reserves: { yes: String(pool.reservesRaw[0]), no: String(pool.reservesRaw[1]) },
    ...venueField(market),
  }
}

function kindFields(published: PublishedMarket, token: CollateralToken, nowMs: number) {
  const kind = kindOf(published.market)
  if (kind === 'group') return groupFields(published, token, nowMs)
  return kind === 'amm' ? poolFields(published) : bookFields(published)
}

/** An oracle's price as decimal text without trailing zeros. */
export function priceText(priceE8: PriceE8): string {
  const digits = String(priceE8).padStart(9, '0')
  const whole = digits.slice(0, -8)
  const rest = digits.slice(-8).replace(/0+$/, '')
  return rest === '' ? whole : `${whole}.${rest}`
}

/** The opening and the closing price of a slot, once they are known. */
function oracleFields({ strikeE8, closeE8 }: Market) {
  return {
    ...(strikeE8 > 0 ? { openPrice: priceText(strikeE8) } : {}),
    ...(closeE8 > 0 ? { closePrice: priceText(closeE8) } : {}),
  }
}

/** The asset of the candles of a slot; empty for a market without an oracle (rules §12.3). */
function assetField({ asset, market: { logo = '' } }: PublishedMarket) {
  if (asset === null) return {}
  const { symbol, assetName: name, assetType } = asset
  const pair = `${symbol}/USD`
  const feed = { ticker: symbol, assetType, pythAddress: NO_PYTH_FEED, symbol: pair }
  return { priceOracleMetadata: { ...feed, name, logo } }
}

function nextView(next: PublishedMarket | null) {
  if (next?.market.slot === undefined || next.market.deadlineMs === null) return null
  const { slug, slot, deadlineMs } = next.market
  return { slug, startAt: isoText(slot.startMs), endAt: isoText(deadlineMs) }
}

const RAW_PER_CENT = 10_000n

/** Whole units with two decimals, rounded half up. */
export function centsText(raw: bigint): string {
  const cents = (raw + RAW_PER_CENT / 2n) / RAW_PER_CENT
  return `${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`
}

/** A market of any kind (rules §12.3). */
export function marketView(published: PublishedMarket, token: CollateralToken, nowMs: number) {
  return {
    ...commonFields(published, token, nowMs),
    ...kindFields(published, token, nowMs),
    nextMarket: nextView(published.next),
  }
}

function commonFields(published: PublishedMarket, collateralToken: CollateralToken, nowMs: number) {
  const { market } = published
  const { deadlineMs, proxyTitle = null, imageUrl = null, logo = null } = market
  const volume = totalOf(listedVolume(published))
  return {
    id: market.marketId,
    slug: market.slug,
    title: market.title,
    proxyTitle,
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
    priorityIndex: 0,
    metadata: { fee: market.feeEnabled, ...oracleFields(market), ...delayField(market) },
    volume: String(volume),
    volumeFormatted: centsText(volume),
    automationType: automationTypeOf(published),
    imageUrl,
    logo,
    ...assetField(published),
    ...settlementFields(published),
  }
}

/** The price in a title: "… above $95,000 …" gives 95000. */
function strikePrice(title: string): string | null {
  const found = /\$\s?([0-9][0-9,]*(?:\.[0-9]+)?)/.exec(title)
  return found === null ? null : found[1].replaceAll(',', '')
}

/** A market in the list of slugs; a group names its children. */
export function slugView({ market, children }: PublishedMarket) {
  const { slug, title, deadlineMs, strikeE8, properties } = market
  const ticker = properties?.ticker?.[0] ?? null
  const deadline = deadlineMs === null ? null : isoText(deadlineMs)
  if (kindOf(market) === 'group') {
    const markets = children.map((child) => ({ slug: child.market.slug }))
    return { slug, strikePrice: null, ticker, deadline, markets }
  }
  const strike = strikeE8 > 0 ? priceText(strikeE8) : strikePrice(title)
  return { slug, strikePrice: strike, ticker, deadline }
}

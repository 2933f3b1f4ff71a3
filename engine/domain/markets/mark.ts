// The value of a share of a market (rules §9.1). Positions, charts and boards use only this
// function, on main and on the follower. A mark requires a minimum size on both sides of the book,
// in the pool or in the trade, so that a price which costs nothing to quote does not count.

import { LIMITS } from '../limits.ts'
import { mulDivFloor, PRICE_ONE_TICKS, type PriceTicks, type SizeRaw, UNIT_RAW } from '../units.ts'
import type { MarketSpec } from './market.ts'

/** Sources of a share's value; the first available one applies. */
export const MARK_SOURCES = ['payout', 'pool', 'midpoint', 'lastTrade', 'cost'] as const

export interface Mark {
  readonly source: (typeof MARK_SOURCES)[number]
  /** Value of a YES share in millionths; null where a share is valued at its cost. */
  readonly yesE6: number | null
}

/** A market, and the newest of its fills that is large enough for a mark. */
export interface MarkedMarket extends Pick<MarketSpec, 'minSizeRaw'> {
  readonly payoutNumerators: readonly [number, number] | null
  /** YES price of that fill; 0 before the first. */
  readonly markYesTicks: PriceTicks
}

export interface MarkedPool {
  readonly reservesRaw: readonly [number, number]
  readonly yesE6: number
}

/** An owner's position in one outcome. */
export interface MarkedPosition {
  readonly outcome: number
  readonly sizeRaw: SizeRaw
  readonly costRaw: number
}

const E6_PER_HALF_TICK = UNIT_RAW / PRICE_ONE_TICKS / 2
const AT_COST: Mark = { source: 'cost', yesE6: null }
/** The product of the reserves of the smallest pool with a mark. */
const POOL_PRODUCT_MIN = BigInt(LIMITS.markSizeRawMin) ** 2n

/** Whether a fill of this size sets the mark. */
export function marksByTrade(sizeRaw: SizeRaw): boolean {
  return sizeRaw >= LIMITS.markSizeRawMin
}

/**
 * The price at which a side's orders, starting from the best, add up to `leastRaw`; null if they do
 * not. The column has the size at each tick; ask sizes are negative.
 */
function reachedTicks(signedRaw: Float64Array, isBid: boolean, leastRaw: SizeRaw): number | null {
  const sign = isBid ? 1 : -1
  let sumRaw = 0
  for (let at = 1; at < PRICE_ONE_TICKS; at++) {
    const ticks = isBid ? PRICE_ONE_TICKS - at : at
    const sizeRaw = signedRaw[ticks] * sign
    if (sizeRaw > 0) sumRaw += sizeRaw
    if (sumRaw >= leastRaw) return ticks
  }
  return null
}

function midpointE6(signedRaw: Float64Array, minSizeRaw: SizeRaw): number | null {
  const leastRaw = Math.max(LIMITS.markSizeRawMin, minSizeRaw)
  const bidTicks = reachedTicks(signedRaw, true, leastRaw)
  const askTicks = reachedTicks(signedRaw, false, leastRaw)
  return bidTicks === null || askTicks === null ? null : (bidTicks + askTicks) * E6_PER_HALF_TICK
}

/** The mark of a pool, or of a market whose book has these sizes. */
export function markOf(market: MarkedMarket, of: MarkedPool | Float64Array): Mark {
  const { payoutNumerators: payout, minSizeRaw, markYesTicks } = market
  if (payout !== null) {
    return { source: 'payout', yesE6: mulDivFloor(UNIT_RAW, payout[0], payout[0] + payout[1]) }
  }
  if (!(of instanceof Float64Array)) {
    const [yesRaw, noRaw] = of.reservesRaw
    const isLarge = BigInt(yesRaw) * BigInt(noRaw) >= POOL_PRODUCT_MIN
    return isLarge ? { source: 'pool', yesE6: of.yesE6 } : AT_COST
  }
  const middleE6 = midpointE6(of, minSizeRaw)
  if (middleE6 !== null) return { source: 'midpoint', yesE6: middleE6 }
  if (markYesTicks === 0) return AT_COST
  return { source: 'lastTrade', yesE6: markYesTicks * 2 * E6_PER_HALF_TICK }
}

/** Raw price of one share of the position, rounded half up; 0 without shares. */
export function fillPriceRaw({ sizeRaw, costRaw }: Omit<MarkedPosition, 'outcome'>): number {
  if (sizeRaw <= 0) return 0
  return Math.floor((mulDivFloor(costRaw, 2 * UNIT_RAW, sizeRaw) + 1) / 2)
}

/** Value of one share of the position, in millionths. */
export function shareE6(position: MarkedPosition, { yesE6 }: Mark): number {
  if (yesE6 === null) return fillPriceRaw(position)
  return position.outcome === 0 ? yesE6 : UNIT_RAW - yesE6
}

/** Value of the position, rounded down; 0 if its shares are negative. */
export function valueRaw(position: MarkedPosition, mark: Mark): number {
  const { sizeRaw, costRaw } = position
  if (sizeRaw <= 0) return 0
  return mark.yesE6 === null ? costRaw : mulDivFloor(sizeRaw, shareE6(position, mark), UNIT_RAW)
}

// The arithmetic of packs: the price of a leg, and what a stake pays (rules §8.2, §8.3, §8.5).

import { PACK_LIMITS } from '../../domain/packs/pack-limits.ts'
import {
  type CollateralRaw,
  costFloorRaw,
  PRICE_ONE_TICKS,
  type PriceTicks,
  type SizeRaw,
} from '../../domain/units.ts'

const { priceMinTicks, priceMaxTicks, windowTicks, multiplierMax, vigPercent } = PACK_LIMITS
const PERCENT = 100n
const KEPT = PERCENT - BigInt(vigPercent)
const FRACTIONS = 10_000

/** A level of the asks of one token. */
export interface AskLevel {
  readonly ticks: PriceTicks
  readonly sizeRaw: SizeRaw
}

/** Both sides of the book of a token, best first. */
export interface LegBook {
  readonly asks: readonly AskLevel[]
  readonly bids: readonly AskLevel[]
}

export const NO_BOOK: LegBook = { asks: [], bids: [] }

/** The asks that may price a leg, best first; none when no ask is in the range. */
export function windowOf(asks: readonly AskLevel[]): readonly AskLevel[] {
  const inRange = asks.filter(({ ticks }) => ticks >= priceMinTicks && ticks <= priceMaxTicks)
  const best = inRange.at(0)?.ticks ?? 0
  return inRange.filter(({ ticks }) => ticks <= best + windowTicks)
}

/** Whether the bids within the width of a window below the best ask hold so many shares. */
export function holdsNear(
  bids: readonly AskLevel[],
  bestTicks: PriceTicks | null,
  needRaw: SizeRaw,
): boolean {
  if (bestTicks === null) return false
  const near = bids.filter(({ ticks }) => ticks >= bestTicks - windowTicks)
  return near.reduce((sumRaw, { sizeRaw }) => sumRaw + sizeRaw, 0) >= needRaw
}

export interface LegPrice {
  readonly priceTicks: PriceTicks
  readonly depthRaw: SizeRaw
  /** What the shares of the window are worth, each level rounded down. */
  readonly depthCostRaw: CollateralRaw
  /** Whether the window holds the shares that are needed. */
  readonly isDeep: boolean
}

/** What `needRaw` shares cost each on average, rounded up; of the whole window if that is less. */
export function legPrice(window: readonly AskLevel[], needRaw: SizeRaw): LegPrice {
  let [depthRaw, depthCostRaw, leftRaw, weighted] = [0, 0, needRaw, 0n]
  for (const { ticks, sizeRaw } of window) {
    depthRaw += sizeRaw
    depthCostRaw += costFloorRaw(ticks, sizeRaw)
    const takenRaw = Math.min(leftRaw, sizeRaw)
    leftRaw -= takenRaw
    weighted += BigInt(takenRaw) * BigInt(ticks)
  }
  const boughtRaw = BigInt(needRaw - leftRaw)
  const best = window.at(0)?.ticks ?? 0
  const priceTicks = boughtRaw === 0n ? best : Number((weighted + boughtRaw - 1n) / boughtRaw)
  return { priceTicks, depthRaw, depthCostRaw, isDeep: leftRaw === 0 }
}

/** The chance of all legs as a fraction of whole numbers. */
function chanceOf(prices: readonly PriceTicks[]): { readonly part: bigint; readonly of: bigint } {
  let [part, of] = [1n, 1n]
  for (const ticks of prices) {
    part *= BigInt(ticks)
    of *= BigInt(PRICE_ONE_TICKS)
  }
  return { part, of }
}

const EXACT_MAX = BigInt(Number.MAX_SAFE_INTEGER)

/**
 * What a stake on legs at these prices pays: rounded down once, at the end. A payout that no number
 * holds, of a pack that nobody can make, is the largest exact number.
 */
export function payoutRaw(stakeRaw: CollateralRaw, prices: readonly PriceTicks[]): CollateralRaw {
  const { part, of } = chanceOf(prices)
  const paysRaw = (BigInt(stakeRaw) * KEPT * of) / (PERCENT * part)
  return Number(paysRaw < EXACT_MAX ? paysRaw : EXACT_MAX)
}

export interface Multipliers {
  /** Without and with the part that is kept; four decimals, rounded and rounded down. */
  readonly fair: number
  readonly net: number
  readonly isTooHigh: boolean
  readonly isTooLow: boolean
}

export function multipliersOf(prices: readonly PriceTicks[]): Multipliers {
  const { part, of } = chanceOf(prices)
  const unit = BigInt(FRACTIONS)
  const kept = KEPT * of
  const whole = PERCENT * part
  return {
    fair: Number((2n * unit * of + part) / (2n * part)) / FRACTIONS,
    net: Number((unit * kept) / whole) / FRACTIONS,
    isTooHigh: kept > BigInt(multiplierMax) * whole,
    isTooLow: kept <= whole,
  }
}

/**
 * What a pack pays whose void legs leave the product: never more than it would have paid with
 * them, and the stake when no leg is left.
 */
export function payoutWithoutRaw(
  { stakeRaw, payoutRaw: fullRaw }: { readonly stakeRaw: number; readonly payoutRaw: number },
  voided: readonly PriceTicks[],
  left: readonly PriceTicks[],
): CollateralRaw {
  if (voided.length === 0) return fullRaw
  if (left.length === 0) return stakeRaw
  return Math.min(fullRaw, Math.max(stakeRaw, payoutRaw(stakeRaw, left)))
}

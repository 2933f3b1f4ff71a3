// The arithmetic of packs: leg prices and payouts (rules §8.2, §8.3, §8.5).

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

/** A level of a token's asks. */
export interface AskLevel {
  readonly ticks: PriceTicks
  readonly sizeRaw: SizeRaw
}

/** Both sides of a token's book, best first. */
export interface LegBook {
  readonly asks: readonly AskLevel[]
  readonly bids: readonly AskLevel[]
}

export const NO_BOOK: LegBook = { asks: [], bids: [] }

/** The asks that may price a leg, best first; empty if no ask is in the price range. */
export function windowOf(asks: readonly AskLevel[]): readonly AskLevel[] {
  const inRange = asks.filter(({ ticks }) => ticks >= priceMinTicks && ticks <= priceMaxTicks)
  const best = inRange.at(0)?.ticks ?? 0
  return inRange.filter(({ ticks }) => ticks <= best + windowTicks)
}

/** Whether the bids within one window width below the best ask have this many shares. */
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
  /** The value of the window's shares, with each level rounded down. */
  readonly depthCostRaw: CollateralRaw
  /** Whether the window has the required shares. */
  readonly isDeep: boolean
}

/** Average cost per share of `needRaw` shares, rounded up; of the whole window if it has fewer. */
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

/** The probability of all legs as a fraction of integers. */
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
 * The payout of a stake on legs at these prices, rounded down once. A payout beyond the safe
 * integers, which no valid pack has, becomes the largest safe integer.
 */
export function payoutRaw(stakeRaw: CollateralRaw, prices: readonly PriceTicks[]): CollateralRaw {
  const { part, of } = chanceOf(prices)
  const paysRaw = (BigInt(stakeRaw) * KEPT * of) / (PERCENT * part)
  return Number(paysRaw < EXACT_MAX ? paysRaw : EXACT_MAX)
}

export interface Multipliers {
  /** Without and with the vig; four decimals, rounded and rounded down. */
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
 * The payout of a pack whose void legs are removed from the product: at most the payout with them,
 * and the stake if no leg remains.
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

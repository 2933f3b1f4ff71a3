// The only arithmetic on money, prices and sizes (rules §1.5, §2.4). The unit ends each name and is
// its type, so the compiler rejects a value of another unit and typed-array columns need no cast.

import type { Kind } from './ids.ts'

/** YES-ladder or own-token price, 1 tick = 0.001 of a unit; 1..999. */
export type PriceTicks = Kind<'ticks'>
/** Outcome shares, 1 share = 1,000,000. */
export type SizeRaw = Kind<'size'>
/** Collateral, 1 unit = 1,000,000. */
export type CollateralRaw = Kind<'collateral'>
/** An oracle's price × 100,000,000, above 0. */
export type PriceE8 = Kind<'e8'>
/** Hundredths of a percent, 0..1000. */
export type FeeBps = Kind<'bps'>
/** Unix milliseconds. */
export type TimeMs = Kind<'ms'>

export const PRICE_ONE_TICKS = 1000
export const UNIT_RAW = 1_000_000
/** Limit orders have steps of 0.001 share, so that price times size never rounds. */
export const SIZE_STEP_RAW = 1000
const STEP_RAW = SIZE_STEP_RAW
export const BPS = 10_000
export const MS_PER_SEC = 1000
export const HOUR_MS = 3_600_000
export const DAY_MS = 86_400_000

/**
 * Collateral of `sizeRaw` shares at `priceTicks`, rounded down. It is exact for products beyond
 * 2^53. The quotient of a safe integer by 1,000 is whole or lies at least half a thousandth below
 * the next whole number, so its floor is exact. `%` on doubles is a function call.
 */
export function costFloorRaw(priceTicks: PriceTicks, sizeRaw: SizeRaw): CollateralRaw {
  const steps = Math.floor(sizeRaw / STEP_RAW)
  const oddRaw = sizeRaw - steps * STEP_RAW
  return priceTicks * steps + Math.floor((priceTicks * oddRaw) / STEP_RAW)
}

/** The whole steps of a size. `%` on doubles is slow, and the quotient is exact for any order. */
export function wholeStepsRaw(sizeRaw: SizeRaw): SizeRaw {
  return Math.floor(sizeRaw / STEP_RAW) * STEP_RAW
}

/** Collateral of `sizeRaw` shares at `priceTicks`, rounded up. */
export function costCeilRaw(priceTicks: PriceTicks, sizeRaw: SizeRaw): CollateralRaw {
  const steps = Math.floor(sizeRaw / STEP_RAW)
  const oddRaw = sizeRaw - steps * STEP_RAW
  return priceTicks * steps + Math.ceil((priceTicks * oddRaw) / STEP_RAW)
}

/** Largest number of shares that `spendRaw` buys at `priceTicks`, rounded down. */
export function sharesForSpendRaw(priceTicks: PriceTicks, spendRaw: CollateralRaw): SizeRaw {
  const restRaw = spendRaw % priceTicks
  const whole = (spendRaw - restRaw) / priceTicks
  return whole * PRICE_ONE_TICKS + Math.floor((restRaw * PRICE_ONE_TICKS) / priceTicks)
}

const SPLIT = 134_217_729

/** The rounding error of `a * b`, so that product + error is exact (Dekker 1971). */
function productError(a: number, b: number, product: number): number {
  const aSplit = SPLIT * a
  const aHigh = aSplit - (aSplit - a)
  const aLow = a - aHigh
  const bSplit = SPLIT * b
  const bHigh = bSplit - (bSplit - b)
  const bLow = b - bHigh
  return aLow * bLow - (product - aHigh * bHigh - aLow * bHigh - aHigh * bLow)
}

/**
 * floor(a·b/divisor) without bigint. The factors must be non-negative safe integers, and so must
 * the result.
 */
export function mulDivFloor(a: number, b: number, divisor: number): number {
  const product = a * b
  if (product <= Number.MAX_SAFE_INTEGER) return Math.floor(product / divisor)
  let quotient = Math.floor(product / divisor)
  const back = quotient * divisor
  const rest =
    product - back + (productError(a, b, product) - productError(quotient, divisor, back))
  // The double estimate is off by at most a few units. The exact remainder gives the correction.
  quotient += Math.floor(rest / divisor)
  return quotient
}

/** A part of a whole in basis points, rounded half up; 0 if the whole is 0. */
export function roundedBps(partRaw: number, wholeRaw: number): number {
  return wholeRaw === 0 ? 0 : Math.floor((mulDivFloor(partRaw, 2 * BPS, wholeRaw) + 1) / 2)
}

export const SUM_CARRY_RAW = 2 ** 52

/** A growing sum that stays exact past 2^53: `raw` + `carries` × 2^52 raw units. */
export interface GrowingSum {
  raw: number
  carries: number
}

export function addTo(sum: GrowingSum, partRaw: number): void {
  sum.raw += partRaw
  if (sum.raw < SUM_CARRY_RAW) return
  sum.raw -= SUM_CARRY_RAW
  sum.carries++
}

export function totalOf({ raw, carries }: GrowingSum): bigint {
  return BigInt(carries) * BigInt(SUM_CARRY_RAW) + BigInt(raw)
}

/** Sorts by the value of the sums. */
export function compareSums(a: GrowingSum, b: GrowingSum): number {
  return a.carries - b.carries || a.raw - b.raw
}

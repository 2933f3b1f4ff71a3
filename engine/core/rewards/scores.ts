// Each account's part of a market's reward for one minute (rules §11.3). All results are exact:
// prices are in half-ticks, so that the middle of a book is an integer, and scores are bigints.

import type { AccountId, MarketId } from '../../domain/ids.ts'
import { MINUTES_PER_DAY } from '../../domain/rewards/reward-time.ts'
import { type CollateralRaw, mulDivFloor, type SizeRaw } from '../../domain/units.ts'

/** The resting orders of one market that are large enough to count, at one point in time. */
export interface MarketSample {
  readonly marketId: MarketId
  /** The market's reward for the minute. */
  readonly poolRaw: CollateralRaw
  /** Orders at this distance from the middle or further earn nothing. */
  readonly spreadHalfTicks: number
  /** The adjusted midpoint (rules §11.1). */
  readonly midHalfTicks: number
  /** Order prices on the YES ladder; negative for asks. */
  readonly signedTicks: Int32Array
  readonly owners: Int32Array
  readonly leftsRaw: Float64Array
}

/** One-sided quotes count for a third, where they count at all. */
const ONE_SIDED = 3n
/** One-sided quotes count only between these middles. */
const MID_MIN_HALF_TICKS = 100
const MID_MAX_HALF_TICKS = 1900

/** One minute's part of a daily reward. The minutes of a day add up to the whole reward. */
export function poolOfMinute(dailyRaw: CollateralRaw, minute: number): CollateralRaw {
  const inDay = minute % MINUTES_PER_DAY
  const upTo = (minutes: number) => mulDivFloor(dailyRaw, minutes, MINUTES_PER_DAY)
  return upTo(inDay + 1) - upTo(inDay)
}

export function spreadHalfTicks(maxSpread: number): number {
  return Math.round(maxSpread * 2000)
}

/** Whether an order earns: it is large enough and closer to the middle than the spread. */
export function isEarning(
  order: { readonly yesTicks: number; readonly leftRaw: SizeRaw },
  terms: {
    readonly minSizeRaw: SizeRaw
    readonly spreadHalfTicks: number
    readonly midHalfTicks: number
  },
): boolean {
  const isNear = Math.abs(2 * order.yesTicks - terms.midHalfTicks) < terms.spreadHalfTicks
  return isNear && order.leftRaw >= terms.minSizeRaw
}

/** One owner's sums of (V − S)² · remaining over its bids and over its asks. */
interface Sides {
  bids: bigint
  asks: bigint
}

/**
 * Each owner's earnings, rounded down, without owners that earn nothing. It pauses after each
 * order, because a market may have very many.
 */
export function* earnedOf(sample: MarketSample): Generator<undefined, Map<AccountId, number>> {
  const sidesOf = new Map<AccountId, Sides>()
  for (let index = 0; index < sample.owners.length; index++) {
    addOrder(sidesOf, sample, index)
    yield
  }
  const { midHalfTicks } = sample
  const isInside = midHalfTicks >= MID_MIN_HALF_TICKS && midHalfTicks <= MID_MAX_HALF_TICKS
  const scores = new Map<AccountId, bigint>()
  let total = 0n
  for (const [owner, sides] of sidesOf) {
    const score = scoreOf(sides, isInside)
    scores.set(owner, score)
    total += score
    yield
  }
  const earned = new Map<AccountId, number>()
  if (total === 0n) return earned
  const pool = BigInt(sample.poolRaw)
  for (const owner of [...scores.keys()].sort((a, b) => a - b)) {
    const raw = Number((pool * (scores.get(owner) ?? 0n)) / total)
    if (raw > 0) earned.set(owner, raw)
    yield
  }
  return earned
}

function addOrder(sidesOf: Map<AccountId, Sides>, sample: MarketSample, index: number): void {
  const { spreadHalfTicks: spread, midHalfTicks: mid } = sample
  const signed = sample.signedTicks[index]
  const nearness = spread - Math.abs(2 * Math.abs(signed) - mid)
  if (nearness <= 0) return
  const owner = sample.owners[index]
  const sides = sidesOf.get(owner) ?? { bids: 0n, asks: 0n }
  sidesOf.set(owner, sides)
  const score = BigInt(nearness * nearness) * BigInt(sample.leftsRaw[index])
  if (signed > 0) sides.bids += score
  else sides.asks += score
}

/** Three times Q = max(min(A, B), max(A, B)/3), or three times min(A, B) near 0 and 1. */
function scoreOf({ bids, asks }: Sides, isInside: boolean): bigint {
  const [less, more] = bids < asks ? [bids, asks] : [asks, bids]
  const both = less * ONE_SIDED
  return isInside && more > both ? more : both
}

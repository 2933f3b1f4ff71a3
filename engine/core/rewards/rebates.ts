// What the makers of a mined trade get back of its taker's fee, and the part for the one that
// referred the taker (rules §3.2). A part has the unit of its fee: shares of the outcome that the
// taker bought, or collateral when it sold. So no price that two accounts choose values it.

import { BPS, type FeeBps, mulDivFloor, type SizeRaw } from '../../domain/units.ts'

export interface FeeOfTrade {
  readonly sharesRaw: SizeRaw
  /** In shares when the taker buys, else in collateral. */
  readonly feeRaw: number
}

/** Which parts of the fees of a market are given away. */
export interface FeeRates {
  readonly rebateBps: FeeBps
  readonly referralBps: FeeBps
}

/** The rates as they count: together at most the whole fee, and the makers come first. */
export function feeRatesOf(rebateBps: FeeBps, referralBps: FeeBps): FeeRates {
  const ofMakers = Math.min(rebateBps, BPS)
  return { rebateBps: ofMakers, referralBps: Math.min(referralBps, BPS - ofMakers) }
}

/** What the one who referred the taker gets of the fee, rounded down. */
export function referralRaw({ feeRaw }: FeeOfTrade, { referralBps }: FeeRates): number {
  return mulDivFloor(feeRaw, referralBps, BPS)
}

/** What one maker of the trade gets for the shares that it traded, rounded down. */
export function rebateRaw(
  { feeRaw, sharesRaw }: FeeOfTrade,
  makerSharesRaw: SizeRaw,
  { rebateBps }: FeeRates,
): number {
  const parts = BigInt(feeRaw) * BigInt(rebateBps) * BigInt(makerSharesRaw)
  return Number(parts / (BigInt(BPS) * BigInt(sharesRaw)))
}

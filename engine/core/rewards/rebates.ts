// The makers' rebates of a mined trade's taker fee, and the part of the taker's referrer (rules
// §3.2). A part has the unit of its fee: shares of the bought outcome, or collateral for a sale. So
// its value never depends on a price that two accounts choose.

import { BPS, type FeeBps, mulDivFloor, type SizeRaw } from '../../domain/units.ts'

export interface FeeOfTrade {
  readonly sharesRaw: SizeRaw
  /** Shares if the taker buys, otherwise collateral. */
  readonly feeRaw: number
}

/** The parts of a market's fees that are given away. */
export interface FeeRates {
  readonly rebateBps: FeeBps
  readonly referralBps: FeeBps
}

/** The effective rates: together at most the whole fee, with the makers first. */
export function feeRatesOf(rebateBps: FeeBps, referralBps: FeeBps): FeeRates {
  const ofMakers = Math.min(rebateBps, BPS)
  return { rebateBps: ofMakers, referralBps: Math.min(referralBps, BPS - ofMakers) }
}

/** The referrer's part of the fee, rounded down. */
export function referralRaw({ feeRaw }: FeeOfTrade, { referralBps }: FeeRates): number {
  return mulDivFloor(feeRaw, referralBps, BPS)
}

/** One maker's part of the fee for the shares it traded, rounded down. */
export function rebateRaw(
  { feeRaw, sharesRaw }: FeeOfTrade,
  makerSharesRaw: SizeRaw,
  { rebateBps }: FeeRates,
): number {
  const parts = BigInt(feeRaw) * BigInt(rebateBps) * BigInt(makerSharesRaw)
  return Number(parts / (BigInt(BPS) * BigInt(sharesRaw)))
}

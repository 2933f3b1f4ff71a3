// What the makers of a mined trade get back of its taker's fee, and the part for the one that
// referred the taker (rules §3.2).

import {
  BPS,
  type CollateralRaw,
  type FeeBps,
  mulDivFloor,
  type SizeRaw,
} from '../../domain/units.ts'

export interface FeeOfTrade {
  readonly takerBuys: boolean
  readonly sharesRaw: SizeRaw
  readonly collateralRaw: CollateralRaw
  /** In shares when the taker buys, else in collateral. */
  readonly feeRaw: number
}

/** The fee in collateral; one in shares is valued at the price of the trade, rounded down. */
export function feeValueRaw(trade: FeeOfTrade): CollateralRaw {
  const { takerBuys, sharesRaw, collateralRaw, feeRaw } = trade
  return takerBuys ? mulDivFloor(feeRaw, collateralRaw, sharesRaw) : feeRaw
}

/** What the one who referred the taker gets of the fee, rounded down. */
export function referralRaw(trade: FeeOfTrade, bps: FeeBps): CollateralRaw {
  return mulDivFloor(feeValueRaw(trade), bps, BPS)
}

/** What one maker of the trade gets for the shares that it traded, rounded down. */
export function rebateRaw(trade: FeeOfTrade, makerSharesRaw: SizeRaw, bps: FeeBps): CollateralRaw {
  const fees = BigInt(feeValueRaw(trade)) * BigInt(bps) * BigInt(makerSharesRaw)
  return Number(fees / (BigInt(BPS) * BigInt(trade.sharesRaw)))
}

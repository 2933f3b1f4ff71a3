// Hot path. bench/core.bench.ts
// The taker's fee on its whole trade, and its rounding (rules §3.1).

import { BPS, mulDivFloor } from '../../domain/units.ts'

// A local constant: V8 checks an imported binding at each use.
const BPS_ONE = BPS

/** Fee of a buy in shares: floor(bps · min(c, n − c) · n / (c · 10,000)), rules §3.1. */
export function buyFeeSharesRaw(feeBps: number, collateralRaw: number, sharesRaw: number): number {
  const smallerRaw = Math.min(collateralRaw, sharesRaw - collateralRaw)
  if (feeBps === 0 || smallerRaw <= 0) return 0
  if (smallerRaw === collateralRaw) return mulDivFloor(feeBps, sharesRaw, BPS_ONE)
  const scaled = feeBps * smallerRaw
  if (feeBps * sharesRaw <= Number.MAX_SAFE_INTEGER && Number.isSafeInteger(scaled)) {
    // floor(floor(x / c) / 10,000) is floor(x / (c · 10,000)) for whole numbers.
    return Math.floor(mulDivFloor(scaled, sharesRaw, collateralRaw) / BPS_ONE)
  }
  const exact = BigInt(feeBps) * BigInt(smallerRaw) * BigInt(sharesRaw)
  return Number(exact / (BigInt(collateralRaw) * BigInt(BPS_ONE)))
}

/** Fee of a sell in collateral: floor(bps · min(c, n − c) / 10,000), rules §3.1. */
export function sellFeeCollateralRaw(
  feeBps: number,
  collateralRaw: number,
  sharesRaw: number,
): number {
  const smallerRaw = Math.min(collateralRaw, sharesRaw - collateralRaw)
  if (feeBps === 0 || smallerRaw <= 0) return 0
  return mulDivFloor(feeBps, smallerRaw, BPS_ONE)
}

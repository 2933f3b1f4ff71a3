// The part of providers' collateral that a pool keeps, and the amounts they withdraw (rules §7.4).
// Every part is rounded down.

import type { BothRaw } from '../../domain/moves/move-command.ts'
import type { CollateralRaw, SizeRaw } from '../../domain/units.ts'

/** Returns a part of an amount, rounded down. */
function partOf(raw: number, part: bigint, whole: bigint): number {
  return Number((BigInt(raw) * part) / whole)
}

/**
 * The part of each share that an empty pool keeps. A larger hint keeps more, which makes the share
 * cheaper (rules §7.4).
 */
export function firstKept(collateralRaw: CollateralRaw, hints: BothRaw): BothRaw {
  const most = BigInt(Math.max(...hints))
  return [
    partOf(collateralRaw, BigInt(hints[0]), most),
    partOf(collateralRaw, BigInt(hints[1]), most),
  ]
}

/** The part of each share that a pool with reserves keeps, so that its price does not change. */
export function nextKept(collateralRaw: CollateralRaw, reservesRaw: BothRaw): BothRaw {
  const [yesRaw, noRaw] = reservesRaw
  const most = BigInt(Math.max(yesRaw, noRaw))
  return [partOf(collateralRaw, BigInt(yesRaw), most), partOf(collateralRaw, BigInt(noRaw), most)]
}

/** Liquidity shares for a provider after the first. */
export function mintedRaw(
  collateralRaw: CollateralRaw,
  liquidityRaw: SizeRaw,
  reservesRaw: BothRaw,
): SizeRaw {
  return partOf(collateralRaw, BigInt(liquidityRaw), BigInt(Math.max(...reservesRaw)))
}

/** The shares withdrawn with a part of the pool. */
export function drainedRaw(reservesRaw: BothRaw, partRaw: SizeRaw, liquidityRaw: SizeRaw): BothRaw {
  const part = BigInt(partRaw)
  const whole = BigInt(liquidityRaw)
  return [partOf(reservesRaw[0], part, whole), partOf(reservesRaw[1], part, whole)]
}

/** A part of an amount shared by all providers. */
export function feePartRaw(
  feesRaw: CollateralRaw,
  partRaw: SizeRaw,
  liquidityRaw: SizeRaw,
): CollateralRaw {
  return partOf(feesRaw, BigInt(partRaw), BigInt(liquidityRaw))
}

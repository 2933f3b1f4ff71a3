// What a pool keeps of the collateral of its providers, and what they take out (rules §7.4). Every
// part is rounded down.

import type { BothRaw } from '../../domain/moves/pool-command.ts'
import type { CollateralRaw, SizeRaw } from '../../domain/units.ts'

/** A part of whole amounts, rounded down. */
function partOf(raw: number, part: bigint, whole: bigint): number {
  return Number((BigInt(raw) * part) / whole)
}

/**
 * What an empty pool keeps of each share: a larger hint keeps more, so that share is cheaper
 * (rules §7.4).
 */
export function firstKept(collateralRaw: CollateralRaw, hints: BothRaw): BothRaw {
  const most = BigInt(Math.max(...hints))
  return [
    partOf(collateralRaw, BigInt(hints[0]), most),
    partOf(collateralRaw, BigInt(hints[1]), most),
  ]
}

/** What a pool with reserves keeps of each share, so that its price stays. */
export function nextKept(collateralRaw: CollateralRaw, reservesRaw: BothRaw): BothRaw {
  const [yesRaw, noRaw] = reservesRaw
  const most = BigInt(Math.max(yesRaw, noRaw))
  return [partOf(collateralRaw, BigInt(yesRaw), most), partOf(collateralRaw, BigInt(noRaw), most)]
}

/** What a later provider gets of the pool. */
export function mintedRaw(
  collateralRaw: CollateralRaw,
  liquidityRaw: SizeRaw,
  reservesRaw: BothRaw,
): SizeRaw {
  return partOf(collateralRaw, BigInt(liquidityRaw), BigInt(Math.max(...reservesRaw)))
}

/** The shares that leave with a part of the pool. */
export function drainedRaw(reservesRaw: BothRaw, partRaw: SizeRaw, liquidityRaw: SizeRaw): BothRaw {
  const part = BigInt(partRaw)
  const whole = BigInt(liquidityRaw)
  return [partOf(reservesRaw[0], part, whole), partOf(reservesRaw[1], part, whole)]
}

/** A part of an amount that all providers share. */
export function feePartRaw(
  feesRaw: CollateralRaw,
  partRaw: SizeRaw,
  liquidityRaw: SizeRaw,
): CollateralRaw {
  return partOf(feesRaw, BigInt(partRaw), BigInt(liquidityRaw))
}

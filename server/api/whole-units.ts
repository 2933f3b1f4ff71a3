// Raw collateral as numbers for display.

import { UNIT_RAW } from '../../engine/domain/units.ts'

const RAW_PER_CENT = 10_000

/** Whole units of collateral with two decimals. */
export function unitsOf(raw: number): number {
  return Math.round(raw / RAW_PER_CENT) / 100
}

/** Whole units of collateral, rounded down. */
export function wholeUnitsOf(raw: number): number {
  return Math.floor(raw / UNIT_RAW)
}

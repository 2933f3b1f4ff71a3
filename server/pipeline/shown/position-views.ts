// What a position costs and is worth (rules §9.1).

import { mulDivFloor, UNIT_RAW } from '../../../engine/domain/units.ts'
import type { PositionRow } from '../../../persistence/query/read/positions.ts'
import type { PublishedMarket } from './published.ts'
import { yesMarkE6 } from './views.ts'

/** Raw price of one share, rounded half up; 0 without shares. */
export function fillPriceRaw({ sizeRaw, costRaw }: PositionRow): number {
  if (sizeRaw <= 0) return 0
  return Math.floor((mulDivFloor(costRaw, 2 * UNIT_RAW, sizeRaw) + 1) / 2)
}

/** The worth of a share of an outcome in millionths (rules §9.1). */
export function markE6(shown: PublishedMarket, outcome: number): number {
  const yesMark = yesMarkE6(shown)
  return outcome === 0 ? yesMark : UNIT_RAW - yesMark
}

/** Collateral at the mark, rounded down; 0 for shares below zero. */
export function marketValueRaw({ outcome, sizeRaw }: PositionRow, shown: PublishedMarket): number {
  return mulDivFloor(Math.max(0, sizeRaw), markE6(shown, outcome), UNIT_RAW)
}

/** One side of a position as text, in raw units. */
export function sideView(row: PositionRow, shown: PublishedMarket) {
  const valueRaw = marketValueRaw(row, shown)
  return {
    cost: String(row.costRaw),
    fillPrice: String(fillPriceRaw(row)),
    marketValue: String(valueRaw),
    realisedPnl: String(row.realisedRaw),
    unrealizedPnl: String(valueRaw - row.costRaw),
  }
}

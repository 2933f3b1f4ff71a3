// The cost and value of a position (rules §9.1).

import { fillPriceRaw, type Mark, markOf, valueRaw } from '../../../engine/domain/markets/mark.ts'
import { PRICE_ONE_TICKS } from '../../../engine/domain/units.ts'
import type { PositionRow } from '../../../persistence/query/read/positions.ts'
import { poolYesE6 } from './pool-views.ts'
import type { PublishedMarket } from './published.ts'

/** The sizes of one book by tick, shared by all markets because marks are synchronous. */
const signedRaw = new Float64Array(PRICE_ONE_TICKS)

/** The value of a share, from the durable book or pool of its market. */
export function shownMark(shown: PublishedMarket): Mark {
  shown.mark ??= newMark(shown)
  return shown.mark
}

function newMark({ market, payoutNumerators, markYesTicks, pool, depth }: PublishedMarket): Mark {
  const marked = { minSizeRaw: market.minSizeRaw, payoutNumerators, markYesTicks }
  if (pool !== null) return markOf(marked, { ...pool, yesE6: poolYesE6(pool) })
  if (payoutNumerators === null) depth.signedInto(signedRaw)
  return markOf(marked, signedRaw)
}

/** Collateral at the mark, rounded down; 0 for negative shares. */
export function marketValueRaw(row: PositionRow, shown: PublishedMarket): number {
  return row.sizeRaw <= 0 ? 0 : valueRaw(row, shownMark(shown))
}

/** One side of a position as text, in raw units. */
export function sideView(row: PositionRow, shown: PublishedMarket) {
  const worthRaw = marketValueRaw(row, shown)
  return {
    cost: String(row.costRaw),
    fillPrice: String(fillPriceRaw(row)),
    marketValue: String(worthRaw),
    realisedPnl: String(row.realisedRaw),
    unrealizedPnl: String(worthRaw - row.costRaw),
  }
}

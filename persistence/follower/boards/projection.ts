import type { MarketId } from '../../../engine/domain/ids.ts'
import type { TimeMs } from '../../../engine/domain/units.ts'

// Projections that main requests from the follower outside the journal, and the layout of the
// results.

/**
 * `boards` updates the leaderboard tables and returns no rows. `pnl` sums up realised gains in
 * markets in the last day. `biggest` finds the largest open positions.
 */
export type ProjectionKind = 'boards' | 'pnl' | 'biggest'

export interface ProjectionParams {
  readonly what: ProjectionKind
  readonly nowMs: TimeMs
  /** The markets to include; null = all. */
  readonly marketIds: readonly MarketId[] | null
}

/** Consecutive rows of numbers. */
export type ProjectionRows = Float64Array

/** Maximum rows of a page's board. */
export const PAGE_BOARD_ROWS_MAX = 1000
/** Maximum positions in each of the two orders. */
export const BIGGEST_ROWS_MAX = 100

/** The columns of a row of `pnl`, best row first. */
export const PNL_ROW = { owner: 0, pnlRaw: 1, volumeRaw: 2, width: 3 } as const

/** The columns of a row of `biggest`: first the rows by value, then the rows by gain. */
export const BIGGEST_ROW = {
  /** 0 = by value, 1 = by gain. */
  order: 0,
  marketId: 1,
  owner: 2,
  outcome: 3,
  sizeRaw: 4,
  costRaw: 5,
  worthRaw: 6,
  markE6: 7,
  /** An index of MARK_SOURCES. */
  source: 8,
  width: 9,
} as const

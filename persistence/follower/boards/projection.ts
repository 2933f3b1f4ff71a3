import type { MarketId } from '../../../engine/domain/ids.ts'
import type { TimeMs } from '../../../engine/domain/units.ts'

// What main asks the follower to work out beside the journal, and the layout of the answers.

/**
 * `boards` brings the tables of leaderboards up to date and answers no rows. `pnl` adds up what
 * owners realised in markets in the last day, `biggest` finds the largest open positions.
 */
export type ProjectionKind = 'boards' | 'pnl' | 'biggest'

export interface ProjectionParams {
  readonly what: ProjectionKind
  readonly nowMs: TimeMs
  /** The markets that count; null for all. */
  readonly marketIds: readonly MarketId[] | null
}

/** Rows of numbers, one after the other. */
export type ProjectionRows = Float64Array

/** Most rows of the board of a page. */
export const PAGE_BOARD_ROWS_MAX = 1000
/** Most positions in each of both orders. */
export const BIGGEST_ROWS_MAX = 100

/** The columns of a row of `pnl`, the best first. */
export const PNL_ROW = { owner: 0, pnlRaw: 1, volumeRaw: 2, width: 3 } as const

/** The columns of a row of `biggest`: first by their worth, then by what they gained. */
export const BIGGEST_ROW = {
  /** 0 in the order of their worth, 1 in the order of what they gained. */
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

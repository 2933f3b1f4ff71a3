// The rows of a ladder and the points of a depth chart, from the levels of a book.

import type { Level } from '../../exchange/shapes.ts'

export interface LadderRow {
  readonly price: number
  readonly sizeRaw: number
  /** Shares from the best price down to this one. */
  readonly totalRaw: number
  /** That total, as a part of the larger side that is shown. */
  readonly part: number
}

export interface Ladder {
  readonly bids: readonly LadderRow[]
  readonly asks: readonly LadderRow[]
}

function summed(levels: readonly Level[], rowsMax: number): Omit<LadderRow, 'part'>[] {
  let totalRaw = 0
  return levels.slice(0, rowsMax).map(({ price, size: sizeRaw }) => {
    totalRaw += sizeRaw
    return { price, sizeRaw, totalRaw }
  })
}

/** Levels come best first, and rows too. */
export function ladderOf(bids: readonly Level[], asks: readonly Level[], rowsMax: number): Ladder {
  const [below, above] = [summed(bids, rowsMax), summed(asks, rowsMax)]
  const mostRaw = Math.max(below.at(-1)?.totalRaw ?? 0, above.at(-1)?.totalRaw ?? 0, 1)
  const withPart = (row: Omit<LadderRow, 'part'>) => ({ ...row, part: row.totalRaw / mostRaw })
  return { bids: below.map(withPart), asks: above.map(withPart) }
}

const RAW = 1_000_000
const CENTS = 100

/**
 * Columns of a chart: cents by rising price, shares bid at or above, shares offered at or below.
 */
export interface DepthPoints {
  readonly cents: number[]
  readonly bids: (number | null)[]
  readonly asks: (number | null)[]
}

const centsOf = (price: number): number => Number((price * CENTS).toFixed(1))

/** Levels further than `reach` from the best of their side would press the rest together. */
function nearest(levels: readonly Level[], reach: number): readonly Level[] {
  const best = levels[0]?.price ?? 0
  return levels.filter(({ price }) => isNear(price, best, reach))
}

export function depthOf(
  bids: readonly Level[],
  asks: readonly Level[],
  reach: number,
): DepthPoints {
  const below = summed(nearest(bids, reach), bids.length).reverse()
  const above = summed(nearest(asks, reach), asks.length)
  return {
    cents: [...below, ...above].map(({ price }) => centsOf(price)),
    bids: [...below.map(({ totalRaw }) => totalRaw / RAW), ...above.map(() => null)],
    asks: [...below.map(() => null), ...above.map(({ totalRaw }) => totalRaw / RAW)],
  }
}

/** Prices are whole tenths of a cent: half of one keeps the edge in. */
function isNear(price: number, middle: number, reach: number): boolean {
  return Math.abs(price - middle) <= reach + 0.0005
}

/** Shares within a reach of the middle. */
export function sharesNear(levels: readonly Level[], middle: number, reach: number): number {
  let sumRaw = 0
  for (const { price, size } of levels) if (isNear(price, middle, reach)) sumRaw += size
  return sumRaw
}

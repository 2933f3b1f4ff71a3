// A price history in words, for readers who do not see the chart.

import { cents } from '../../page/format.ts'

export interface PricePoint {
  /** Seconds, as charts count. */
  readonly atSec: number
  readonly price: number
}

interface Reported {
  readonly price: number
  readonly timestamp: string
}

const MS_PER_SEC = 1000

/** The exchange lists newest first, charts need oldest first. */
export function pointsOf(reported: readonly Reported[]): PricePoint[] {
  return reported
    .map(({ price, timestamp }) => ({ price, atSec: Date.parse(timestamp) / MS_PER_SEC }))
    .reverse()
}

/** Adds a trade after the newest point; an older trade changes nothing. */
export function withTrade(points: readonly PricePoint[], trade: PricePoint): readonly PricePoint[] {
  const before = points.at(-1)
  if (before !== undefined && trade.atSec <= before.atSec) return points
  return [...points, trade]
}

export function wordsOf(points: readonly PricePoint[]): string {
  const [first] = points
  const last = points.at(-1)
  if (first === undefined || last === undefined) return 'No trades in this period.'
  const prices = points.map(({ price }) => price)
  const [lowest, highest] = [Math.min(...prices), Math.max(...prices)]
  return (
    `From ${cents(first.price)} to ${cents(last.price)}, ` +
    `lowest ${cents(lowest)}, highest ${cents(highest)}.`
  )
}

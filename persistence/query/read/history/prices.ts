import type { MarketId } from '../../../../engine/domain/ids.ts'
import type { TimeMs } from '../../../../engine/domain/units.ts'
import { query } from '../query.ts'
import { type Close, type Kinds, MarketTrades, START } from './market-trades.ts'

// The YES price of a market over time (rules §11.5). Each step has the price of the last trade
// in it, or else that of the step before. Three searches find the last trade before a time, and
// steps without a trade need none. So a series reads at most one trade for each of its points,
// however many there were. A trade that was taken back does not count.

const STANDING: Kinds = [0]
const SEC = 1000
const MIN = 60 * SEC
const HOUR = 60 * MIN
const DAY = 24 * HOUR
/** Steps of a whole history; the shortest that gives no more than `pointsMax` is taken. */
const STEPS_MS = [
  ...[5 * SEC, 15 * SEC, 30 * SEC, MIN, 2 * MIN, 5 * MIN, 10 * MIN, 20 * MIN, 30 * MIN],
  ...[HOUR, 2 * HOUR, 4 * HOUR, 6 * HOUR, 12 * HOUR, DAY, 2 * DAY, 7 * DAY, 14 * DAY, 30 * DAY],
]

export interface PricesAsk {
  readonly marketId: MarketId
  /** The series ends with the step that holds this time. */
  readonly untilMs: TimeMs
  /** Null for the whole history, whose step follows from its length. */
  readonly stepMs: number | null
  readonly pointsMax: number
}

export interface PriceSeries {
  /** The start of the newest step. */
  readonly newestMs: TimeMs
  readonly stepMs: number
  /** The price at the end of each step, newest first; none before the first trade. */
  readonly ticks: readonly number[]
}

function stepOf(firstMs: TimeMs, { untilMs, stepMs, pointsMax }: PricesAsk): number {
  if (stepMs !== null) return stepMs
  const pointsOf = (ms: number) => Math.floor(untilMs / ms) - Math.floor(firstMs / ms) + 1
  const longest = Math.ceil((untilMs - firstMs) / (pointsMax - 1))
  return STEPS_MS.find((ms) => pointsOf(ms) <= pointsMax) ?? longest
}

/** Gives the price of each step. */
export const prices = query({
  name: 'prices',
  prepare: (db) => new MarketTrades(db),
  run: (trades, asked: PricesAsk): PriceSeries => {
    const { marketId, untilMs, pointsMax } = asked
    const [first] = trades.after(marketId, STANDING, START, 1)
    const firstMs = first?.tradedMs ?? Number.POSITIVE_INFINITY
    if (firstMs > untilMs) return { newestMs: 0, stepMs: 0, ticks: [] }
    const stepMs = stepOf(firstMs, asked)
    const newestMs = Math.floor(untilMs / stepMs) * stepMs
    const ticks: number[] = []
    const closeBefore = trades.closes(marketId)
    let found: Close | undefined
    let atMs = newestMs
    while (ticks.length < pointsMax && atMs + stepMs > firstMs) {
      // Until the step of the found trade is reached, the price is carried forward from it.
      if (found === undefined || found.tradedMs >= atMs + stepMs) {
        found = closeBefore(atMs + stepMs)
      }
      if (found === undefined) break
      ticks.push(found.yesTicks)
      atMs -= stepMs
    }
    return { newestMs, stepMs, ticks }
  },
})

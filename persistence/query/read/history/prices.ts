import type { MarketId } from '../../../../engine/domain/ids.ts'
import { PRICE_ONE_TICKS, type TimeMs, UNIT_RAW } from '../../../../engine/domain/units.ts'
import type { Connection, Statement } from '../../../database.ts'
import { query } from '../query.ts'
import { type Kinds, MarketTrades, START } from './market-trades.ts'

// Pool prices after trades. The table's key is market and time, so each price is one search.

const FIRST = `
SELECT traded_ms AS tradedMs, yes_e6 AS yesE6 FROM pool_prices
WHERE market_id = ? ORDER BY traded_ms, seq LIMIT 1`
const BEFORE = `
SELECT traded_ms AS tradedMs, yes_e6 AS yesE6 FROM pool_prices
WHERE market_id = ? AND traded_ms < ? ORDER BY traded_ms DESC, seq DESC LIMIT 1`

/** A price in millionths, and when it was set. */
interface PoolPrice {
  readonly tradedMs: TimeMs
  readonly yesE6: number
}

class PoolPrices {
  readonly #first: Statement<[MarketId], PoolPrice>
  readonly #before: Statement<[MarketId, TimeMs], PoolPrice>

  constructor(connection: Connection) {
    this.#first = connection.prepare(FIRST)
    this.#before = connection.prepare(BEFORE)
  }

  first(marketId: MarketId): PoolPrice | undefined {
    return this.#first.get(marketId)
  }

  closeBefore(marketId: MarketId, ms: TimeMs): PoolPrice | undefined {
    return this.#before.get(marketId, ms)
  }
}

// The YES price of a market over time (rules §11.5). Each step has the price of its last trade, or
// the price of the previous step. Three searches find the last trade before a time, and steps
// without a trade need none. So a series reads at most one trade per point, however many there
// were. Reversed trades do not count.

const STANDING: Kinds = [0]
const SEC = 1000
const MIN = 60 * SEC
const HOUR = 60 * MIN
const DAY = 24 * HOUR
/** Steps for a full history; the shortest one with at most `pointsMax` points is used. */
const STEPS_MS = [
  5 * SEC,
  15 * SEC,
  30 * SEC,
  MIN,
  2 * MIN,
  5 * MIN,
  10 * MIN,
  20 * MIN,
  30 * MIN,
  HOUR,
  2 * HOUR,
  4 * HOUR,
  6 * HOUR,
  12 * HOUR,
  DAY,
  2 * DAY,
  7 * DAY,
  14 * DAY,
  30 * DAY,
]

interface PricesParams {
  readonly marketId: MarketId
  /** Whether it is a pool market. */
  readonly isPool: boolean
  /** The series ends with the step that contains this time. */
  readonly untilMs: TimeMs
  /** It starts with the step that contains this time; null = the first trade. */
  readonly fromMs: TimeMs | null
  /** null = a step derived from the length of the series. */
  readonly stepMs: number | null
  readonly pointsMax: number
}

interface PriceSeries {
  /** The start of the newest step. */
  readonly newestMs: TimeMs
  readonly stepMs: number
  /** The price at the end of each step in millionths, newest first; ends at the first trade. */
  readonly yesE6: readonly number[]
}

const E6_PER_TICK = UNIT_RAW / PRICE_ONE_TICKS

/** The source of one market's prices. */
interface Source {
  readonly firstMs: TimeMs | undefined
  /** Times must decrease from call to call. */
  readonly closeBefore: (ms: TimeMs) => PoolPrice | undefined
}

class Prices {
  readonly #trades: MarketTrades
  readonly #pools: PoolPrices

  constructor(connection: Connection) {
    this.#trades = new MarketTrades(connection)
    this.#pools = new PoolPrices(connection)
  }

  sourceOf({ marketId, isPool }: PricesParams): Source {
    if (isPool) {
      const firstMs = this.#pools.first(marketId)?.tradedMs
      return { firstMs, closeBefore: (ms) => this.#pools.closeBefore(marketId, ms) }
    }
    const [first] = this.#trades.after(marketId, STANDING, START, 1)
    const closeOf = this.#trades.closes(marketId)
    const closeBefore = (ms: TimeMs) => {
      const close = closeOf(ms)
      return close && { tradedMs: close.tradedMs, yesE6: close.yesTicks * E6_PER_TICK }
    }
    return { firstMs: first?.tradedMs, closeBefore }
  }
}

function stepOf(firstMs: TimeMs, { untilMs, stepMs, pointsMax }: PricesParams): number {
  if (stepMs !== null) return stepMs
  const pointsOf = (ms: number) => Math.floor(untilMs / ms) - Math.floor(firstMs / ms) + 1
  const longest = Math.ceil((untilMs - firstMs) / (pointsMax - 1))
  return STEPS_MS.find((ms) => pointsOf(ms) <= pointsMax) ?? longest
}

/** The price of each step. */
export const prices = query({
  name: 'prices',
  prepare: (db) => new Prices(db),
  run: (prices, params: PricesParams): PriceSeries => {
    const { untilMs, pointsMax } = params
    const { firstMs = Number.POSITIVE_INFINITY, closeBefore } = prices.sourceOf(params)
    if (firstMs > untilMs) return { newestMs: 0, stepMs: 0, yesE6: [] }
    const startMs = Math.max(firstMs, params.fromMs ?? 0)
    const stepMs = stepOf(startMs, params)
    const newestMs = Math.floor(untilMs / stepMs) * stepMs
    const yesE6: number[] = []
    let found: PoolPrice | undefined
    let atMs = newestMs
    while (yesE6.length < pointsMax && atMs + stepMs > startMs) {
      // The found trade's price applies until its step is reached.
      if (found === undefined || found.tradedMs >= atMs + stepMs) {
        found = closeBefore(atMs + stepMs)
      }
      if (found === undefined) break
      yesE6.push(found.yesE6)
      atMs -= stepMs
    }
    return { newestMs, stepMs, yesE6 }
  },
})

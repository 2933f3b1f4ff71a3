import type { ProfileId } from '../../../../engine/domain/ids.ts'
import { HOUR_MS, type TimeMs } from '../../../../engine/domain/units.ts'
import type { Connection, Statement } from '../../../database.ts'
import { query } from '../query.ts'

// A profile's realised gains over time (rules §9.3). Each point of a chart is one search, however
// often the profile traded.

const BEFORE = `
SELECT total_raw AS totalRaw FROM pnl_hours WHERE owner = ? AND hour < ?
ORDER BY hour DESC LIMIT 1`
const FIRST = 'SELECT hour FROM pnl_hours WHERE owner = ? ORDER BY hour LIMIT 1'
const COUNT_MAX = 10_000
const MARKETS = 'SELECT count(*) AS count FROM pnl_markets WHERE owner = ? AND hour >= ?'
/** Whether there are too many to count. */
const MANY = `
SELECT hour FROM pnl_markets WHERE owner = ? AND hour >= ? LIMIT 1 OFFSET ${COUNT_MAX - 1}`

export interface RealisedParams {
  readonly owner: ProfileId
  readonly nowMs: TimeMs
  /** Hours between two points. */
  readonly stepHours: number
  /** Steps in the window; null = the full history, in `stepHours` or longer steps. */
  readonly steps: number | null
  readonly pointsMax: number
  readonly wantsMarkets: boolean
}

export interface Realised {
  /** Oldest first. Each point is at the end of a step; the last one is now. */
  readonly points: readonly { readonly atMs: TimeMs; readonly totalRaw: number }[]
  /** The total at the start of the window. */
  readonly beforeRaw: number
  /**
   * Markets with a realised gain or loss in the window, if requested; at most 10,000 are counted.
   */
  readonly marketCount: number
}

class RealisedTotals {
  readonly #before: Statement<[ProfileId, hour: number], { totalRaw: number }>
  readonly #first: Statement<[ProfileId], { hour: number }>
  readonly #markets: Statement<[ProfileId, hour: number], { count: number }>
  readonly #many: Statement<[ProfileId, hour: number], { hour: number }>

  constructor(connection: Connection) {
    this.#before = connection.prepare(BEFORE)
    this.#first = connection.prepare(FIRST)
    this.#markets = connection.prepare(MARKETS)
    this.#many = connection.prepare(MANY)
  }

  /** Excludes hours that start at this time or later. */
  #totalAt(owner: ProfileId, hour: number): number {
    return this.#before.get(owner, hour)?.totalRaw ?? 0
  }

  #marketsSince(owner: ProfileId, hour: number): number {
    if (this.#many.get(owner, hour) !== undefined) return COUNT_MAX
    return this.#markets.get(owner, hour)?.count ?? 0
  }

  over({ owner, nowMs, stepHours, steps, pointsMax, wantsMarkets }: RealisedParams): Realised {
    const nowHour = Math.floor(nowMs / HOUR_MS)
    const firstHour = this.#first.get(owner)?.hour ?? nowHour
    const span = nowHour + 1 - firstHour
    const step = steps === null ? thinned(stepHours, span, pointsMax) : stepHours
    const lastEnd = Math.floor(nowHour / step) * step
    const fromHour = steps === null ? floorTo(firstHour, step) : lastEnd - steps * step
    const points: { atMs: TimeMs; totalRaw: number }[] = []
    for (let hour = fromHour + step; hour <= lastEnd; hour += step) {
      points.push({ atMs: hour * HOUR_MS, totalRaw: this.#totalAt(owner, hour) })
    }
    points.push({ atMs: nowMs, totalRaw: this.#totalAt(owner, nowHour + 1) })
    const marketCount = wantsMarkets ? this.#marketsSince(owner, fromHour) : 0
    return { points, beforeRaw: this.#totalAt(owner, fromHour), marketCount }
  }
}

function floorTo(hour: number, step: number): number {
  return Math.floor(hour / step) * step
}

/** The step, or its smallest multiple that gives at most this many points. */
function thinned(stepHours: number, spanHours: number, pointsMax: number): number {
  const times = Math.ceil(spanHours / stepHours / (pointsMax - 2))
  return stepHours * Math.max(1, times)
}

/** The points of a chart, and the change within the window. */
export const realised = query({
  name: 'realised',
  prepare: (db) => new RealisedTotals(db),
  run: (totals, params: RealisedParams) => totals.over(params),
})

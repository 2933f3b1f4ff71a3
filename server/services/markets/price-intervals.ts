// The intervals of a price history and their steps (rules §11.5).

const SEC = 1000
const MIN = 60 * SEC
const HOUR = 60 * MIN
const DAY = 24 * HOUR

export const INTERVALS = ['5m', '1h', '6h', '1d', '1w', '1m', 'all'] as const
export type Interval = (typeof INTERVALS)[number]

const STEPS: Readonly<Record<Exclude<Interval, 'all'>, readonly [lengthMs: number, ms: number]>> = {
  '5m': [5 * MIN, 5 * SEC],
  '1h': [HOUR, MIN],
  '6h': [6 * HOUR, 5 * MIN],
  '1d': [DAY, 10 * MIN],
  '1w': [7 * DAY, HOUR],
  '1m': [30 * DAY, 6 * HOUR],
}

export interface Step {
  readonly ms: number
  /** How many of them make the interval. */
  readonly points: number
}

/** Null for the whole history, whose step follows from its length. */
export function stepOf(interval: Interval): Step | null {
  if (interval === 'all') return null
  const [lengthMs, ms] = STEPS[interval]
  return { ms, points: lengthMs / ms }
}

// The intervals of a price history and their steps (rules §11.5).

import { LIMITS } from '../../../engine/domain/limits.ts'
import type { TimeMs } from '../../../engine/domain/units.ts'

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

/** The prices of one series. */
export interface PriceWindow {
  readonly untilMs: TimeMs
  /** Null where the step and the points say how far back. */
  readonly fromMs: TimeMs | null
  /** Null for a step that follows from the length of the series. */
  readonly stepMs: number | null
  readonly pointsMax: number
}

export interface PriceRequest {
  readonly interval?: Interval | undefined
  readonly fromMs?: TimeMs | undefined
  /** Not later than now. */
  readonly untilMs: TimeMs
  /** Minutes from one point to the next. */
  readonly fidelity?: number | undefined
}

/** A window has too many points; this fidelity is the least that fits. */
export interface TooFine {
  readonly fidelityMin: number
}

/**
 * The window that a reader means. With `fromMs` the interval says nothing; a fidelity without
 * either means the newest points that fit.
 */
export function windowOf(wanted: PriceRequest): PriceWindow | TooFine {
  const { interval, fromMs = null, untilMs, fidelity } = wanted
  const { pricePointsMax } = LIMITS
  const stepMs = fidelity === undefined ? null : fidelity * MIN
  if (fromMs !== null) {
    const points =
      stepMs === null ? 0 : Math.floor(untilMs / stepMs) - Math.floor(fromMs / stepMs) + 1
    return points > pricePointsMax
      ? tooFine(untilMs - fromMs)
      : { untilMs, fromMs, stepMs, pointsMax: pricePointsMax }
  }
  if (interval === 'all' || (interval === undefined && stepMs !== null)) {
    return { untilMs, fromMs, stepMs, pointsMax: pricePointsMax }
  }
  const [lengthMs, ownMs] = STEPS[interval ?? '1d']
  const pointsMax = Math.ceil(lengthMs / (stepMs ?? ownMs))
  if (pointsMax > pricePointsMax) return tooFine(lengthMs)
  return { untilMs, fromMs, stepMs: stepMs ?? ownMs, pointsMax }
}

/** A step counts with a part of it at each end. */
function tooFine(lengthMs: number): TooFine {
  return { fidelityMin: Math.ceil(lengthMs / MIN / (LIMITS.pricePointsMax - 1)) }
}

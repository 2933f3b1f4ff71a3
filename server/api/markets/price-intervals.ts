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

/** The window and step of one price series. */
export interface PriceWindow {
  readonly untilMs: TimeMs
  /** Null when the step and the number of points determine the start. */
  readonly fromMs: TimeMs | null
  /** Null when the step is derived from the length of the series. */
  readonly stepMs: number | null
  readonly pointsMax: number
}

export interface PriceRequest {
  readonly interval?: Interval | undefined
  readonly fromMs?: TimeMs | undefined
  /** Not later than now. */
  readonly untilMs: TimeMs
  /** Minutes between two points. */
  readonly fidelity?: number | undefined
}

/** A window has too many points; this fidelity is the minimum that fits. */
export interface TooFine {
  readonly fidelityMin: number
}

/**
 * The requested window. With `fromMs` the interval is ignored. A fidelity without either selects
 * the newest points that fit.
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

/** One more step is counted, for the partial steps at both ends. */
function tooFine(lengthMs: number): TooFine {
  return { fidelityMin: Math.ceil(lengthMs / MIN / (LIMITS.pricePointsMax - 1)) }
}

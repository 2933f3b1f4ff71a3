import type { TimeMs } from '../units.ts'

// Minutes and days of rewards, counted from 1970, UTC.

export const MINUTE_MS = 60_000
export const MINUTES_PER_DAY = 1440

export function minuteOf(nowMs: TimeMs): number {
  return Math.floor(nowMs / MINUTE_MS)
}

export function dayOfMinute(minute: number): number {
  return Math.floor(minute / MINUTES_PER_DAY)
}

/** The UTC day of an instant, counted from 1970. */
export function dayOf(nowMs: TimeMs): number {
  return dayOfMinute(minuteOf(nowMs))
}

import type { TimeMs } from '../../engine/domain/units.ts'

/** The time format of replies and frames: ISO 8601 with milliseconds, in UTC. */
export function isoText(atMs: TimeMs): string {
  return new Date(atMs).toISOString()
}

/** The reply to GET /time, in JSON. */
export function timeText(nowMs: TimeMs): string {
  return `{"serverTime":${nowMs},"iso":"${isoText(nowMs)}"}`
}

import type { TimeMs } from '../../engine/domain/units.ts'

/** The time format of replies and frames: ISO 8601 with milliseconds, in UTC. */
export function isoText(atMs: TimeMs): string {
  return new Date(atMs).toISOString()
}

import type { TimeMs } from '../../engine/domain/units.ts'

/** A time as replies and frames write it: ISO 8601 with milliseconds, in UTC. */
export function isoText(atMs: TimeMs): string {
  return new Date(atMs).toISOString()
}

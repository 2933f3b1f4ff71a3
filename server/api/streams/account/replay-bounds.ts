// What a replay of missed order events may cost, beside the bounds of engine/domain/limits.ts.

import { assert } from '../../../../engine/domain/assert.ts'
import { LIMITS } from '../../../../engine/domain/limits.ts'

export const REPLAY = {
  /** Missed events that are told again. Above it the client hears that it must read its orders. */
  eventsMax: 1000,
  /** Rows that a read visits, to find the trades whose ends were missed. */
  rowsMax: 4096,
  /** Events in one read, which are sent before the next read. */
  pageEvents: 64,
  /** Live events of the account that wait for the end of the replay. */
  heldMax: 1000,
  /** The end of a trade is told so much later than its command at the most. */
  lateMs: 100_000,
  /** Replays of all sockets of a profile. */
  rate: { perSecond: 1, burst: 16 },
} as const

/** A read may wait twice as long for the tables, and once more for its query. */
const READ_MS_MAX = 3 * LIMITS.privateReadDeadlineMs

assert(
  LIMITS.lateReadsMax * (READ_MS_MAX + LIMITS.lateReadPauseMs) < REPLAY.lateMs,
  'an end that is told at all is told before it counts as old',
)

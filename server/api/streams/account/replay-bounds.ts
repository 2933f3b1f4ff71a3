// The limits of a replay of missed order events, in addition to engine/domain/limits.ts.

import { assert } from '../../../../engine/domain/assert.ts'
import { LIMITS } from '../../../../engine/domain/limits.ts'

export const REPLAY = {
  /** Maximum replayed events. Above it, the client is notified that it must read its orders. */
  eventsMax: 1000,
  /** Maximum rows that a read visits to find the trades whose ends were missed. */
  rowsMax: 4096,
  /** Events in one read, which are sent before the next read. */
  pageEvents: 64,
  /** Maximum live events of the account that wait for the end of the replay. */
  heldMax: 1000,
  /** Maximum delay between a command and the published end of a trade. */
  lateMs: 100_000,
  /** Rate limit of the replays of all sockets of a profile. */
  rate: { perSecond: 1, burst: 16 },
} as const

/** A read may wait twice this long for the tables, and once more for its query. */
const READ_MS_MAX = 3 * LIMITS.privateReadDeadlineMs

assert(
  LIMITS.lateReadsMax * (READ_MS_MAX + LIMITS.lateReadPauseMs) < REPLAY.lateMs,
  'a published end is sent before it counts as old',
)

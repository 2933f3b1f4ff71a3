import { assert } from './assert.ts'
import { DAY_MS } from './units.ts'

// How far the wall clock may be from the server's time, and what keeps a start informed of it.

export const CLOCK_LIMITS = {
  /** A wall clock further ahead of the server's time is followed only if it stays ahead. */
  leapMs: 2000,
  leapWaitMs: 60_000,
  /** A longer leap needs the consent of an operator. */
  leapMsMax: DAY_MS,
  /** With a wall clock that is further behind the exchange is not ready. */
  behindMsMax: 60_000,
  /** While no other command comes, one an hour records the server's time. */
  markMs: 3_600_000,
} as const

assert(CLOCK_LIMITS.markMs * 2 < CLOCK_LIMITS.leapMsMax, 'an idle exchange restarts by itself')
assert(CLOCK_LIMITS.leapMs < CLOCK_LIMITS.leapMsMax, 'a leap that is followed is a short one')

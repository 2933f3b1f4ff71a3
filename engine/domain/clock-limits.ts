import { assert } from './assert.ts'
import { DAY_MS } from './units.ts'

// How far the wall clock may differ from server time, and how a start learns the last server time.

export const CLOCK_LIMITS = {
  /**
   * A wall clock further ahead of server time is followed only if it stays ahead for `leapWaitMs`.
   */
  leapMs: 2000,
  leapWaitMs: 60_000,
  /** A larger leap needs an operator's consent. */
  leapMsMax: DAY_MS,
  /** The exchange is not ready while the wall clock is further behind server time. */
  behindMsMax: 60_000,
  /** On an idle exchange, one command an hour records server time. */
  markMs: 3_600_000,
} as const

assert(
  CLOCK_LIMITS.markMs * 2 < CLOCK_LIMITS.leapMsMax,
  'an idle exchange restarts without an operator',
)
assert(CLOCK_LIMITS.leapMs < CLOCK_LIMITS.leapMsMax, 'a leap that needs no consent is short')

import { assert } from '../assert.ts'
import { LIMITS } from '../limits.ts'

/** Bounds on rewards and rebates. The code that checks a bound says what happens. */
export const REWARD_LIMITS = {
  /** Rows of one command; more of them take several commands. */
  creditRowsMax: 512,
  paymentRowsMax: 512,
  /** Merges of fees in one command. */
  mergesMax: 256,
  /** Main stamps the next of several commands this much later, so that orders come between. */
  nextPartMs: 5,
  /** Days of rewards in one reply, and days of one market. */
  shownDaysMax: 30,
  shownDaysOfMarketMax: 7,
  /** How long the follower works on a sample before it hears main again. */
  scoringTurnMs: 2,
  /** How often a snapshot looks whether the open sample is credited, before it goes on. */
  snapshotCreditTries: 200,
  /** Trades in one read of what was mined. */
  minedReadMax: 512,
} as const

assert(
  REWARD_LIMITS.creditRowsMax * 48 < LIMITS.recordBytesMax,
  'the rows of one command fit a record',
)
assert(
  REWARD_LIMITS.paymentRowsMax * 32 + REWARD_LIMITS.mergesMax * 16 < LIMITS.recordBytesMax,
  'payments and merges of one command fit a record',
)

import { assert } from '../assert.ts'
import { sharedTable } from '../fair-share.ts'
import { LIMITS } from '../limits.ts'

/** Bounds on rewards and rebates. The code that checks a bound says what happens. */
export const REWARD_LIMITS = {
  /** Rows of one command; more of them take several commands. */
  creditRowsMax: 512,
  paymentRowsMax: 512,
  /**
   * Raw shares of one row of a sample: less stays with the exchange, so that many rows cost more
   * than a raw unit each.
   */
  shareRowRawMin: 1000,
  /** Main stamps the next of several commands this much later, so that orders come between. */
  nextPartMs: 5,
  /** Days of rewards in one reply, and days of one market. */
  shownDaysMax: 30,
  shownDaysOfMarketMax: 7,
  /** How long the follower works on a sample before it hears main again. */
  scoringSliceMs: 2,
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
  REWARD_LIMITS.paymentRowsMax * 32 < LIMITS.recordBytesMax,
  'the payments of one command fit a record',
)

/**
 * Rows of parts in shares that wait for their payouts, one for an account and a market. At a bound
 * a new row stays with the exchange, and a row that is there goes on to grow.
 */
export const SHARE_PART_ROWS = sharedTable({ capacity: 1 << 18, most: 8192, floor: 64 })

assert(SHARE_PART_ROWS.owner.most > LIMITS.booksMax, 'a maker of every book has its rows')

import { assert } from '../assert.ts'
import { sharedTable } from '../fair-share.ts'
import { LIMITS } from '../limits.ts'

/** Limits of rewards and rebates. The code that checks a limit defines the effect. */
export const REWARD_LIMITS = {
  /** Rows in one command. More rows take several commands. */
  creditRowsMax: 512,
  paymentRowsMax: 512,
  /**
   * Minimum raw shares of one row of a sample. Smaller amounts stay with the exchange, so that
   * creating many rows costs more than a raw unit each.
   */
  shareRowRawMin: 1000,
  /** Delay between several such commands, so that orders run in between. */
  nextPartMs: 5,
  /** Days of rewards in one reply, and days of one market. */
  shownDaysMax: 30,
  shownDaysOfMarketMax: 7,
  /** Time the follower spends on a sample before it handles messages of main. */
  scoringSliceMs: 2,
  /** Checks by a snapshot for credit of the open sample, before it proceeds. */
  snapshotCreditTries: 200,
  /** Trades in one read of mined trades. */
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
 * Rows of parts in shares that wait for payouts, one for each account and market. At the limit a
 * new row stays with the exchange, and existing rows keep growing.
 */
export const SHARE_PART_ROWS = sharedTable({ capacity: 1 << 18, most: 8192, floor: 64 })

assert(SHARE_PART_ROWS.owner.most > LIMITS.booksMax, 'a maker of every book has its rows')

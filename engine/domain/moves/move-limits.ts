import { assert } from '../assert.ts'
import { LIMITS } from '../limits.ts'
import { DAY_MS } from '../units.ts'

/** Bounds on what moves money outside trading. The code that checks a bound says what happens. */
export const MOVE_LIMITS = {
  /** Largest amount of one split, merge, conversion or withdrawal, in raw units. */
  amountRawMax: Number.MAX_SAFE_INTEGER,
  /** Positions that one command redeems. A market with more of them takes several commands. */
  redeemedPositionsMax: 256,
  /** Position rows that main looks at in one turn, while a paid market waits to be swept. */
  sweptRowsMax: 4096,
  /** Main goes on with a sweep this often. */
  sweepEveryMs: 20,
  /** Markets on one page of a profile's positions, and its open orders that the pages show. */
  heldPageMax: 250,
  heldOrdersMax: 500,
  /** Markets whose shares are added up to what a profile has not realised. */
  heldMarketsMax: 1000,
  /** Days after a payout until the exchange redeems what nobody redeemed; the largest setting. */
  autoRedeemDaysMax: 3650,
  /** Calls that are remembered, so that none is made twice: in all, and of one profile. */
  callsRememberedMax: 1 << 18,
  callsOfProfileMax: 4096,
  /**
   * A signature is good for 30 seconds before and behind its time, on a clock that may differ from
   * the server's. So a signed call is remembered for longer than it can come again.
   */
  signedCallMs: 120_000,
  /** An idempotency key is remembered for a day (rules §6.4). */
  idempotencyKeyMs: DAY_MS,
  idempotencyKeyCodePointsMax: 128,
  /** Balances that one reply proves: some hundred hashes each. */
  provenBalancesMax: 50,
  /** Proofs under way in all, of one profile, and how long each may wait. */
  proofsUnderWayMax: 64,
  proofsOfProfileMax: 4,
  proofDeadlineMs: 2000,
  /** Steps of a branch: a tree of all the claims that there can be is lower. */
  branchStepsMax: 40,
  /** Minutes from one count of the obligations to the next; the largest setting. */
  solvencyMinutesMax: 1440,
} as const

assert(
  MOVE_LIMITS.redeemedPositionsMax * 128 < LIMITS.recordBytesMax,
  'the positions of one redemption fit a record',
)
assert(LIMITS.groupChildrenMax * 16 < LIMITS.recordBytesMax, 'a conversion fits a record')

import { assert } from '../assert.ts'
import { LIMITS } from '../limits.ts'
import { DAY_MS, type FeeBps } from '../units.ts'

/** Limits of money movements outside trading. The code that checks a limit defines the effect. */
export const MOVE_LIMITS = {
  /** Largest amount of one split, merge, conversion or withdrawal, in raw units. */
  amountRawMax: Number.MAX_SAFE_INTEGER,
  /** Positions redeemed by one command. A market with more takes several commands. */
  redeemedPositionsMax: 256,
  /** Position rows that main visits in one tick while it sweeps a paid market. */
  sweptRowsMax: 4096,
  /** Interval between two steps of a sweep. */
  sweepEveryMs: 20,
  /** Markets per page of a profile's positions, and the open orders shown with them. */
  heldPageMax: 250,
  heldOrdersMax: 500,
  /** Markets included in the sum of unrealised profit. */
  heldMarketsMax: 1000,
  /** Largest setting of the days between a payout and its automatic redemption. */
  autoRedeemDaysMax: 3650,
  /** Remembered calls, so that none executes twice: in total, and of one profile. */
  callsRememberedMax: 1 << 18,
  callsOfProfileMax: 4096,
  /**
   * A signature is valid for 30 seconds before and after its time, on a clock that may differ from
   * the server's. So a signed call is remembered for longer than it can be repeated.
   */
  signedCallMs: 120_000,
  /** An idempotency key is remembered for a day (rules §6.4). */
  idempotencyKeyMs: DAY_MS,
  idempotencyKeyCodePointsMax: 128,
  /** Balances proved in one reply, at a few hundred hashes each. */
  provenBalancesMax: 50,
  /** Proofs in flight in total and of one profile, and the longest wait of one. */
  proofsUnderWayMax: 64,
  proofsOfProfileMax: 4,
  proofDeadlineMs: 2000,
  /** Steps of a branch. A tree of all possible claims is lower. */
  branchStepsMax: 40,
  /** Largest setting of the minutes between two counts of the obligations. */
  solvencyMinutesMax: 1440,
} as const

assert(
  MOVE_LIMITS.redeemedPositionsMax * 128 < LIMITS.recordBytesMax,
  'the positions of one redemption fit a record',
)
assert(LIMITS.groupChildrenMax * 16 < LIMITS.recordBytesMax, 'a conversion fits a record')

/** Limits of pools. The code that checks a limit defines the effect. */
export const POOL_LIMITS = {
  /** Default pool fee in basis points: 0.40%, as upstream. */
  feeBpsDefault: 40,
  feeBpsMax: 1000,
  /** Providers of one pool. */
  providersMax: 64,
  /** Remembered approvals, one for each account, market and side: in total, and of one profile. */
  approvalsMax: 1 << 18,
  approvalsOfProfileMax: 4096,
  /** Trades not in a block yet, one for each account and market: in total, and of one profile. */
  tradesInFlightMax: 1 << 16,
  tradesOfProfileMax: 1024,
  /** Calls of one account to the pool routes, and the seconds in which they count. */
  callsMax: 10,
  callsSec: 10,
  slippageBpsDefault: 100,
  slippageBpsMax: 1000,
} as const

/** The fee of a market's pool. */
export function poolFeeBpsOf({ poolFeeBps }: { readonly poolFeeBps?: FeeBps }): FeeBps {
  return poolFeeBps ?? POOL_LIMITS.feeBpsDefault
}

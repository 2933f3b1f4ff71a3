import type { AccountId, MarketId } from '../ids.ts'
import type { CollateralRaw, FeeBps, SizeRaw } from '../units.ts'

// Rewards of resting orders, and rebates of takers' fees (rules §11.3). Minutes and days count from
// 1970, UTC.

/** Earnings of an account from one market: rewards of its orders and rebates of its fills. */
export type Credit = readonly [
  accountId: AccountId,
  marketId: MarketId,
  rewardRaw: CollateralRaw,
  rebateRaw: CollateralRaw,
]

/** Earnings of an account from the fees of an account it referred. */
export type ReferralCredit = readonly [
  referrer: AccountId,
  referred: AccountId,
  earnedRaw: CollateralRaw,
]

/**
 * A part of fees in shares of the outcome that takers bought. It belongs to a maker, or to the
 * referrer of the taker. `referred` is 0 for a maker.
 */
export type ShareCredit = readonly [
  accountId: AccountId,
  marketId: MarketId,
  outcome: number,
  sharesRaw: SizeRaw,
  referred: AccountId,
]

/** The earnings paid to one account. */
export type RewardPayment = readonly [
  accountId: AccountId,
  rewardRaw: CollateralRaw,
  rebateRaw: CollateralRaw,
]

/**
 * Fees held as pairs of shares become collateral. Older journals contain such merges, which paid
 * rebates of fees in shares.
 */
export type MergedFees = readonly [marketId: MarketId, amountRaw: SizeRaw]

export type RewardBody =
  /** Samples the books at this command for the minute. */
  | {
      kind: 'rewardMinute'
      minute: number
      /** Referrers' share of the fees of later blocks; absent = none. */
      referralBps?: FeeBps
    }
  /** Part of the result of the minute's sample. Parts arrive in order, from 0. */
  | {
      kind: 'creditRewards'
      minute: number
      part: number
      isLast: boolean
      rows: readonly Credit[]
      /** Absent = none. */
      referrals?: readonly ReferralCredit[]
      /** Parts that wait for the payout of their market; absent = none. */
      shares?: readonly ShareCredit[]
    }
  /** Pays earnings up to the end of a day. It may take several commands. */
  | {
      kind: 'payRewards'
      day: number
      isLast: boolean
      merges: readonly MergedFees[]
      rows: readonly RewardPayment[]
    }
  /** Adds collateral for rewards (positive) or withdraws it (negative). */
  | { kind: 'fundRewards'; collateralRaw: CollateralRaw }

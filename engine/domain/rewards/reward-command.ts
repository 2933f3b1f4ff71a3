import type { AccountId, MarketId } from '../ids.ts'
import type { CollateralRaw, FeeBps, SizeRaw } from '../units.ts'

// Rewards of resting orders, and rebates of takers' fees (rules §11.3). Minutes and days count from
// the start of 1970, UTC.

/** What an account earned by one market: rewards of its orders, and rebates of its fills. */
export type Credit = readonly [
  accountId: AccountId,
  marketId: MarketId,
  rewardRaw: CollateralRaw,
  rebateRaw: CollateralRaw,
]

/** What an account earned by the fees of one that it referred. */
export type ReferralCredit = readonly [
  referrer: AccountId,
  referred: AccountId,
  earnedRaw: CollateralRaw,
]

/**
 * A part of fees in shares of the outcome that takers bought: of a maker, or of the one that
 * referred the taker. `referred` is 0 for a maker.
 */
export type ShareCredit = readonly [
  accountId: AccountId,
  marketId: MarketId,
  outcome: number,
  sharesRaw: SizeRaw,
  referred: AccountId,
]

/** What one account is paid of what it earned. */
export type RewardPayment = readonly [
  accountId: AccountId,
  rewardRaw: CollateralRaw,
  rebateRaw: CollateralRaw,
]

/**
 * Fees held as pairs of shares become collateral. Journals of older versions have such merges, by
 * which they paid rebates of fees in shares.
 */
export type MergedFees = readonly [marketId: MarketId, amountRaw: SizeRaw]

export type RewardBody =
  /** The books at this command are the sample of the minute. */
  | {
      kind: 'rewardMinute'
      minute: number
      /** The part of the fees of later blocks for those who referred the takers; absent = none. */
      referralBps?: FeeBps
    }
  /** A part of what the sample of the minute gave; the parts come in their order, from 0. */
  | {
      kind: 'creditRewards'
      minute: number
      part: number
      isLast: boolean
      rows: readonly Credit[]
      /** Absent for none. */
      referrals?: readonly ReferralCredit[]
      /** Parts that wait for the payout of their market; absent for none. */
      shares?: readonly ShareCredit[]
    }
  /** Pays what was earned up to the end of a day; it may take several commands. */
  | {
      kind: 'payRewards'
      day: number
      isLast: boolean
      merges: readonly MergedFees[]
      rows: readonly RewardPayment[]
    }
  /** Collateral for rewards comes in (positive) or goes out (negative). */
  | { kind: 'fundRewards'; collateralRaw: CollateralRaw }

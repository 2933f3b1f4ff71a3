import type { AccountId, MarketId, ProfileId } from '../ids.ts'
import type { CollateralRaw, SizeRaw } from '../units.ts'
import type { CallOnce } from './call-once.ts'
import type { PoolBody } from './pool-command.ts'

// The commands that turn collateral into shares and back, and that take collateral out.

/**
 * All free shares that an account gives back of one market, and the collateral that it gets. What
 * reversals took below zero is negative: the account owes it, rounded up (rules §6.2).
 */
export interface RedeemedPosition {
  readonly accountId: AccountId
  readonly yesRaw: SizeRaw
  readonly noRaw: SizeRaw
  readonly paidRaw: CollateralRaw
}

/**
 * Calls of a profile; the exchange's own commands are no calls. The amount of a split or a merge
 * counts pairs of shares, and as much collateral.
 */
interface Called {
  readonly profileId: ProfileId
  readonly once?: CallOnce | undefined
}

export type MoveBody =
  | PoolBody
  /** Collateral becomes as many YES as NO (rules §6.2). */
  | ({ kind: 'splitPosition'; marketId: MarketId; amountRaw: number } & Called)
  /** As many YES as NO become collateral. */
  | ({ kind: 'mergePositions'; marketId: MarketId; amountRaw: number } & Called)
  /** Positions of a market that is paid out. `once` is absent when the exchange redeems them. */
  | {
      kind: 'redeemPositions'
      marketId: MarketId
      positions: readonly RedeemedPosition[]
      profileId?: ProfileId
      once?: CallOnce | undefined
    }
  /** A NO of each named child becomes YES of all other children, and collateral (rules §6.3). */
  | ({
      kind: 'convertPositions'
      groupId: MarketId
      noMarketIds: readonly MarketId[]
      amountRaw: SizeRaw
      /** Part of the amount that the vault keeps. */
      feeRaw: SizeRaw
    } & Called)
  /** Free collateral leaves the exchange. */
  | ({
      kind: 'withdraw'
      collateralRaw: CollateralRaw
      /** EIP-55 text. */
      destination: string
    } & Called)

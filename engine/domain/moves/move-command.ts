import type { AccountId, MarketId, ProfileId } from '../ids.ts'
import type { CollateralRaw, SizeRaw } from '../units.ts'
import type { CallOnce } from './call-once.ts'
import type { PoolBody } from './pool-command.ts'

// Commands that convert collateral into shares and back, and that withdraw collateral.

/**
 * All free shares of one market that an account redeems, and the collateral it receives. Balances
 * that reversals made negative are negative here: the account owes them, rounded up (rules §6.2).
 */
export interface RedeemedPosition {
  readonly accountId: AccountId
  readonly yesRaw: SizeRaw
  readonly noRaw: SizeRaw
  readonly paidRaw: CollateralRaw
}

/**
 * A call of a profile; the exchange's own commands have none. The amount of a split or a merge
 * counts pairs of shares, and the same amount of collateral.
 */
interface Called {
  readonly profileId: ProfileId
  readonly once?: CallOnce | undefined
}

export type MoveBody =
  | PoolBody
  /** Converts collateral into equal amounts of YES and NO (rules §6.2). */
  | ({ kind: 'splitPosition'; marketId: MarketId; amountRaw: number } & Called)
  /** Converts equal amounts of YES and NO into collateral. */
  | ({ kind: 'mergePositions'; marketId: MarketId; amountRaw: number } & Called)
  /**
   * Redeems positions of a market that is paid out. `once` is absent if the exchange redeems them.
   */
  | {
      kind: 'redeemPositions'
      marketId: MarketId
      positions: readonly RedeemedPosition[]
      profileId?: ProfileId
      once?: CallOnce | undefined
    }
  /** Converts NO of each named child into YES of all other children and collateral (rules §6.3). */
  | ({
      kind: 'convertPositions'
      groupId: MarketId
      noMarketIds: readonly MarketId[]
      amountRaw: SizeRaw
      /** The part of the amount that the vault keeps. */
      feeRaw: SizeRaw
    } & Called)
  /** Withdraws free collateral from the exchange. */
  | ({
      kind: 'withdraw'
      collateralRaw: CollateralRaw
      /** EIP-55 text. */
      destination: string
    } & Called)

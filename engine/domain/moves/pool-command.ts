import type { MarketId, ProfileId } from '../ids.ts'
import type { CollateralRaw, SizeRaw } from '../units.ts'
import type { CallOnce } from './call-once.ts'

// Commands on a market's pool. Each carries all its amounts.

/** Amounts of YES and NO. */
export type BothRaw = readonly [SizeRaw, SizeRaw]

interface OfPool {
  readonly marketId: MarketId
  readonly profileId: ProfileId
}

/** What an account allows a pool to take: collateral for a BUY, shares for a SELL. */
export const POOL_SIDES = ['BUY', 'SELL'] as const
export type PoolSide = (typeof POOL_SIDES)[number]

export type PoolBody =
  /**
   * Collateral becomes pairs. The pool keeps a part, and the provider gets the rest (rules §7.4).
   */
  | ({
      kind: 'fundPool'
      collateralRaw: CollateralRaw
      keptRaw: BothRaw
      /** The provider's new liquidity shares. */
      liquidityRaw: SizeRaw
      once?: undefined
    } & OfPool)
  /** A provider leaves with its part of the shares and its fees. */
  | ({
      kind: 'drainPool'
      liquidityRaw: SizeRaw
      sharesRaw: BothRaw
      feesRaw: CollateralRaw
      once?: undefined
    } & OfPool)
  /**
   * Allows the pool to take what the account trades, once a block has this command (rules §7.5).
   */
  | ({ kind: 'approvePool'; side: PoolSide; once?: undefined } & OfPool)
  /** The collateral includes the fee, which goes to the providers. */
  | ({
      kind: 'buyFromPool'
      outcome: number
      collateralRaw: CollateralRaw
      feeRaw: CollateralRaw
      sharesRaw: SizeRaw
      once?: CallOnce | undefined
    } & OfPool)
  /** The collateral that the account receives. The fee is in addition to it. */
  | ({
      kind: 'sellToPool'
      outcome: number
      collateralRaw: CollateralRaw
      feeRaw: CollateralRaw
      sharesRaw: SizeRaw
      once?: CallOnce | undefined
    } & OfPool)

/** A purchase from a pool or a sale to it. */
export type PoolTrade = Extract<PoolBody, { kind: 'buyFromPool' | 'sellToPool' }>

import type { MarketId, ProfileId } from '../ids.ts'
import type { CollateralRaw, SizeRaw } from '../units.ts'
import type { CallOnce } from './call-once.ts'

// The commands on the pool of a market. Each carries all its amounts.

/** Amounts of YES and of NO. */
export type BothRaw = readonly [SizeRaw, SizeRaw]

interface OfPool {
  readonly marketId: MarketId
  readonly profileId: ProfileId
}

/** What an account allows a pool to take: its collateral for a BUY, its shares for a SELL. */
export const POOL_SIDES = ['BUY', 'SELL'] as const
export type PoolSide = (typeof POOL_SIDES)[number]

export type PoolBody =
  /** Collateral becomes pairs: the pool keeps a part, the provider the rest (rules §7.4). */
  | ({
      kind: 'fundPool'
      collateralRaw: CollateralRaw
      keptRaw: BothRaw
      /** What the provider gets of the pool itself. */
      liquidityRaw: SizeRaw
      once?: undefined
    } & OfPool)
  /** A provider leaves with its part of the shares, and with its fees. */
  | ({
      kind: 'drainPool'
      liquidityRaw: SizeRaw
      sharesRaw: BothRaw
      feesRaw: CollateralRaw
      once?: undefined
    } & OfPool)
  /** The pool may take what the account trades, once a block holds this command (rules §7.5). */
  | ({ kind: 'approvePool'; side: PoolSide; once?: undefined } & OfPool)
  /** The collateral counts the fee, which the providers get. */
  | ({
      kind: 'buyFromPool'
      outcome: number
      collateralRaw: CollateralRaw
      feeRaw: CollateralRaw
      sharesRaw: SizeRaw
      once?: CallOnce | undefined
    } & OfPool)
  /** The account gets the collateral. The fee comes on top of it. */
  | ({
      kind: 'sellToPool'
      outcome: number
      collateralRaw: CollateralRaw
      feeRaw: CollateralRaw
      sharesRaw: SizeRaw
      once?: CallOnce | undefined
    } & OfPool)

/** A purchase from a pool, or a sale to it. */
export type PoolTrade = Extract<PoolBody, { kind: 'buyFromPool' | 'sellToPool' }>

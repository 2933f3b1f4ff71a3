// Prices that come from outside the books: those of pools, and values of oracles.

import type { MarketId } from '../../engine/domain/ids.ts'
import type { TimeMs } from '../../engine/domain/units.ts'

/** The prices of one pool as a block leaves them. */
export interface PoolPrices {
  /** In lower case. */
  readonly marketAddress: string
  readonly marketId: MarketId
  readonly yesPrice: number
  readonly noPrice: number
  readonly blockNumber: number
  readonly atMs: TimeMs
}

export interface OraclePrice {
  readonly symbol: string
  /** The market that the value is for; null for all that listen to the symbol. */
  readonly marketSlug: string | null
  readonly atMs: TimeMs
  readonly value: number
}

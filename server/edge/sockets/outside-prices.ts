// Prices from sources outside the exchange.

import type { TimeMs } from '../../../engine/domain/units.ts'

export interface OraclePrice {
  readonly symbol: string
  /** The market that the value is for; null for all subscribers of the symbol. */
  readonly marketSlug: string | null
  readonly atMs: TimeMs
  readonly value: number
}

import { redemptionRaw } from '../../../../engine/core/moves/conditions.ts'
import type { MarketId } from '../../../../engine/domain/ids.ts'
import type { CollateralRaw, SizeRaw } from '../../../../engine/domain/units.ts'

/** A market whose payout is posted: what each owner won or lost there is final. */
export interface PaidMarket {
  readonly marketId: MarketId
  readonly payoutNumerators: readonly [number, number] | null
}

/** What shares of the market pay, each outcome rounded down. */
export function worthRaw(
  { payoutNumerators }: PaidMarket,
  yesRaw: SizeRaw,
  noRaw: SizeRaw,
): CollateralRaw {
  return payoutNumerators === null ? 0 : redemptionRaw(payoutNumerators, yesRaw, noRaw)
}

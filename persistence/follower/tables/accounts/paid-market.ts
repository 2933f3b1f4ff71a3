import { redemptionRaw } from '../../../../engine/core/moves/conditions.ts'
import type { MarketId } from '../../../../engine/domain/ids.ts'
import type { CollateralRaw, SizeRaw } from '../../../../engine/domain/units.ts'

/** A market with a posted payout, in which every owner's result is final. */
export interface PaidMarket {
  readonly marketId: MarketId
  readonly payoutNumerators: readonly [number, number] | null
}

/** The payout of shares of the market, with each outcome rounded down. */
export function worthRaw(
  { payoutNumerators }: PaidMarket,
  yesRaw: SizeRaw,
  noRaw: SizeRaw,
): CollateralRaw {
  return payoutNumerators === null ? 0 : redemptionRaw(payoutNumerators, yesRaw, noRaw)
}

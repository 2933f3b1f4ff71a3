import type { Clearing } from '../../engine/core/clearing.ts'
import { FEE_ACCOUNT } from '../../engine/domain/ids.ts'
import { OUTCOME } from '../../engine/domain/order.ts'
import type { MergedFees } from '../../engine/domain/rewards/reward-command.ts'

/** All pairs of fee shares, as older versions merged them to pay rebates. */
export function olderMerges({ ledger, catalogue }: Clearing): MergedFees[] {
  return catalogue.all().flatMap(({ marketId, isPaidOut }): MergedFees[] => {
    const yesRaw = ledger.freeSharesRaw(FEE_ACCOUNT, marketId, OUTCOME.YES)
    const noRaw = ledger.freeSharesRaw(FEE_ACCOUNT, marketId, OUTCOME.NO)
    const pairsRaw = Math.min(yesRaw, noRaw)
    return isPaidOut || pairsRaw <= 0 ? [] : [[marketId, pairsRaw]]
  })
}

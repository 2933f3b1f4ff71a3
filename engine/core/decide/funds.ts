// Gates of deposits and withdrawals (rules §6.5).

import type { ProfileId } from '../../domain/ids.ts'
import { LIMITS } from '../../domain/limits.ts'
import { OUTCOME } from '../../domain/order.ts'
import { REJECT, type Reject } from '../../domain/reject-precedence.ts'
import type { CollateralRaw } from '../../domain/units.ts'
import type { Clearing } from '../clearing.ts'

/** Whether the amount may be deposited to any account: all funds together are limited. */
export function gateFunds({ ledger }: Clearing, collateralRaw: CollateralRaw): Reject | null {
  return ledger.fundedRaw + collateralRaw <= LIMITS.fundedRawMax ? null : REJECT.BALANCE_LIMIT
}

/** The most that negative shares may have to pay: one unit each (rules §6.2). */
function owedSharesRaw({ ledger, reversals }: Clearing, profileId: ProfileId): CollateralRaw {
  let owedRaw = 0
  for (const marketId of reversals.marketsOf(profileId)) {
    for (const outcome of [OUTCOME.YES, OUTCOME.NO]) {
      owedRaw += Math.max(0, -ledger.freeSharesRaw(profileId, marketId, outcome))
    }
  }
  return owedRaw
}

/** Free collateral that may be withdrawn now (rules §6.5). */
export function withdrawableRaw(clearing: Clearing, profileId: ProfileId): CollateralRaw {
  const { ledger, unmined } = clearing
  const heldRaw = unmined.of(profileId) + owedSharesRaw(clearing, profileId)
  return Math.max(0, ledger.collateralFreeRaw[profileId] - heldRaw)
}

/**
 * Why the amount may not leave by a withdrawal or an operator's debit, or null. Results that main
 * does not have yet can only raise the withdrawable amount: they add at least what they hold back,
 * or shares that cannot have been used.
 */
export function gateLeaving(
  clearing: Clearing,
  profileId: ProfileId,
  collateralRaw: CollateralRaw,
): Reject | null {
  const freeRaw = clearing.ledger.collateralFreeRaw[profileId]
  if (freeRaw < collateralRaw) return REJECT.INSUFFICIENT_COLLATERAL.short(freeRaw, collateralRaw)
  const leavesRaw = withdrawableRaw(clearing, profileId)
  if (collateralRaw <= leavesRaw) return null
  const isOwed = freeRaw - owedSharesRaw(clearing, profileId) < collateralRaw
  return (isOwed ? REJECT.SHARES_OWED : REJECT.NOT_MINED_YET).short(leavesRaw, collateralRaw)
}

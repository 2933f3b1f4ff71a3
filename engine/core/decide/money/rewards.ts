// What may be paid of rewards and rebates, and the gate of the collateral that pays rewards (rules
// §3.2, §11.3).

import { type AccountId, FEE_ACCOUNT, type MarketId, REWARDS_ACCOUNT } from '../../../domain/ids.ts'
import { OUTCOME } from '../../../domain/order.ts'
import { REJECT, type Reject } from '../../../domain/reject-precedence.ts'
import type { MergedFees, RewardPayment } from '../../../domain/rewards/reward-command.ts'
import type { CollateralRaw } from '../../../domain/units.ts'
import type { Clearing } from '../../clearing.ts'
import { gateFunds } from '../funds.ts'

/** Why so much may not come in for a system account (positive) or go out (negative), or null. */
export function decideFunding(
  clearing: Clearing,
  accountId: AccountId,
  collateralRaw: number,
): Reject | null {
  if (collateralRaw > 0) {
    return gateFunds(clearing, collateralRaw)
  }
  const isThere = clearing.ledger.freeRaw(accountId) >= -collateralRaw
  return isThere ? null : REJECT.INSUFFICIENT_COLLATERAL
}

/** What those are owed who are not looked at yet in these payments. */
export interface Owed {
  rewardsRaw: bigint
  rebatesRaw: bigint
}

/** Pairs of fee shares in these markets, until the fees pay the rebates or no pair is left. */
export function feeMerges(
  { ledger, catalogue }: Clearing,
  markets: readonly MarketId[],
  rebatesRaw: bigint,
): MergedFees[] {
  const merges: MergedFees[] = []
  let lackRaw = rebatesRaw - BigInt(ledger.freeRaw(FEE_ACCOUNT))
  for (const marketId of markets) {
    if (lackRaw <= 0n) break
    // The shares of a market that is paid out are redeemed.
    if (catalogue.byId(marketId)?.isPaidOut !== false) continue
    const yesRaw = ledger.freeSharesRaw(FEE_ACCOUNT, marketId, OUTCOME.YES)
    const noRaw = ledger.freeSharesRaw(FEE_ACCOUNT, marketId, OUTCOME.NO)
    const pairsRaw = Math.min(yesRaw, noRaw)
    if (pairsRaw <= 0) continue
    merges.push([marketId, pairsRaw])
    lackRaw -= BigInt(pairsRaw)
  }
  return merges
}

/** What these accounts get, in proportion when there is too little for all that are left. */
export function rewardPayments(
  { ledger, rewards }: Clearing,
  left: Owed,
  accounts: readonly AccountId[],
): RewardPayment[] {
  const rewardFund = { leftRaw: ledger.freeRaw(REWARDS_ACCOUNT) }
  const feeFund = { leftRaw: ledger.freeRaw(FEE_ACCOUNT) }
  const rows: RewardPayment[] = []
  for (const account of accounts) {
    const owed = rewards.due.of(account)
    if (owed === undefined) continue
    const rewardRaw = shareOf(owed.rewardRaw, left.rewardsRaw, rewardFund)
    const rebateRaw = shareOf(owed.rebateRaw, left.rebatesRaw, feeFund)
    left.rewardsRaw -= BigInt(owed.rewardRaw)
    left.rebatesRaw -= BigInt(owed.rebateRaw)
    if (rewardRaw + rebateRaw > 0) rows.push([account, rewardRaw, rebateRaw])
  }
  return rows
}

/** The part of a fund for one of those who are owed `allRaw` together; never more than is owed. */
function shareOf(owedRaw: CollateralRaw, allRaw: bigint, fund: { leftRaw: number }): CollateralRaw {
  if (owedRaw === 0 || fund.leftRaw <= 0) return 0
  const isEnough = allRaw <= BigInt(fund.leftRaw)
  const raw = isEnough ? owedRaw : Number((BigInt(owedRaw) * BigInt(fund.leftRaw)) / allRaw)
  fund.leftRaw -= raw
  return raw
}

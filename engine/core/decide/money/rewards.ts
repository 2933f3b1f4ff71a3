// Payable rewards and rebates, and the gate of the reward funds (rules §3.2, §11.3).

import { assert } from '../../../domain/assert.ts'
import { type AccountId, FEE_ACCOUNT, type MarketId, REWARDS_ACCOUNT } from '../../../domain/ids.ts'
import { OUTCOME } from '../../../domain/order.ts'
import { REJECT, type Reject } from '../../../domain/reject-precedence.ts'
import type {
  Credit,
  ReferralCredit,
  RewardPayment,
  ShareCredit,
} from '../../../domain/rewards/reward-command.ts'
import { SHARE_PART_ROWS } from '../../../domain/rewards/reward-limits.ts'
import type { CollateralRaw } from '../../../domain/units.ts'
import type { Clearing } from '../../clearing.ts'
import type { Market } from '../../markets/catalogue.ts'
import { redemptionRaw } from '../../moves/conditions.ts'
import { gateFunds } from '../funds.ts'

/**
 * Why the amount may not be added to a system account (positive) or withdrawn (negative), or null.
 */
export function decideFunding(
  clearing: Clearing,
  accountId: AccountId,
  collateralRaw: number,
): Reject | null {
  if (collateralRaw > 0) {
    return gateFunds(clearing, collateralRaw)
  }
  const freeRaw = clearing.ledger.freeRaw(accountId)
  if (freeRaw >= -collateralRaw) return null
  return REJECT.INSUFFICIENT_COLLATERAL.short(freeRaw, -collateralRaw)
}

/** What is owed to accounts that these payments have not reached yet. */
export interface Owed {
  rewardsRaw: bigint
  rebatesRaw: bigint
}

/** Results of a sample, as commands carry them. */
export interface Credited {
  readonly rows: readonly Credit[]
  readonly referrals: readonly ReferralCredit[]
  readonly shares: readonly ShareCredit[]
}

/**
 * The share parts that can be credited now. A posted payout gives their value; other parts wait for
 * their payout while there are free rows. The rest stays with the exchange: parts of archived
 * markets, and parts without a row at the limit.
 */
export function creditedShares(
  { catalogue, rewards }: Clearing,
  parts: readonly ShareCredit[],
): Credited {
  const rows: Credit[] = []
  const referrals: ReferralCredit[] = []
  const shares: ShareCredit[] = []
  const fresh = new FreshRows(rewards.shareParts)
  for (const part of parts) {
    const [accountId, marketId, outcome, sharesRaw, referred] = part
    const market = catalogue.byId(marketId)
    if (market === undefined) continue
    if (!market.isPaidOut) {
      if (fresh.mayHold(accountId, marketId)) shares.push(part)
      continue
    }
    const worthRaw = worthOf(market, outcome, sharesRaw)
    if (worthRaw === 0) continue
    if (referred === 0) rows.push([accountId, marketId, 0, worthRaw])
    else referrals.push([accountId, referred, worthRaw])
  }
  return { rows, referrals, shares }
}

function worthOf({ payoutNumerators }: Market, outcome: number, sharesRaw: number): CollateralRaw {
  assert(payoutNumerators !== null, 'a market is paid out after its resolution')
  const isYes = outcome === OUTCOME.YES
  return redemptionRaw(payoutNumerators, isYes ? sharesRaw : 0, isYes ? 0 : sharesRaw)
}

type Waiting = Clearing['rewards']['shareParts']

/** The rows that one command adds to those waiting for a payout. */
class FreshRows {
  readonly #parts: Waiting
  readonly #keys = new Set<string>()
  readonly #byOwner = new Map<AccountId, number>()

  constructor(parts: Waiting) {
    this.#parts = parts
  }

  mayHold(accountId: AccountId, marketId: MarketId): boolean {
    const key = `${accountId} ${marketId}`
    if (this.#keys.has(key) || this.#parts.of(marketId, accountId) !== undefined) return true
    const own = (this.#byOwner.get(accountId) ?? 0) + 1
    const { owners, size } = this.#parts
    if (size + this.#keys.size >= SHARE_PART_ROWS.capacity) return false
    if (owners.boundOf(SHARE_PART_ROWS, accountId, own) !== null) return false
    this.#keys.add(key)
    this.#byOwner.set(accountId, own)
    return true
  }
}

/** Payments to these accounts, in proportion if the funds do not cover everything still owed. */
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

/** One account's part of a fund, where `allRaw` is owed in total; at most what it is owed. */
function shareOf(owedRaw: CollateralRaw, allRaw: bigint, fund: { leftRaw: number }): CollateralRaw {
  if (owedRaw === 0 || fund.leftRaw <= 0) return 0
  const isEnough = allRaw <= BigInt(fund.leftRaw)
  const raw = isEnough ? owedRaw : Number((BigInt(owedRaw) * BigInt(fund.leftRaw)) / allRaw)
  fund.leftRaw -= raw
  return raw
}

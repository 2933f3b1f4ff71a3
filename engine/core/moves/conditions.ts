// Converts collateral into pairs of outcome shares and back (rules §6.2). Every command carries its
// amounts, and only free balances move, so results that markets still owe do not change its effect
// (invariant 2 of design §1).

import { assert } from '../../domain/assert.ts'
import {
  BURN_ACCOUNT,
  FEE_ACCOUNT,
  isSystemAccount,
  OUTSIDE_ACCOUNT,
  type ProfileId,
} from '../../domain/ids.ts'
import type { RedeemedPosition } from '../../domain/moves/move-command.ts'
import { OUTCOME } from '../../domain/order.ts'
import { type CollateralRaw, mulDivFloor, type SizeRaw } from '../../domain/units.ts'
import type { MarketFunds } from '../markets/catalogue.ts'
import type { Ledger } from '../money/ledger.ts'

const BOTH = [OUTCOME.YES, OUTCOME.NO] as const

/** `part` of `whole` parts of each share, rounded down; negative shares owe it rounded up. */
function shareOfPayoutRaw(sharesRaw: SizeRaw, part: number, whole: number): CollateralRaw {
  if (sharesRaw >= 0) return mulDivFloor(sharesRaw, part, whole)
  // ⌈a·part/whole⌉ = a − ⌊a·(whole − part)/whole⌋, with a = −sharesRaw.
  return sharesRaw + mulDivFloor(-sharesRaw, whole - part, whole)
}

/** The payout of a position; negative if the account owes more than it gets. */
export function redemptionRaw(
  [yesPart, noPart]: readonly [number, number],
  yesRaw: SizeRaw,
  noRaw: SizeRaw,
): CollateralRaw {
  const whole = yesPart + noPart
  return shareOfPayoutRaw(yesRaw, yesPart, whole) + shareOfPayoutRaw(noRaw, noPart, whole)
}

export function split(
  ledger: Ledger,
  market: MarketFunds,
  profileId: ProfileId,
  amountRaw: SizeRaw,
): void {
  ledger.takeCollateral(profileId, amountRaw)
  const row = ledger.rowFor(profileId, market)
  for (const outcome of BOTH) ledger.creditShares(row, outcome, amountRaw)
  ledger.moveCondition(market, amountRaw)
}

export function merge(
  ledger: Ledger,
  market: MarketFunds,
  profileId: ProfileId,
  amountRaw: SizeRaw,
): void {
  const row = ledger.rows.find(profileId, market.marketId)
  assert(row !== 0, 'a merge has shares')
  for (const outcome of BOTH) ledger.takeShares(row, outcome, amountRaw)
  ledger.moveCondition(market, -amountRaw)
  ledger.creditCollateral(profileId, amountRaw)
}

/**
 * What roundings left of a market without positions belongs to the exchange. On an EVM chain it
 * stays in the conditional tokens, where nobody has it.
 */
export function releaseRemainder(ledger: Ledger, market: MarketFunds, isOnChain: boolean): void {
  const leftRaw = market.conditionRaw
  if (isOnChain) {
    ledger.backFromOutside(market, -leftRaw)
    return
  }
  ledger.moveCondition(market, -leftRaw)
  ledger.creditSystem(FEE_ACCOUNT, leftRaw)
}

/**
 * Burns all shares of a position and pays for them. `group` is the market's group, which receives
 * the payout of its burnt shares, because it paid for conversions in advance (rules §6.3). Returns
 * what the account owes for negative shares and could not refuse.
 */
export function redeem(
  ledger: Ledger,
  market: MarketFunds,
  group: MarketFunds | null,
  { accountId, yesRaw, noRaw, paidRaw }: RedeemedPosition,
): CollateralRaw {
  const row = ledger.rows.find(accountId, market.marketId)
  assert(row !== 0, 'a redeemed position has shares')
  ledger.burnShares(row, OUTCOME.YES, yesRaw)
  ledger.burnShares(row, OUTCOME.NO, noRaw)
  ledger.moveCondition(market, -paidRaw)
  if (accountId === BURN_ACCOUNT) {
    assert(group !== null, 'only conversions in a group burn shares')
    group.conditionRaw += paidRaw
  } else if (accountId === OUTSIDE_ACCOUNT) ledger.fundedRaw -= paidRaw
  else if (paidRaw < 0) ledger.collectDebt(accountId, -paidRaw)
  else if (isSystemAccount(accountId)) ledger.creditSystem(accountId, paidRaw)
  else ledger.creditCollateral(accountId, paidRaw)
  return Math.max(0, -paidRaw)
}

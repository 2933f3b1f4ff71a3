// Converts NO shares of a group's children (rules §6.3). Exactly one child wins, so NO of k
// children is worth k − 1 units, plus one if another child wins, which equals YES of the others.
//
// Shares that a conversion takes and creates count in their children like all shares:
//
//   chosen child    NO moves from the account to the burn account
//   other child     a new pair: YES to the account and the vault, NO to the burn account
//   group           pays for the new pairs and for the collateral: its balance falls by (n − 1)·a
//
// One child wins, so burnt shares of n children pay back (n − 1)·a, and the group ends at zero.

import { assert } from '../../domain/assert.ts'
import { type AccountId, BURN_ACCOUNT, type MarketId, VAULT_ACCOUNT } from '../../domain/ids.ts'
import type { MoveBody } from '../../domain/moves/move-command.ts'
import { OUTCOME } from '../../domain/order.ts'
import { BPS, mulDivFloor, type SizeRaw } from '../../domain/units.ts'
import type { Market } from '../markets/catalogue.ts'
import type { Ledger } from '../money/ledger.ts'

export type Conversion = Extract<MoveBody, { kind: 'convertPositions' }>

/** The vault's part of an amount, rounded down. */
export function convertFeeRaw(group: Market, amountRaw: SizeRaw): SizeRaw {
  return mulDivFloor(amountRaw, group.convertFeeBps ?? 0, BPS)
}

/** The caller knows whether the rows that the account empties are still needed. */
export function convert(
  ledger: Ledger,
  group: Market,
  children: readonly Market[],
  { profileId, noMarketIds, amountRaw, feeRaw }: Conversion,
): void {
  const chosen = new Set<MarketId>(noMarketIds)
  assert(chosen.size === noMarketIds.length && chosen.size > 0, 'a child is chosen once')
  assert(feeRaw <= amountRaw, 'a fee is part of the amount')
  for (const child of children) {
    if (chosen.delete(child.marketId)) {
      const row = ledger.rows.find(profileId, child.marketId)
      assert(row !== 0, 'a conversion has shares')
      ledger.takeShares(row, OUTCOME.NO, amountRaw)
    } else {
      ledger.moveCondition(child, amountRaw)
      credit(ledger, child, profileId, OUTCOME.YES, amountRaw - feeRaw)
      credit(ledger, child, VAULT_ACCOUNT, OUTCOME.YES, feeRaw)
    }
    credit(ledger, child, BURN_ACCOUNT, OUTCOME.NO, amountRaw)
  }
  assert(chosen.size === 0, 'every chosen market is a child of the group')
  group.conditionRaw -= (children.length - 1) * amountRaw
  assert(Number.isSafeInteger(group.conditionRaw), 'the balance of a group stays exact')
  ledger.creditCollateral(profileId, (noMarketIds.length - 1) * (amountRaw - feeRaw))
  ledger.creditSystem(VAULT_ACCOUNT, (noMarketIds.length - 1) * feeRaw)
}

function credit(
  ledger: Ledger,
  child: Market,
  accountId: AccountId,
  outcome: number,
  sharesRaw: SizeRaw,
): void {
  if (sharesRaw === 0) return
  ledger.creditShares(ledger.rowFor(accountId, child), outcome, sharesRaw)
}

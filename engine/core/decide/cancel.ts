// Why an order cannot be canceled or amended (rules §4.7).

import type { AccountId, Generation, MarketId, Slot } from '../../domain/ids.ts'
import { REJECT, type Reject } from '../../domain/reject-precedence.ts'
import type { Clearing } from '../clearing.ts'
import { whyNotNow } from './release.ts'

/** Why the caller may not cancel the order currently in this slot and generation, or null. */
export function decideCancel(
  clearing: Clearing,
  accountId: AccountId,
  slot: Slot,
  generation: Generation,
): Reject | null {
  const { orders } = clearing
  if (!orders.isLive(slot, generation)) return REJECT.ORDER_NOT_OPEN
  if (orders.accountOf(slot) !== accountId) return REJECT.ORDER_NOT_FOUND
  return whyNotNow(clearing, slot)
}

/**
 * Why an ended order cannot be canceled. null if the slot has another order, after a start, or if
 * one of its fills may have been reversed; then only the tables know.
 */
export function whyEnded(
  clearing: Clearing,
  accountId: AccountId,
  slot: Slot,
  generation: Generation,
): Reject | null {
  const { orders } = clearing
  if (!orders.hasEnded(slot, generation)) return null
  if (orders.accountOf(slot) !== accountId) return REJECT.ORDER_NOT_FOUND
  if (!orders.wasMatched(slot)) return REJECT.ORDER_NOT_OPEN
  return mayBeUndone(clearing, accountId, orders.marketOf(slot)) ? null : REJECT.ORDER_FILLED
}

/** Whether a reversal may have reversed a fill of the account in the market (rules §5.2). */
function mayBeUndone(
  { catalogue, reversals }: Clearing,
  accountId: AccountId,
  marketId: MarketId,
): boolean {
  // Reversals in an archived market are no longer recorded.
  return catalogue.byId(marketId) === undefined || reversals.tookOf(accountId)
}

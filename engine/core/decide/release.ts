// Releases of held orders into their markets, and their cancels before that (rules §4.3). A release
// carries the terms of the placement.

import type { ReleaseOrder } from '../../domain/command.ts'
import type { Slot } from '../../domain/ids.ts'
import { buysBySpend, STP } from '../../domain/order.ts'
import { setFlags } from '../../domain/order-flags.ts'
import { REJECT, type Reject } from '../../domain/reject-precedence.ts'
import type { TimeMs } from '../../domain/units.ts'
import type { Clearing } from '../clearing.ts'
import { STATE } from '../orders/order-table.ts'

/** Whether held orders may enter their markets now. Otherwise their releases wait. */
export function mayRelease({ modes }: Clearing, nowMs: TimeMs): boolean {
  return modes.count === 0 || modes.modeAt(nowMs) === 'normal'
}

/** Fills in `release`, except its stamp, from the order held in `slot`. */
export function fillRelease(release: ReleaseOrder, clearing: Clearing, slot: Slot): void {
  const { orders } = clearing
  const marketForm = orders.marketFormOf(slot) === 1
  const reserveRaw = orders.reservedRawOf(slot)
  release.marketId = orders.marketOf(slot)
  release.book = orders.bookOf(slot)
  release.accountId = orders.accountOf(slot)
  release.slot = slot
  release.generation = orders.generationOf(slot)
  release.side = orders.sideOf(slot)
  release.outcome = orders.outcomeOf(slot)
  release.orderType = orders.orderTypeOf(slot)
  // A post-only order is never held.
  setFlags(release, 0)
  release.marketForm = marketForm
  // Otherwise an own order in its way could cancel an order that must not be canceled.
  release.stp = mayBind(clearing, slot) ? STP.CANCEL_MAKER : orders.held.stpOf(slot)
  release.priceTicks = orders.priceTicksOf(slot)
  release.sizeRaw = orders.sizeRawOf(slot)
  // A held order has not traded, so a market buy still reserves its full spend.
  release.spendRaw = buysBySpend(marketForm, release.side) ? reserveRaw : 0
  release.reserveRaw = reserveRaw
  release.expirationSec = orders.expirationSecOf(slot)
  release.feeBps = orders.feeBpsOf(slot)
  release.takerDelayMs = 0
  release.hashHigh = orders.hashHighOf(slot)
  release.hashLow = orders.hashLowOf(slot)
  release.clientOrderId = orders.clientIdOf(slot)
  release.replacedSlot = 0
}

/** Whether this live order is entering its market after its taker delay (rules §4.3). */
export function isReleasing({ orders }: Clearing, slot: Slot): boolean {
  return orders.held.releasingCount > 0 && orders.held.isReleasing(slot)
}

/**
 * Why the owner of this live order may not cancel it now, or null. In a market that does not cancel
 * held orders, an arriving order is undecided until main knows whether it is held; the owner
 * retries.
 */
export function whyNotNow(clearing: Clearing, slot: Slot): Reject | null {
  if (isReleasing(clearing, slot)) return REJECT.ORDER_RELEASE_IN_PROGRESS
  if (isBound(clearing, slot)) return REJECT.DELAYED_CANCEL_OFF
  const isUnknown = clearing.orders.stateOf(slot) === STATE.IN_FLIGHT && mayBind(clearing, slot)
  return isUnknown ? REJECT.ORDER_RELEASE_IN_PROGRESS : null
}

/**
 * Whether this live order waits for its release and its owner cannot cancel it (rules §4.3). A held
 * order that its owner may cancel is a free option on the maker's price.
 */
export function isBound(clearing: Clearing, slot: Slot): boolean {
  return (
    clearing.orders.stateOf(slot) === STATE.HELD &&
    !isReleasing(clearing, slot) &&
    mayBind(clearing, slot)
  )
}

/** Whether the market of this live order prevents owners from canceling held orders. */
export function mayBind({ catalogue, orders }: Clearing, slot: Slot): boolean {
  const { takerDelayMs, noDelayedCancel } = catalogue.ofBook(orders.bookOf(slot))
  return noDelayedCancel === true && takerDelayMs > 0
}

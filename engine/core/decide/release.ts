// A held order enters its market (rules §4.3). Its release carries the terms of its placement.

import type { ReleaseOrder } from '../../domain/command.ts'
import type { Slot } from '../../domain/ids.ts'
import { buysBySpend, STP } from '../../domain/order.ts'
import type { TimeMs } from '../../domain/units.ts'
import type { Clearing } from '../clearing.ts'
import { mayBind } from './decide.ts'

/** Whether held orders may enter their markets at this time. Until they may, releases wait. */
export function mayRelease({ modes }: Clearing, nowMs: TimeMs): boolean {
  return modes.count === 0 || modes.modeAt(nowMs) === 'normal'
}

/** Fills `release`, except its stamp, with the order that is held in `slot`. */
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
  release.postOnly = false
  release.marketForm = marketForm
  // An own order in its way would call back an order that nobody may call back.
  release.stp = mayBind(clearing, slot) ? STP.CANCEL_MAKER : orders.held.stpOf(slot)
  release.priceTicks = orders.priceTicksOf(slot)
  release.sizeRaw = orders.sizeRawOf(slot)
  // A held order has traded nothing, so a market buy still reserves its whole spend.
  release.spendRaw = buysBySpend(marketForm, release.side) ? reserveRaw : 0
  release.reserveRaw = reserveRaw
  release.expirationSec = orders.expirationSecOf(slot)
  release.feeBps = orders.feeBpsOf(slot)
  release.takerDelayMs = 0
  release.hashHigh = orders.hashHighOf(slot)
  release.hashLow = orders.hashLowOf(slot)
  release.clientOrderId = orders.clientIdOf(slot)
}

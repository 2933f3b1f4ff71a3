// Amends of resting orders (rules §4.10). A decrease takes shares off an order; a replacement is a
// new order in its place, under one command.
//
// Invariant 2 of design §1: what the old order fills after the decision comes off the new one in
// the market, which gives it no more shares than the reserves of both pay for.

import type { PlaceOrder } from '../../domain/command.ts'
import type { AccountId, Generation, Slot } from '../../domain/ids.ts'
import { POLICY_OF_TYPE } from '../../domain/order.ts'
import { REJECT, type Reject } from '../../domain/reject-precedence.ts'
import { SHARE_LIMITS } from '../../domain/share-limits.ts'
import { type SizeRaw, wholeStepsRaw } from '../../domain/units.ts'
import type { Clearing } from '../clearing.ts'
import { reserveOfLeft } from '../money/fill-money.ts'
import type { OrderTable } from '../orders/order-table.ts'
import { decideCancel } from './cancel.ts'
import { reserveOf } from './capacity.ts'

/** The order to amend, as its owner knows it; slot 0 names no order. */
export interface Amended {
  readonly slot: Slot
  readonly generation: Generation
  /** The fills that the owner has counted; null: those that are settled at the decision. */
  readonly seenFilledRaw: SizeRaw | null
}

/** Why the owner may not amend the order now, or null. */
function gateAmend(clearing: Clearing, accountId: AccountId, amended: Amended): Reject | null {
  const { slot, generation } = amended
  const refusal = decideCancel(clearing, accountId, slot, generation)
  if (refusal !== null) return refusal
  const { rests } = POLICY_OF_TYPE[clearing.orders.orderTypeOf(slot)]
  if (!rests) return REJECT.AMEND_NOT_RESTING
  return clearing.amending.has(slot) ? REJECT.AMEND_IN_PROGRESS : null
}

/** What may still trade of `sizeRaw`, after fills that its owner has not counted; steps, or 0. */
function wantedRaw(
  orders: OrderTable,
  { slot, seenFilledRaw }: Amended,
  sizeRaw: SizeRaw,
): SizeRaw {
  const filledRaw = orders.filledSharesRawOf(slot)
  const uncountedRaw = seenFilledRaw === null ? 0 : Math.max(0, filledRaw - seenFilledRaw)
  return Math.max(0, wholeStepsRaw(sizeRaw - uncountedRaw))
}

/** The shares to take off, so that `sizeRaw` may still trade, or the refusal. */
export function decideDecrease(
  clearing: Clearing,
  accountId: AccountId,
  amended: Amended,
  sizeRaw: SizeRaw,
): SizeRaw | Reject {
  const refusal = gateAmend(clearing, accountId, amended)
  if (refusal !== null) return refusal
  const { orders } = clearing
  const { slot } = amended
  const openRaw = orders.leftRawOf(slot)
  const leftRaw = wantedRaw(orders, amended, sizeRaw)
  if (leftRaw >= openRaw) return REJECT.AMEND_NOT_SMALLER
  const neededRaw = reserveOfLeft(orders, slot, leftRaw)
  if (isDust(clearing, accountId, neededRaw)) return REJECT.AMOUNT_TOO_SMALL
  return openRaw - leftRaw
}

/** Makes `order`, which passed its other gates, replace the amended one, or gives the refusal. */
export function decideReplacement(
  clearing: Clearing,
  order: PlaceOrder,
  amended: Amended,
): Reject | null {
  const refusal = gateAmend(clearing, order.accountId, amended)
  if (refusal !== null) return refusal
  const { orders } = clearing
  const { slot, generation } = amended
  const isAlike =
    orders.bookOf(slot) === order.book &&
    orders.sideOf(slot) === order.side &&
    orders.outcomeOf(slot) === order.outcome &&
    POLICY_OF_TYPE[order.orderType].rests
  if (!isAlike) return REJECT.AMEND_DIFFERS
  order.replacedSlot = slot
  order.replacedGeneration = generation
  order.replacedOpenRaw = orders.leftRawOf(slot)
  order.replacedTicks = orders.priceTicksOf(slot)
  order.replacingRaw = wantedRaw(orders, amended, order.sizeRaw)
  const neededRaw = reserveOf(order, order.replacingRaw)
  return isDust(clearing, order.accountId, neededRaw) ? REJECT.AMOUNT_TOO_SMALL : null
}

/** Whether an account with so many orders may not have one that reserves so little, and not 0. */
function isDust({ orders }: Clearing, accountId: AccountId, reservedRaw: number): boolean {
  const isSmall = reservedRaw > 0 && reservedRaw < SHARE_LIMITS.amountRawMin
  return isSmall && orders.live.isMany(accountId, 0)
}

/** What a replacement reserves besides what the order that it replaces reserves. */
export function reserveBeyond({ orders }: Clearing, order: PlaceOrder): number {
  const ownRaw = orders.reservedRawOf(order.replacedSlot)
  return Math.max(0, reserveOf(order, order.replacingRaw) - ownRaw)
}

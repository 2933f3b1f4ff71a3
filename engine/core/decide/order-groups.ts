// The gates of order groups (rules §4.13): their own commands, and the orders that join them.

import type { PlaceOrder } from '../../domain/command.ts'
import type { OrderGroupId, ProfileId } from '../../domain/ids.ts'
import { ORDER_GROUP_LIMITS } from '../../domain/order-group-limits.ts'
import { REJECT, type Reject } from '../../domain/reject-precedence.ts'
import { SHARED_TABLES } from '../../domain/shared-tables.ts'
import type { TimeMs } from '../../domain/units.ts'
import type { Clearing } from '../clearing.ts'
import { isOneCancelsOther, type OrderGroup, staysLive } from '../orders/order-groups.ts'

const { ordersMax, oneCancelsOtherMax } = ORDER_GROUP_LIMITS

/** Why the profile may not create a group, or null. */
export function decideCreateGroup({ orderGroups }: Clearing, profileId: ProfileId): Reject | null {
  const bound = orderGroups.owners.boundOf(SHARED_TABLES.orderGroups, profileId)
  return bound === null ? null : REJECT.ORDER_GROUP_LIMIT
}

/** The current group with this id, if it belongs to the profile. */
export function currentGroup(
  { orderGroups }: Clearing,
  profileId: ProfileId,
  id: OrderGroupId,
): OrderGroup | undefined {
  const group = orderGroups.byId(id)
  const isCurrent = group?.profileId === profileId && group.removedSeq === 0
  return isCurrent ? group : undefined
}

/** Why the group may not be reset, or null. After a crash, its cancels follow from its state. */
export function decideResetGroup(
  clearing: Clearing,
  profileId: ProfileId,
  id: OrderGroupId,
): Reject | null {
  const group = currentGroup(clearing, profileId, id)
  if (group === undefined) return REJECT.ORDER_GROUP_NOT_FOUND
  const isClosing = clearing.orderGroups.exceeded.has(group)
  return isClosing || isCanceling(clearing, group) ? REJECT.ORDER_GROUP_CANCELING : null
}

/** Whether orders of a closed group are live that it does not keep. */
export function isCanceling({ orders }: Clearing, group: OrderGroup): boolean {
  if (group.closedSeq === 0) return false
  for (const slot of group.orders) if (!staysLive(group, orders.seqOf(slot))) return true
  return false
}

/** Why the profile may not remove the group, which cancels its orders, or null. */
export function decideRemoveGroup(
  clearing: Clearing,
  profileId: ProfileId,
  id: OrderGroupId,
  nowMs: TimeMs,
): Reject | null {
  const group = currentGroup(clearing, profileId, id)
  if (group === undefined) return REJECT.ORDER_GROUP_NOT_FOUND
  return group.orders.size === 0 ? null : clearing.modes.cancelReject(nowMs)
}

/** Why the order may not join the group that it names, whatever is live; null also without one. */
export function gateGroup(
  clearing: Clearing,
  { accountId, orderGroup }: PlaceOrder,
): Reject | null {
  if (orderGroup === 0) return null
  const group = currentGroup(clearing, accountId, orderGroup)
  if (group === undefined) return REJECT.ORDER_GROUP_NOT_FOUND
  return group.closedSeq === 0 ? null : REJECT.ORDER_GROUP_CLOSED
}

/** Why no order fits the group that it names, or null. An order that is replaced leaves it. */
export function gateGroupOrders({ orderGroups }: Clearing, order: PlaceOrder): Reject | null {
  const group = order.orderGroup === 0 ? undefined : orderGroups.byId(order.orderGroup)
  if (group === undefined) return null
  const most = isOneCancelsOther(group) ? oneCancelsOtherMax : ordersMax
  const leaving = order.replacedSlot !== 0 && group.orders.has(order.replacedSlot) ? 1 : 0
  return group.orders.size - leaving < most ? null : REJECT.ORDER_GROUP_FULL
}

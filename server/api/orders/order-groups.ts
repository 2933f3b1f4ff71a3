// The routes of order groups (rules §4.13).

import type { Clearing } from '../../../engine/core/clearing.ts'
import {
  currentGroup,
  decideCreateGroup,
  decideRemoveGroup,
  decideResetGroup,
  isCanceling,
} from '../../../engine/core/decide/order-groups.ts'
import {
  filledInWindowRaw,
  isOneCancelsOther,
  type OrderGroup,
} from '../../../engine/core/orders/order-groups.ts'
import { assert } from '../../../engine/domain/assert.ts'
import type { OrderGroupId, ProfileId } from '../../../engine/domain/ids.ts'
import { ORDER_GROUP_LIMITS } from '../../../engine/domain/order-group-limits.ts'
import type { Reject } from '../../../engine/domain/reject-precedence.ts'
import { hmac, hmacOrSession } from '../../auth/auth-scheme.ts'
import { route } from '../../edge/http/route.ts'
import { orderGroupId, orderId, rawAmount } from '../../edge/http/schema/fields.ts'
import {
  boolean,
  exactlyOne,
  integer,
  means,
  named,
  nothing,
  nullable,
  oneOf,
} from '../../edge/http/schema/scalars.ts'
import { list, object, optional } from '../../edge/http/schema/schema.ts'
import type { Pipeline } from '../../exchange/pipeline.ts'
import type { ControlBody } from '../../exchange/sequencer/sequencer.ts'
import { type Issue, invalid, refuse } from '../../messages/refusal.ts'
import { ORDER_ID } from '../examples.ts'
import type { OrderServices } from './services.ts'

const { groupsOfProfileMax, windowSecMax } = ORDER_GROUP_LIMITS
/** The window of a group that names none. */
const WINDOW_SEC = 15
const CREATED = 201
const NO_CONTENT = 204

const shownGroup = () => ({
  orderGroupId: orderGroupId(),
  maxFillRaw: means(
    nullable(rawAmount(1)),
    'Raw shares that its orders may fill within the window; null if one cancels the other.',
  ),
  windowSec: means(nullable(integer(1, windowSecMax)), 'Seconds of the window; null likewise.'),
  oneCancelsOther: means(boolean(), 'Whether the first fill of one order cancels the other.'),
  status: means(
    oneOf('OPEN', 'CANCELING', 'CLOSED'),
    'OPEN takes orders. CANCELING: the cancels of a closed group are under way.',
  ),
  filledRaw: means(rawAmount(), 'Raw shares filled in the window that ends now; else 0.'),
  openOrders: means(integer(0), 'Its live orders, also those that are being replaced.'),
})

const orderGroupReply = () => named('OrderGroup', object(shownGroup()))

const GROUP_EXAMPLE = {
  orderGroupId: 4711,
  maxFillRaw: 500_000_000,
  windowSec: WINDOW_SEC,
  oneCancelsOther: false,
  status: 'OPEN' as const,
  filledRaw: 120_000_000,
  openOrders: 1,
}

const OWNERS = hmac('trading').forSubAccounts()
const READERS = hmacOrSession().forSubAccounts()
const OF_GROUP = { params: { orderGroupId: orderGroupId() } }
const OF_EXAMPLE = { orderGroupId: GROUP_EXAMPLE.orderGroupId }

function groupView(clearing: Clearing, group: OrderGroup, nowMs: number) {
  const { id, maxFillRaw, windowSec, closedSeq, orders } = group
  const oneCancelsOther = isOneCancelsOther(group)
  const closed = isCanceling(clearing, group) ? ('CANCELING' as const) : ('CLOSED' as const)
  return {
    orderGroupId: id,
    maxFillRaw: oneCancelsOther ? null : maxFillRaw,
    windowSec: oneCancelsOther ? null : windowSec,
    oneCancelsOther,
    status: closedSeq === 0 ? ('OPEN' as const) : closed,
    filledRaw: filledInWindowRaw(group, nowMs),
    openOrders: orders.size,
  }
}

/**
 * Makes a change, and gives the group as it is then, once that is durable. Without `groupId` the
 * change creates it.
 */
async function shownAfter(
  pipeline: Pipeline,
  { owner, groupId }: { readonly owner: ProfileId; readonly groupId: OrderGroupId | null },
  decide: () => Reject | ControlBody,
) {
  const { clearing, sequencer } = pipeline
  let id = groupId ?? 0
  let nowMs = 0
  const { seq, reject } = sequencer.change((atMs) => {
    nowMs = atMs
    // What is due is stamped before, so the next seq is that of this command.
    if (groupId === null) id = clearing.lastSeq + 1
    return decide()
  })
  const group = reject === null ? currentGroup(clearing, owner, id) : undefined
  const shown = group === undefined ? null : groupView(clearing, group, nowMs)
  await pipeline.durable(seq)
  if (reject !== null) return refuse(reject)
  assert(shown !== null, 'a group that was changed is there')
  return shown
}

interface Terms {
  readonly maxFillRaw?: number
  readonly windowSec?: number
  readonly oneCancelsOther?: boolean
}

function termsIssues({ maxFillRaw, windowSec, oneCancelsOther = false }: Terms): Issue[] {
  if ((maxFillRaw === undefined) !== oneCancelsOther) {
    return [{ field: 'body', message: 'needs either maxFillRaw or oneCancelsOther: true' }]
  }
  if (!oneCancelsOther || windowSec === undefined) return []
  return [{ field: 'windowSec', message: 'must be absent with oneCancelsOther' }]
}

export const createOrderGroup = route({
  method: 'POST',
  path: '/order-groups',
  auth: OWNERS,
  rateClass: 'trade',
  about: 'Creates a group whose orders are canceled together once they fill too much.',
  body: exactlyOne(
    {
      maxFillRaw: means(
        optional(integer(1, Number.MAX_SAFE_INTEGER)),
        'Raw shares that its orders may fill within the window.',
      ),
      windowSec: means(
        optional(integer(1, windowSecMax)),
        `Seconds of the window; ${WINDOW_SEC} when absent.`,
      ),
      oneCancelsOther: means(
        optional(boolean()),
        'True for a group of two orders, of which the first fill of one cancels the other.',
      ),
    },
    'maxFillRaw',
    'oneCancelsOther',
  ),
  reply: orderGroupReply(),
  means: 'The new group, which is open and has no orders.',
  status: CREATED,
  rejects: ['OVERLOADED', 'VALIDATION', 'ORDER_GROUP_LIMIT'],
  example: {
    body: { maxFillRaw: GROUP_EXAMPLE.maxFillRaw, windowSec: GROUP_EXAMPLE.windowSec },
    reply: { ...GROUP_EXAMPLE, filledRaw: 0, openOrders: 0 },
  },
  handle: async ({ body, owner }, { pipeline }: OrderServices) => {
    const issues = termsIssues(body)
    if (issues.length > 0) return invalid(...issues)
    const isLimited = body.oneCancelsOther !== true
    const terms = {
      maxFillRaw: body.maxFillRaw ?? 0,
      windowSec: isLimited ? (body.windowSec ?? WINDOW_SEC) : 0,
    }
    return shownAfter(pipeline, { owner, groupId: null }, () => {
      const refusal = decideCreateGroup(pipeline.clearing, owner)
      return refusal ?? { kind: 'createOrderGroup', profileId: owner, ...terms }
    })
  },
})

export const orderGroups = route({
  method: 'GET',
  path: '/order-groups',
  auth: READERS,
  rateClass: 'private',
  about: 'Lists the order groups of the caller, oldest first.',
  reply: object({
    orderGroups: means(list(orderGroupReply(), 0, groupsOfProfileMax), 'All its groups.'),
  }),
  means: 'The groups with what their orders have filled so far.',
  example: { reply: { orderGroups: [GROUP_EXAMPLE] } },
  handle: async ({ owner }, { pipeline }: OrderServices) => {
    const { clearing, sequencer } = pipeline
    const nowMs = sequencer.nowMs()
    const groups = clearing.orderGroups.of(owner)
    const shown = groups.map((group) => groupView(clearing, group, nowMs))
    await pipeline.durable()
    return { orderGroups: shown }
  },
})

export const orderGroup = route({
  method: 'GET',
  path: '/order-groups/:orderGroupId',
  auth: READERS,
  rateClass: 'private',
  about: 'Shows one order group of the caller with its live orders.',
  ...OF_GROUP,
  reply: object({
    ...shownGroup(),
    orderIds: means(list(orderId()), 'The ids of these orders.'),
  }),
  means: 'The group with what its orders have filled so far.',
  rejects: ['ORDER_GROUP_NOT_FOUND'],
  example: { params: OF_EXAMPLE, reply: { ...GROUP_EXAMPLE, orderIds: [ORDER_ID] } },
  handle: async ({ params, owner }, { pipeline }: OrderServices) => {
    const { clearing, sequencer, ids } = pipeline
    const group = currentGroup(clearing, owner, params.orderGroupId)
    if (group === undefined) {
      await pipeline.durable()
      return refuse('ORDER_GROUP_NOT_FOUND')
    }
    const { orders } = clearing
    const names = [...group.orders].map((slot) => ({ slot, generation: orders.generationOf(slot) }))
    const shown = groupView(clearing, group, sequencer.nowMs())
    await pipeline.durable()
    return { ...shown, orderIds: ids.texts(names) }
  },
})

export const resetOrderGroup = route({
  method: 'POST',
  path: '/order-groups/:orderGroupId/reset',
  auth: OWNERS,
  rateClass: 'trade',
  about: 'Opens an order group again; what its orders filled before no longer counts.',
  ...OF_GROUP,
  reply: orderGroupReply(),
  means: 'The group is open, and nothing is filled in its window.',
  rejects: ['OVERLOADED', 'ORDER_GROUP_NOT_FOUND', 'ORDER_GROUP_CANCELING'],
  example: { params: OF_EXAMPLE, reply: { ...GROUP_EXAMPLE, filledRaw: 0 } },
  handle: async ({ params, owner }, { pipeline }: OrderServices) => {
    const { orderGroupId: groupId } = params
    return shownAfter(pipeline, { owner, groupId }, () => {
      const refusal = decideResetGroup(pipeline.clearing, owner, groupId)
      return refusal ?? { kind: 'resetOrderGroup', groupId }
    })
  },
})

export const removeOrderGroup = route({
  method: 'DELETE',
  path: '/order-groups/:orderGroupId',
  auth: OWNERS,
  rateClass: 'trade',
  bulkhead: 'frees',
  about: 'Removes an order group, and cancels its live orders.',
  ...OF_GROUP,
  status: NO_CONTENT,
  reply: nothing(),
  means: 'The group is gone, and the cancels of its orders are decided.',
  rejects: ['OVERLOADED', 'TRADING_DISABLED', 'ORDER_GROUP_NOT_FOUND'],
  example: { params: OF_EXAMPLE, reply: null },
  handle: async ({ params, owner }, { pipeline }: OrderServices) => {
    const { clearing } = pipeline
    const { orderGroupId: groupId } = params
    const refused = await pipeline.change((nowMs) => {
      const refusal = decideRemoveGroup(clearing, owner, groupId, nowMs)
      return refusal ?? { kind: 'removeOrderGroup', groupId }
    })
    return refused === null ? null : refuse(refused)
  },
})

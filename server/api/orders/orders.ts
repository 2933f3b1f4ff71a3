// Order entry and cancels (rules §4).

import type { MarketId } from '../../../engine/domain/ids.ts'
import { LIMITS } from '../../../engine/domain/limits.ts'
import { kindOf } from '../../../engine/domain/markets/market.ts'
import { REJECT, Reject } from '../../../engine/domain/reject-precedence.ts'
import { matchOrders } from '../../../persistence/query/read/orders/match-orders.ts'
import { userOrders as ordersOfUser } from '../../../persistence/query/read/orders/user-orders.ts'
import { hmac } from '../../auth/auth-scheme.ts'
import { IDEMPOTENCY_KEY_HEADER } from '../../edge/http/access/idempotency-key.ts'
import { ON_BEHALF_HEADER } from '../../edge/http/access/on-behalf.ts'
import { ofEarlierOrder } from '../../edge/http/refusal-schemas.ts'
import { type Bytes, Pending } from '../../edge/http/reply.ts'
import { rawRoute, route } from '../../edge/http/route.ts'
import { marketName, orderId } from '../../edge/http/schema/fields.ts'
import { boolean, exactlyOne, integer, means, nullable } from '../../edge/http/schema/scalars.ts'
import { list, object, openObject, optional } from '../../edge/http/schema/schema.ts'
import { clientOrderIdIssue, clientOrderIdText } from '../../edge/intake/order/client-order-id.ts'
import { ordersBody } from '../../edge/intake/order/order-batch.ts'
import { orderBody } from '../../edge/intake/order/order-body.ts'
import type { PublishedMarket } from '../../exchange/read-model/published.ts'
import { userOrderView } from '../../exchange/read-model/views.ts'
import { FORM } from '../../messages/intake-layout.ts'
import { type Issue, invalid, Refusal, refuse } from '../../messages/refusal.ts'
import { ORDER_ID } from '../examples.ts'
import { requesterOf } from '../reads/private-reads.ts'
import {
  batchCancelReply,
  batchResult,
  cancelAllInSlices,
  cancelDone,
  cancelReply,
  MULTI_STATUS,
  refuseCancel,
  SOME_CANCELED,
} from './cancel-replies.ts'
import type { OrderText } from './cancels.ts'
import {
  CANCELED_EXAMPLE,
  OF_ORDER,
  ORDER_REPLY_EXAMPLE,
  ORDER_REQUEST_EXAMPLE,
  orderReply,
  refusedFields,
  statusNumbers,
  USER_ORDER_EXAMPLE,
  userOrder,
  userOrderQuery,
} from './order-shapes.ts'
import { answered, batchAnswered, ORDER_AUTH, type OrderServices, signedCall } from './services.ts'

const CREATED = 201

const { canceled, orders, failed } = batchCancelReply().properties
const lists = {
  fields: { canceled: optional(canceled), orders: optional(orders), failed: optional(failed) },
  example: {
    canceled: [],
    orders: [],
    failed: [
      {
        orderId: ORDER_ID,
        reason: 'ORDER_NOT_FOUND',
        message: REJECT.ORDER_NOT_FOUND.sentence,
        retryable: false,
      },
    ],
  },
}

/** The fields in the refusals of a batch when none of its orders was canceled. */
const NOTHING_CANCELED = {
  ORDERS_NOT_FOUND: lists,
  ORDER_NOT_OPEN: lists,
  DELAYED_CANCEL_OFF: lists,
}

const OF_ONE = [
  'OVERLOADED',
  'TRADING_DISABLED',
  'ORDER_NOT_FOUND',
  'ORDER_FILLED',
  'ORDER_NOT_OPEN',
  'ORDER_RELEASE_IN_PROGRESS',
  'DELAYED_CANCEL_OFF',
  'READ_TIMEOUT',
] as const
const OF_NAMED = [
  'OVERLOADED',
  'TRADING_DISABLED',
  'ORDERS_NOT_FOUND',
  'DELAYED_CANCEL_OFF',
  'ORDER_NOT_OPEN',
  'READ_TIMEOUT',
] as const

/** What the routes that cancel have in common; they count as calls that free capacity. */
const CANCEL = {
  auth: hmac('trading').forSubAccounts(),
  rateClass: 'trade',
  bulkhead: 'frees',
} as const
const CANCEL_ONE = {
  ...CANCEL,
  reply: cancelReply(),
  means: 'The order is canceled, and what it reserved is free.',
  rejects: OF_ONE,
} as const
const CANCEL_MANY = {
  ...CANCEL,
  others: { [MULTI_STATUS]: SOME_CANCELED },
  reply: batchCancelReply(),
} as const
const CANCEL_NAMED = {
  ...CANCEL_MANY,
  means: 'Every order that was named is canceled.',
  rejects: OF_NAMED,
  refusalFields: NOTHING_CANCELED,
} as const
const ONE_EXAMPLE = { message: 'Order canceled successfully', ...CANCELED_EXAMPLE }
const MANY_EXAMPLE = {
  message: 'Orders canceled successfully',
  canceled: [ORDER_ID],
  orders: [CANCELED_EXAMPLE],
  failed: [],
}

export const placeOrder = rawRoute({
  method: 'POST',
  path: '/orders',
  auth: ORDER_AUTH,
  rateClass: 'trade',
  about: 'Places an order, signed by the caller or by a server wallet. Replies once it is durable.',
  headers: { ...ON_BEHALF_HEADER, ...IDEMPOTENCY_KEY_HEADER },
  query: {
    replay: means(
      optional(boolean()),
      'True to get the first reply again, with Idempotent-Replay: true, when the order was ' +
        'accepted within a day; true by default with an Idempotency-Key.',
    ),
  },
  body: orderBody,
  status: CREATED,
  reply: orderReply(),
  means: 'The order is accepted and durable; execution shows its result.',
  links: {
    read: {
      to: 'GET /orders/:orderId',
      about: 'Reads the placed order.',
      params: { orderId: '/order/id' },
    },
    cancel: {
      to: 'DELETE /orders/:orderId',
      about: 'Cancels the open part of the placed order.',
      params: { orderId: '/order/id' },
    },
  },
  rejects: [
    ...OF_ORDER,
    'IDEMPOTENCY_KEY_TAKEN',
    'OPEN_ORDERS_LIMIT',
    'POSITION_LIMIT',
    'AMOUNT_TOO_SMALL',
  ],
  refusalFields: { IDEMPOTENCY_KEY_TAKEN: ofEarlierOrder },
  example: { body: ORDER_REQUEST_EXAMPLE, reply: ORDER_REPLY_EXAMPLE },
  hasCapacity: ({ pipeline }: OrderServices) => pipeline.orders.hasCapacity(),
  handle: ({ call, query }, services) => {
    const { pipeline } = services
    call.timesRow = pipeline.times.begin(call.readMs)
    const signed = signedCall(call, services, query.replay)
    if (signed instanceof Refusal) return signed
    const pending = new Pending<Bytes | Refusal>()
    pipeline.orders.place(signed, (answer) => pending.doneBy(() => answered(answer)))
    return pending
  },
})

export const cancelOrder = route({
  method: 'DELETE',
  path: '/orders/:orderId',
  ...CANCEL_ONE,
  about: 'Cancels what is left of one open order and releases its reserve.',
  params: { orderId: orderId() },
  example: {
    params: { orderId: ORDER_ID },
    reply: ONE_EXAMPLE,
  },
  handle: async ({ params, owner }, { cancels, pipeline }: OrderServices) => {
    return cancelDone(await cancels.one(owner, { orderId: params.orderId }), pipeline)
  },
})

const ONE_NAME = {
  field: 'orderId',
  message: 'Exactly one of orderId or clientOrderId is required',
}

/** The one name that the body gives for the order, or the refusal when it gives none or both. */
function named(body: { orderId?: string; clientOrderId?: string }): OrderText | Refusal {
  const { orderId: id, clientOrderId } = body
  if (clientOrderId === undefined) return id === undefined ? invalid(ONE_NAME) : { orderId: id }
  if (id !== undefined) return invalid(ONE_NAME)
  const message = clientOrderIdIssue(clientOrderId)
  return message === undefined ? { clientOrderId } : invalid({ field: 'clientOrderId', message })
}

function clientIdIssues(clientOrderIds: readonly string[]): Issue[] {
  return clientOrderIds.flatMap((each, index) => {
    const message = clientOrderIdIssue(each)
    return message === undefined ? [] : [{ field: `clientOrderIds.${index}`, message }]
  })
}

export const cancelOne = route({
  method: 'POST',
  path: '/orders/cancel',
  ...CANCEL_ONE,
  about: 'Cancels one open order by its order id or client order id.',
  body: exactlyOne(
    { orderId: optional(orderId()), clientOrderId: optional(clientOrderIdText()) },
    'orderId',
    'clientOrderId',
  ),
  rejects: ['VALIDATION', ...OF_ONE],
  example: {
    body: { clientOrderId: 'quote-17' },
    reply: ONE_EXAMPLE,
  },
  handle: async ({ body, owner }, { cancels, pipeline }: OrderServices) => {
    const order = named(body)
    if (order instanceof Refusal) return order
    return cancelDone(await cancels.one(owner, order), pipeline)
  },
})

/** The markets that a name refers to in order calls: for a group, the markets of its children. */
function bookIdsOf({ market, children }: PublishedMarket): readonly MarketId[] {
  const markets = kindOf(market) === 'group' ? children.map((child) => child.market) : [market]
  return markets.map(({ marketId }) => marketId)
}

export const cancelAll = route({
  method: 'DELETE',
  path: '/orders/all/:slug',
  ...CANCEL_MANY,
  about: "Cancels all of the caller's open orders in one market, or in all markets of a group.",
  params: { slug: marketName() },
  means: 'The caller has no open orders in the market, or in any market of the group.',
  rejects: ['OVERLOADED', 'TRADING_DISABLED', 'MARKET_NOT_FOUND', 'READ_TIMEOUT'],
  example: {
    params: { slug: 'rain-tomorrow' },
    reply: MANY_EXAMPLE,
  },
  handle: async ({ params, owner, caller, call }, services: OrderServices) => {
    const { everywhere, pipeline, archive } = services
    const published = await archive.bySlug(params.slug, requesterOf({ caller, call }))
    if (published === undefined) return refuse('READ_TIMEOUT')
    if (published === null) return refuse('MARKET_NOT_FOUND')
    const outcome = await everywhere.run(owner, bookIdsOf(published))
    if (outcome instanceof Reject) return refuseCancel(outcome, pipeline)
    return cancelAllInSlices(outcome, services, requesterOf({ caller, call }))
  },
})

export const cancelEverywhere = route({
  method: 'DELETE',
  path: '/orders/all',
  ...CANCEL_MANY,
  about: "Cancels all of the caller's open orders in all markets.",
  means: 'No order that the caller had when the call arrived is open.',
  rejects: ['OVERLOADED', 'TRADING_DISABLED'],
  example: {
    reply: MANY_EXAMPLE,
  },
  handle: async ({ owner, caller, call }, services: OrderServices) => {
    const { everywhere, pipeline } = services
    const outcome = await everywhere.run(owner)
    if (outcome instanceof Reject) return refuseCancel(outcome, pipeline)
    return cancelAllInSlices(outcome, services, requesterOf({ caller, call }))
  },
})

const ids = () =>
  means(list(orderId(), 1, LIMITS.batchCancelIdsMax), 'Orders to cancel, by their order ids.')

export const batchCancel = route({
  method: 'POST',
  path: '/orders/batch-cancel',
  ...CANCEL_NAMED,
  about: 'Cancels up to 50 orders by their order ids or client order ids.',
  body: exactlyOne(
    {
      orderIds: optional(ids()),
      clientOrderIds: means(
        optional(list(clientOrderIdText(), 1, LIMITS.batchCancelIdsMax)),
        'Orders to cancel, by their client order ids.',
      ),
    },
    'orderIds',
    'clientOrderIds',
  ),
  rejects: ['VALIDATION', ...OF_NAMED],
  example: {
    body: { orderIds: [ORDER_ID] },
    reply: MANY_EXAMPLE,
  },
  handle: async ({ body, owner }, { cancels, pipeline }: OrderServices) => {
    const { orderIds, clientOrderIds } = body
    if ((orderIds === undefined) === (clientOrderIds === undefined)) {
      return invalid({
        field: 'orderIds',
        message: 'Exactly one of orderIds or clientOrderIds is required',
      })
    }
    const issues = clientIdIssues(clientOrderIds ?? [])
    if (issues.length > 0) return invalid(...issues)
    const byOrder = (orderIds ?? []).map((each) => ({ orderId: each }))
    const byClient = (clientOrderIds ?? []).map((each) => ({ clientOrderId: each }))
    const outcome = await cancels.batch(owner, [...byOrder, ...byClient])
    if (outcome instanceof Reject) return refuseCancel(outcome, pipeline)
    return batchResult(outcome, orderIds === undefined ? 'clientOrderId' : 'orderId')
  },
})

export const cancelBatch = route({
  method: 'POST',
  path: '/orders/cancel-batch',
  ...CANCEL_NAMED,
  about: 'The older name of batch-cancel; accepts only order ids.',
  body: object({ orderIds: ids() }),
  example: {
    body: { orderIds: [ORDER_ID] },
    reply: MANY_EXAMPLE,
  },
  handle: async ({ body, owner }, { cancels, pipeline }: OrderServices) => {
    const texts = body.orderIds.map((each) => ({ orderId: each }))
    const outcome = await cancels.batch(owner, texts)
    if (outcome instanceof Reject) return refuseCancel(outcome, pipeline)
    return batchResult(outcome, 'orderId')
  },
})

export const userOrders = route({
  method: 'GET',
  path: '/markets/:slug/user-orders',
  auth: hmac().forSubAccounts(),
  rateClass: 'private',
  about: "Lists the caller's orders in a market or group, newest first; live ones by default.",
  params: { slug: marketName() },
  query: userOrderQuery(),
  reply: list(userOrder()),
  means: 'The orders, newest first; an empty list if there are none.',
  rejects: ['MARKET_NOT_FOUND', 'READ_TIMEOUT'],
  example: { params: { slug: 'rain-tomorrow' }, reply: [USER_ORDER_EXAMPLE] },
  handle: async ({ params, query, caller, owner, call }, services: OrderServices) => {
    const { reads, pipeline, archive } = services
    const published = await archive.bySlug(params.slug, requesterOf({ caller, call }))
    if (published === undefined) return refuse('READ_TIMEOUT')
    if (published === null) return refuse('MARKET_NOT_FOUND')
    const requester = requesterOf({ caller, call })
    const page = {
      accountId: owner,
      statuses: statusNumbers(query.statuses),
      limit: query.limit ?? LIMITS.userOrdersLimitMax,
    }
    const { marketId } = published.market
    const isGroup = kindOf(published.market) === 'group'
    const rows = isGroup
      ? await reads.read(matchOrders, { ...page, marketIds: bookIdsOf(published) }, requester)
      : await reads.read(ordersOfUser, { ...page, marketId }, requester)
    if (rows === undefined) return refuse('READ_TIMEOUT')
    return rows.map((row) => {
      const child = published.children.find(({ market }) => market.marketId === row.marketId)
      return userOrderView(row, child ?? published, pipeline.ids)
    })
  },
})

// Several orders in one request.

const placed = () =>
  openObject({
    index: means(integer(0), 'Index of the order in the call, from 0.'),
    status: means(integer(200, 599), 'HTTP status that POST /orders would have returned.'),
    order: optional(orderReply().properties.order),
    makerMatches: optional(orderReply().properties.makerMatches),
    execution: optional(orderReply().properties.execution),
    ...refusedFields(),
  })

export const orderBatch = rawRoute({
  method: 'POST',
  path: '/orders/batch',
  auth: ORDER_AUTH,
  rateClass: 'trade',
  about: 'Places up to 50 signed orders in sequence; each is accepted or refused independently.',
  headers: ON_BEHALF_HEADER,
  body: ordersBody,
  reply: object({
    results: means(list(placed()), 'One entry per order, in the order of the call.'),
  }),
  means: 'Each order has its result in status.',
  rejects: ['OVERLOADED', 'BODY_MALFORMED', 'VALIDATION'],
  example: {
    body: { orders: [ORDER_REQUEST_EXAMPLE] },
    reply: { results: [{ index: 0, status: 201, ...ORDER_REPLY_EXAMPLE }] },
  },
  hasCapacity: ({ pipeline }: OrderServices) => pipeline.orders.hasCapacity(),
  handle: ({ call }, services) => {
    const signed = signedCall(call, services)
    if (signed instanceof Refusal) return signed
    const pending = new Pending<Bytes | Refusal>()
    services.pipeline.batches.place(signed, FORM.ORDERS, (batch) => {
      pending.doneBy(() => batchAnswered(batch))
    })
    return pending
  },
})

// The heartbeat deadline of a profile (rules §4.9).

export const beat = route({
  method: 'POST',
  path: '/heartbeats',
  auth: hmac('trading').forSubAccounts(),
  rateClass: 'trade',
  bulkhead: 'frees',
  about: 'Sets the time at which all resting orders of the caller are canceled; {} clears it.',
  body: object({
    cancelAt: means(
      optional(integer(0)),
      `The deadline in Unix milliseconds, at least ${LIMITS.heartbeatAheadMsMin} ms after server ` +
        'time; absent to clear it.',
    ),
  }),
  reply: object({
    cancelAt: means(nullable(integer(0)), 'The deadline in Unix milliseconds; null for none.'),
    serverTime: means(integer(0), 'Exchange time in Unix milliseconds.'),
  }),
  means: 'The deadline is set as shown, replacing any earlier one.',
  rejects: ['OVERLOADED', 'VALIDATION', 'HEARTBEAT_CANCELING'],
  example: {
    body: { cancelAt: 1_796_126_410_000 },
    reply: { cancelAt: 1_796_126_410_000, serverTime: 1_796_126_400_000 },
  },
  handle: async ({ body, owner }, { heartbeats }: OrderServices) => {
    const reported = await heartbeats.beat(owner, body.cancelAt ?? null)
    if (reported === REJECT.VALIDATION) {
      return invalid({ field: 'cancelAt', message: 'must be at least 5 s after server time' })
    }
    if (reported instanceof Reject) return refuse(reported)
    return { cancelAt: reported.cancelAtMs, serverTime: reported.nowMs }
  },
})

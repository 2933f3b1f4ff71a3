// The status of orders (rules §12.4).

import { LIMITS } from '../../../engine/domain/limits.ts'
import { hmac, hmacOrSession } from '../../auth/auth-scheme.ts'
import { bytes } from '../../edge/http/reply.ts'
import { route } from '../../edge/http/route.ts'
import { orderId, shownClientOrderId } from '../../edge/http/schema/fields.ts'
import { integer, means, oneOf, text } from '../../edge/http/schema/scalars.ts'
import { compile, list, object, optional } from '../../edge/http/schema/schema.ts'
import { clientOrderIdIssue, clientOrderIdText } from '../../edge/intake/order/client-order-id.ts'
import { refuse } from '../../messages/refusal.ts'
import { ORDER_ID } from '../examples.ts'
import { requesterOf } from '../reads/private-reads.ts'
import { ORDER_REPLY_EXAMPLE, orderData } from './order-shapes.ts'
import type { FoundOrder, OrderServices, RequestedOrder } from './services.ts'

const orderIds = compile(orderId())

interface Item {
  readonly orderId?: string
  readonly clientOrderId?: string
}

/** The order that an item names, or the sentence that explains why it names none. */
function namedBy({ orderId: id, clientOrderId }: Item): RequestedOrder | string {
  if ((id === undefined) === (clientOrderId === undefined)) {
    return 'Exactly one of orderId or clientOrderId is required'
  }
  if (id !== undefined) return orderIds.holds(id) ? { orderId: id } : 'orderId must be a UUID'
  const given = clientOrderId ?? ''
  const issue = clientOrderIdIssue(given)
  return issue === undefined ? { clientOrderId: given } : `clientOrderId ${issue}`
}

function resultText(
  index: number,
  item: Item,
  named: RequestedOrder | string,
  found: FoundOrder | null,
): string {
  if (typeof named === 'string') {
    return JSON.stringify({ index, status: 'invalid', ...item, error: named })
  }
  if (found === null) return JSON.stringify({ index, status: 'not_found', ...item })
  const { orderId: id, clientOrderId } = found
  const names = { orderId: id, ...(clientOrderId === null ? {} : { clientOrderId }) }
  const head = JSON.stringify({ index, status: 'found', ...names })
  return `${head.slice(0, -1)},"data":${found.text}}`
}

const requestedItem = () =>
  object({
    orderId: means(optional(text()), 'Order id, UUIDv4 text.'),
    clientOrderId: optional(clientOrderIdText()),
  })

const foundItem = () =>
  object({
    index: means(integer(0, LIMITS.statusItemsMax - 1), 'Index of the item in the call, from 0.'),
    status: means(
      oneOf('found', 'not_found', 'invalid'),
      'Whether the profile has such an order; invalid if the item names no order.',
    ),
    orderId: means(optional(text()), 'Id of the order, or the id given in the item.'),
    clientOrderId: shownClientOrderId(),
    error: means(optional(text()), 'Why an item is invalid.'),
    data: means(optional(orderData()), 'The order and its execution; present when found.'),
  })

export const orderStatusBatch = route({
  method: 'POST',
  path: '/orders/status/batch',
  auth: hmac().forSubAccounts(),
  rateClass: 'private',
  about: 'Returns the status of up to 50 orders, by their order ids or client order ids.',
  body: object({
    items: means(
      list(requestedItem(), 1, LIMITS.statusItemsMax),
      'Orders to look up, each by exactly one of its two ids.',
    ),
  }),
  reply: object({
    results: means(list(foundItem()), 'One entry per item, in the order of the items.'),
  }),
  means: 'Each item has its result: status shows whether its order was found.',
  rejects: ['READ_TIMEOUT'],
  example: {
    body: { items: [{ orderId: ORDER_ID }, {}] },
    reply: {
      results: [
        { index: 0, status: 'found', orderId: ORDER_ID, data: ORDER_REPLY_EXAMPLE },
        {
          index: 1,
          status: 'invalid',
          error: 'Exactly one of orderId or clientOrderId is required',
        },
      ],
    },
  },
  handle: async ({ body, caller, owner, call }, { statuses }: OrderServices) => {
    const named = body.items.map(namedBy)
    const requested = named.filter((each) => typeof each !== 'string')
    const found = await statuses.find(owner, requested, requesterOf({ caller, call }))
    if (found === undefined) return refuse('READ_TIMEOUT')
    const rest = found.values()
    const results = body.items.map((item, index) => {
      const next = typeof named[index] === 'string' ? null : (rest.next().value ?? null)
      return resultText(index, item, named[index], next)
    })
    return bytes(`{"results":[${results.join(',')}]}`)
  },
})

export const orderById = route({
  method: 'GET',
  path: '/orders/:orderId',
  auth: hmacOrSession().forSubAccounts(),
  rateClass: 'private',
  about: 'Returns the status of one order of the caller, open or not.',
  params: { orderId: orderId() },
  reply: orderData(),
  means: 'The order and its newest trade, as in an item of POST /orders/status/batch.',
  rejects: ['ORDER_NOT_FOUND', 'READ_TIMEOUT'],
  example: { params: { orderId: ORDER_ID }, reply: ORDER_REPLY_EXAMPLE },
  handle: async ({ params, caller, owner, call }, { statuses }: OrderServices) => {
    const found = await statuses.find(owner, [params], requesterOf({ caller, call }))
    if (found === undefined) return refuse('READ_TIMEOUT')
    const [order] = found
    return order === null ? refuse('ORDER_NOT_FOUND') : bytes(order.text)
  },
})

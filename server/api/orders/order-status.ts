// The status of orders (rules §12.4).

import type { Seq } from '../../../engine/domain/ids.ts'
import { LIMITS } from '../../../engine/domain/limits.ts'
import { openOrders as openOrdersOf } from '../../../persistence/query/read/orders/user-orders.ts'
import { hmac, hmacOrSession } from '../../auth/auth-scheme.ts'
import { invalidCursor } from '../../edge/http/cursor.ts'
import { bytes } from '../../edge/http/reply.ts'
import { route } from '../../edge/http/route.ts'
import { orderId, shownClientOrderId } from '../../edge/http/schema/fields.ts'
import {
  defaulted,
  integer,
  means,
  nullable,
  oneOf,
  pattern,
  text,
} from '../../edge/http/schema/scalars.ts'
import { compile, list, object, optional } from '../../edge/http/schema/schema.ts'
import { clientOrderIdIssue, clientOrderIdText } from '../../edge/intake/order/client-order-id.ts'
import { orderView } from '../../exchange/read-model/views.ts'
import { refuse } from '../../messages/refusal.ts'
import { ORDER_ID } from '../examples.ts'
import { requesterOf } from '../reads/private-reads.ts'
import { ORDER_EXAMPLE, ORDER_REPLY_EXAMPLE, order, orderData } from './order-shapes.ts'
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

// The open orders of a profile in all markets, paged by cursor.

const DEFAULT_LIMIT = 50
const CURSOR_CHARACTERS_MAX = 32
const SEQ = /^[1-9][0-9]{0,15}$/

/** A cursor holds the seq that placed the last order of its page. */
function cursorOf(placedSeq: Seq): string {
  return Buffer.from(String(placedSeq)).toString('base64url')
}

/** The seq in a cursor; above all seqs for an empty one, null for an invalid one. */
function seqIn(cursor: string): Seq | null {
  if (cursor === '') return Number.MAX_SAFE_INTEGER
  const stated = Buffer.from(cursor, 'base64url').toString()
  if (!SEQ.test(stated)) return null
  const seq = Number(stated)
  return Number.isSafeInteger(seq) && cursorOf(seq) === cursor ? seq : null
}

export const openOrders = route({
  method: 'GET',
  path: '/orders',
  auth: hmacOrSession().forSubAccounts(),
  rateClass: 'private',
  about: "Lists the caller's open orders in all markets, newest first, by cursor.",
  query: {
    limit: means(
      defaulted(integer(1, LIMITS.userOrdersLimitMax), DEFAULT_LIMIT),
      'Maximum orders per page.',
    ),
    cursor: means(
      optional(pattern(`^[A-Za-z0-9_-]{0,${CURSOR_CHARACTERS_MAX}}$`, 'Base64url text.')),
      'nextCursor of the previous page; absent or empty for the first page.',
    ),
  },
  reply: object({
    data: means(list(order()), 'The orders of this page, newest first.'),
    nextCursor: means(nullable(text()), 'Cursor of the next page; null on the last page.'),
  }),
  means: 'A page of the orders as of the newest durable command.',
  rejects: ['VALIDATION', 'READ_TIMEOUT'],
  example: {
    query: { limit: DEFAULT_LIMIT },
    reply: {
      data: [ORDER_EXAMPLE],
      nextCursor: cursorOf(41),
    },
  },
  handle: async ({ query, caller, owner, call }, { reads, pipeline, archive }: OrderServices) => {
    const beforeSeq = seqIn(query.cursor ?? '')
    if (beforeSeq === null) return invalidCursor()
    const requester = requesterOf({ caller, call })
    const { limit } = query
    // Reads one extra order to know whether there is another page.
    const request = { accountId: owner, beforeSeq, limit: limit + 1 }
    const found = await reads.read(openOrdersOf, request, requester)
    if (found === undefined) return refuse('READ_TIMEOUT')
    const rows = found.slice(0, limit)
    const marketIds = rows.map((row) => row.marketId)
    const markets = await archive.byIds(marketIds, requester)
    if (markets === undefined) return refuse('READ_TIMEOUT')
    const data = rows.flatMap((row) => {
      const published = markets.get(row.marketId)
      return published === undefined ? [] : orderView(row, published, pipeline.ids)
    })
    const last = found.length > limit ? rows.at(-1) : undefined
    return { data, nextCursor: last === undefined ? null : cursorOf(last.placedSeq) }
  },
})

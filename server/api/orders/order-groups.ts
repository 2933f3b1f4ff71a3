// Several orders in one request.

import { LIMITS } from '../../../engine/domain/limits.ts'
import { ON_BEHALF_HEADER } from '../../edge/http/access/on-behalf.ts'
import { type Bytes, Pending } from '../../edge/http/reply.ts'
import { rawRoute } from '../../edge/http/route.ts'
import { isoTime } from '../../edge/http/schema/fields.ts'
import { integer, means, nullable, text } from '../../edge/http/schema/scalars.ts'
import { anyOf, list, object, openObject, optional } from '../../edge/http/schema/schema.ts'
import { ordersBody } from '../../edge/intake/order/order-group.ts'
import { FORM } from '../../messages/intake-layout.ts'
import { Refusal } from '../../messages/refusal.ts'
import { ORDER_REPLY_EXAMPLE, ORDER_REQUEST_EXAMPLE, orderReply } from './order-shapes.ts'
import type { OrderServices } from './services.ts'
import { groupAnswered, ORDER_AUTH, signedCall } from './signed-call.ts'

const issue = () =>
  object({
    field: means(text(), 'Path of the invalid field; body for the whole order.'),
    message: means(text(), 'The problem with the field.'),
  })

/** The refusal that POST /orders would have returned for the order. */
const refusedFields = () => ({
  message: means(
    optional(anyOf(text(), list(issue()))),
    'Why the order was refused; a list if fields of it are invalid.',
  ),
  error: means(optional(text()), 'HTTP reason phrase of the status; only for a refusal.'),
  statusCode: means(optional(integer(400, 599)), 'The same as status; only for a refusal.'),
  code: means(optional(text()), 'Error code; only for a refusal.'),
  retryAfterSec: means(optional(integer(1)), 'Seconds to wait before sending the order again.'),
  expectedFeeRateBps: means(
    optional(integer(0, LIMITS.feeBpsMax)),
    'With FEE_RATE_MISMATCH: the rate to sign, in basis points.',
  ),
  mode: means(optional(text()), 'The trading mode that refused the order.'),
  resumeAt: means(optional(nullable(isoTime())), 'When that mode ends; null when unknown.'),
})

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
    services.pipeline.groups.place(signed, FORM.ORDERS, (group) => {
      pending.doneBy(() => groupAnswered(group))
    })
    return pending
  },
})

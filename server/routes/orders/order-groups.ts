// Several orders in one request.

import { ON_BEHALF_HEADER } from '../../auth/on-behalf.ts'
import { hmac } from '../../http/auth-scheme.ts'
import type { Refusal } from '../../http/refusal.ts'
import { type Bytes, Pending } from '../../http/reply.ts'
import { rawRoute } from '../../http/route.ts'
import { integer, text } from '../../http/schema/scalars.ts'
import { anyOf, list, object, openObject, optional } from '../../http/schema/schema.ts'
import { FORM } from '../../intake/intake-layout.ts'
import { ordersBody } from '../../intake/order/order-group.ts'
import { ORDER_REPLY_EXAMPLE, ORDER_REQUEST_EXAMPLE } from '../examples.ts'
import type { Services } from '../services.ts'
import { orderData } from '../shapes.ts'
import { signedCall } from '../signed-call.ts'
import { groupAnswered } from './order-answers.ts'

export const orderBatch = rawRoute({
  method: 'POST',
  path: '/orders/batch',
  auth: hmac('trading'),
  lane: 'trade',
  about: 'Places up to 50 signed orders; each is taken or refused by itself, in their order.',
  headers: ON_BEHALF_HEADER,
  body: ordersBody,
  reply: object({
    results: list(
      openObject({
        index: integer(0),
        status: integer(200, 599),
        order: optional(orderData().properties.order),
        message: optional(anyOf(text(), list(object({ field: text(), message: text() })))),
      }),
    ),
  }),
  rejects: ['OVERLOADED', 'BODY_MALFORMED', 'VALIDATION'],
  example: {
    body: { orders: [ORDER_REQUEST_EXAMPLE] },
    reply: { results: [{ index: 0, status: 201, ...ORDER_REPLY_EXAMPLE }] },
  },
  hasRoom: ({ pipeline }: Services) => pipeline.takesOrders,
  handle: ({ call }, services) => {
    const pending = new Pending<Bytes | Refusal>()
    const signed = signedCall(call, services)
    services.pipeline.groups.place(signed, FORM.ORDERS, (group) => {
      pending.settleBy(() => groupAnswered(group))
    })
    return pending
  },
})

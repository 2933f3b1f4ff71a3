// Amends of resting orders (rules §4.10).

import { LIMITS } from '../../../engine/domain/limits.ts'
import { ON_BEHALF_HEADER } from '../../edge/http/access/on-behalf.ts'
import { type Bytes, bytes, Pending } from '../../edge/http/reply.ts'
import { rawRoute } from '../../edge/http/route.ts'
import { orderId } from '../../edge/http/schema/fields.ts'
import { integer, means, oneOf } from '../../edge/http/schema/scalars.ts'
import { list, object, openObject, optional } from '../../edge/http/schema/schema.ts'
import { amendBody, amendsBody } from '../../edge/intake/order/order-batch.ts'
import { canceledView } from '../../exchange/read-model/views.ts'
import { FORM } from '../../messages/intake-layout.ts'
import { Refusal } from '../../messages/refusal.ts'
import { ORDER_ID } from '../examples.ts'
import type { AmendAnswer, AmendDone, AmendsAnswer } from './amends.ts'
import {
  CANCELED_EXAMPLE,
  OF_ORDER,
  ORDER_REPLY_EXAMPLE,
  ORDER_REQUEST_EXAMPLE,
  orderReply,
  refusedFields,
  tradedUntilCancel,
} from './order-shapes.ts'
import { ORDER_AUTH, type OrderServices, refused, signedCall } from './services.ts'

const OK = 200

const amendFields = () => ({
  outcome: means(
    oneOf('DECREASED', 'REPLACED', 'CANCELED'),
    'What became of the order; CANCELED when its fills left nothing to trade.',
  ),
  amendedOrder: means(
    tradedUntilCancel(),
    'The order: what it traded, and what is open, or was until it was replaced or canceled.',
  ),
  order: optional(orderReply().properties.order),
  makerMatches: optional(orderReply().properties.makerMatches),
  execution: optional(orderReply().properties.execution),
})

function doneText({ outcome, amended, text }: AmendDone): string {
  const placed = text === '' ? '' : `,${text.slice(1, -1)}`
  return `"outcome":"${outcome}","amendedOrder":${JSON.stringify(canceledView(amended))}${placed}`
}

function amended(answer: AmendsAnswer): Bytes | Refusal {
  if ('reject' in answer) return refused(answer)
  const [only] = answer.answers
  return 'reject' in only ? refused(only) : bytes(`{${doneText(only)}}`)
}

/** `index` and `status`, then the fields of a reply to the operation alone. */
function partText(answer: AmendAnswer, index: number): string {
  if (!('reject' in answer)) return `{"index":${index},"status":${OK},${doneText(answer)}}`
  const { status, innerBody } = refused(answer)
  return `{"index":${index},"status":${status},${innerBody.slice(1)}`
}

function allAmended(answer: AmendsAnswer): Bytes | Refusal {
  if ('reject' in answer) return refused(answer)
  return bytes(`{"results":[${answer.answers.map(partText).join(',')}]}`)
}

const REPLACED_EXAMPLE = {
  outcome: 'REPLACED' as const,
  amendedOrder: CANCELED_EXAMPLE,
  ...ORDER_REPLY_EXAMPLE,
}

export const amendOrder = rawRoute({
  method: 'POST',
  path: '/orders/:orderId/amend',
  auth: ORDER_AUTH,
  rateClass: 'trade',
  about: 'Reduces an open order in its place, or replaces it by a new signed order, in one step.',
  headers: ON_BEHALF_HEADER,
  params: { orderId: orderId() },
  body: amendBody,
  reply: object(amendFields()),
  means: 'The order is amended; with a replacement, order and execution show its result.',
  links: {
    read: {
      to: 'GET /orders/:orderId',
      about: 'Reads the new order.',
      params: { orderId: '/order/id' },
    },
  },
  rejects: [
    ...OF_ORDER,
    'ORDER_NOT_FOUND',
    'ORDER_FILLED',
    'ORDER_NOT_OPEN',
    'AMEND_NOT_RESTING',
    'AMEND_NOT_SMALLER',
    'AMEND_IN_PROGRESS',
    'AMEND_DIFFERS',
    'ORDER_RELEASE_IN_PROGRESS',
    'DELAYED_CANCEL_OFF',
    'READ_TIMEOUT',
  ],
  example: {
    params: { orderId: ORDER_ID },
    body: { replacement: ORDER_REQUEST_EXAMPLE },
    reply: REPLACED_EXAMPLE,
  },
  hasCapacity: ({ pipeline }: OrderServices) => pipeline.orders.hasCapacity(),
  unproven: (call, services) => {
    const signed = signedCall(call, services)
    return signed instanceof Refusal ? signed : null
  },
  handle: ({ call, params }, services) => {
    const signed = signedCall(call, services)
    if (signed instanceof Refusal) return signed
    const pending = new Pending<Bytes | Refusal>()
    const how = { form: FORM.AMEND, named: { orderId: params.orderId } }
    services.amends.run(signed, how, (answer) => pending.doneBy(() => amended(answer)))
    return pending
  },
})

export const amendOrders = rawRoute({
  method: 'POST',
  path: '/orders/amend/batch',
  auth: ORDER_AUTH,
  rateClass: 'trade',
  about: `Amends up to ${LIMITS.batchReplacesMax} orders; each succeeds or fails independently.`,
  headers: ON_BEHALF_HEADER,
  body: amendsBody,
  reply: object({
    results: means(
      list(
        openObject({
          index: means(integer(0), 'Index of the operation in the call, from 0.'),
          status: means(
            integer(200, 599),
            'HTTP status that POST /orders/:orderId/amend would have returned.',
          ),
          ...amendResultFields(),
          ...refusedFields(),
        }),
      ),
      'One entry per operation, in the order of the call.',
    ),
  }),
  means: 'Each operation has its result in status.',
  rejects: ['OVERLOADED', 'BODY_MALFORMED', 'VALIDATION', 'NOT_SUB_ACCOUNT', 'TOKEN_REVOKED'],
  example: {
    body: { operations: [{ order: { orderId: ORDER_ID }, remainingSize: '4000000' }] },
    reply: {
      results: [
        {
          index: 0,
          status: OK,
          outcome: 'DECREASED',
          amendedOrder: { ...CANCELED_EXAMPLE, remainingSize: '4000000' },
        },
      ],
    },
  },
  hasCapacity: ({ pipeline }: OrderServices) => pipeline.orders.hasCapacity(),
  handle: ({ call }, services) => {
    const signed = signedCall(call, services)
    if (signed instanceof Refusal) return signed
    const pending = new Pending<Bytes | Refusal>()
    const how = { form: FORM.AMENDS, named: null }
    services.amends.run(signed, how, (answer) => pending.doneBy(() => allAmended(answer)))
    return pending
  },
})

function amendResultFields() {
  const { outcome, amendedOrder, ...placed } = amendFields()
  return { outcome: optional(outcome), amendedOrder: optional(amendedOrder), ...placed }
}

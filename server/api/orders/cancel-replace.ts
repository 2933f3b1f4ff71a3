// Cancels one order and places a replacement (rules §4.8).

import { REJECT, Reject } from '../../../engine/domain/reject-precedence.ts'
import { ON_BEHALF_HEADER } from '../../edge/http/access/on-behalf.ts'
import { type Bytes, bytes, JSON_TYPE, Pending } from '../../edge/http/reply.ts'
import { rawRoute } from '../../edge/http/route.ts'
import { orderId, shownClientOrderId } from '../../edge/http/schema/fields.ts'
import { integer, means, oneOf, text } from '../../edge/http/schema/scalars.ts'
import { list, object, optional } from '../../edge/http/schema/schema.ts'
import { replaceBody, replacesBody } from '../../edge/intake/order/order-batch.ts'
import type { OrderRefusal } from '../../exchange/order-entry/order-answer.ts'
import { canceledView } from '../../exchange/read-model/views.ts'
import { FORM } from '../../messages/intake-layout.ts'
import { Refusal } from '../../messages/refusal.ts'
import { ORDER_ID } from '../examples.ts'
import {
  CANCELED_EXAMPLE,
  ORDER_REPLY_EXAMPLE,
  ORDER_REQUEST_EXAMPLE,
  orderReply,
  tradedUntilCancel,
} from './order-shapes.ts'
import type { OrderServices, ReplaceLegs } from './services.ts'
import { ORDER_AUTH, refused, signedCall } from './services.ts'

const CONFLICT = 409
const NOT_ATTEMPTED = '{"status":"NOT_ATTEMPTED"}'

/**
 * A canceled order gets the reason code of a batch cancel. Any other refusal gets its code, or 503
 * if that is its status.
 */
function errorOf(answer: OrderRefusal): { code: string; message: string } {
  const { status, body } = refused(answer)
  const stated: { code: string; message: unknown } = JSON.parse(body)
  const isGone = answer.reject === REJECT.ORDER_NOT_OPEN
  const word = status === 503 ? String(status) : stated.code
  return { code: isGone ? 'ORDER_NOT_FOUND' : word, message: String(stated.message) }
}

/** Whether the order was canceled is unknown: the tables lag, or the order is being released. */
const isUnknown = (reject: Reject) =>
  reject === REJECT.READ_TIMEOUT || reject === REJECT.ORDER_RELEASE_IN_PROGRESS

const STANDS = {
  status: 'FAILURE',
  error: {
    code: 'NOT_ATTEMPTED',
    message: 'The replacement was refused before the cancel, so the order stays open.',
  },
} as const

function cancelLeg(cancel: ReplaceLegs['cancel']): object {
  if (cancel === null) return STANDS
  if (!(cancel instanceof Reject)) {
    const { orderId, clientOrderId } = canceledView(cancel)
    return { status: 'SUCCESS', orderId, ...(clientOrderId === undefined ? {} : { clientOrderId }) }
  }
  return {
    status: isUnknown(cancel) ? 'UNKNOWN' : 'FAILURE',
    error: errorOf({ reject: cancel }),
  }
}

function replacementText({ replacement }: ReplaceLegs): string {
  if (replacement === null) return NOT_ATTEMPTED
  if ('text' in replacement) return `{"status":"SUCCESS","data":${replacement.text}}`
  return JSON.stringify({ status: 'FAILURE', error: errorOf(replacement) })
}

/** What the canceled order traded, next to the leg: clients accept no more fields in a leg. */
function tradedText({ cancel }: ReplaceLegs): string {
  if (cancel === null || cancel instanceof Reject) return ''
  return `,"canceledOrder":${JSON.stringify(canceledView(cancel))}`
}

/** Both legs as JSON fields, without braces. */
function legsText(legs: ReplaceLegs): string {
  const cancel = JSON.stringify(cancelLeg(legs.cancel))
  return `"cancel":${cancel},"replacement":${replacementText(legs)}${tradedText(legs)}`
}

const isDone = ({ cancel, replacement }: ReplaceLegs) =>
  cancel !== null && !(cancel instanceof Reject) && replacement !== null && 'text' in replacement

const error = () =>
  means(
    optional(
      object({
        code: means(
          text(),
          'Error code: the code of the refusal, 503 if that is its status, or NOT_ATTEMPTED ' +
            'for a cancel whose replacement was refused first.',
        ),
        message: means(text(), 'Message of the error.'),
      }),
    ),
    'The error; absent after SUCCESS.',
  )

const cancelShape = () =>
  object({
    status: means(
      oneOf('SUCCESS', 'FAILURE', 'UNKNOWN'),
      'Whether the order was canceled; UNKNOWN when the exchange could not determine it in time.',
    ),
    orderId: optional(orderId()),
    clientOrderId: shownClientOrderId(),
    error: error(),
  })

const replacementShape = () =>
  object({
    status: means(
      oneOf('SUCCESS', 'FAILURE', 'UNKNOWN', 'NOT_ATTEMPTED'),
      'Whether the new order was accepted; NOT_ATTEMPTED when the failed cancel prevented it.',
    ),
    data: means(optional(orderReply()), 'The new order and its result; only after SUCCESS.'),
    error: error(),
  })

const legs = () => ({
  cancel: means(cancelShape(), 'Result of the cancel.'),
  replacement: means(replacementShape(), 'Result of the new order.'),
  canceledOrder: means(
    optional(tradedUntilCancel()),
    'What the canceled order traded until its cancel; absent if it was not canceled.',
  ),
})

const replaced = () =>
  object({ index: means(integer(0), 'Index of the operation in the call, from 0.'), ...legs() })

const REQUEST = {
  cancel: { orderId: ORDER_ID },
  replacement: ORDER_REQUEST_EXAMPLE,
  mode: 'STOP_ON_FAILURE' as const,
}
const REPLY = {
  cancel: { status: 'SUCCESS' as const, orderId: ORDER_ID },
  replacement: { status: 'SUCCESS' as const, data: ORDER_REPLY_EXAMPLE },
  canceledOrder: CANCELED_EXAMPLE,
}

export const replaceOrder = rawRoute({
  method: 'POST',
  path: '/orders/cancel-replace',
  auth: ORDER_AUTH,
  rateClass: 'trade',
  about: 'Cancels one order, then places another with the freed funds; 409 unless both succeed.',
  headers: ON_BEHALF_HEADER,
  body: replaceBody,
  others: {
    [CONFLICT]: 'At least one leg failed or is unknown; each leg has its own status.',
  },
  reply: object(legs()),
  means: 'The order was canceled and the new one was accepted.',
  links: {
    read: {
      to: 'GET /orders/:orderId',
      about: 'Reads the new order.',
      params: { orderId: '/replacement/data/order/id' },
    },
    cancel: {
      to: 'DELETE /orders/:orderId',
      about: 'Cancels the open part of the new order.',
      params: { orderId: '/replacement/data/order/id' },
    },
  },
  rejects: [
    'OVERLOADED',
    'BODY_MALFORMED',
    'VALIDATION',
    'NOT_SUB_ACCOUNT',
    'NO_SERVER_WALLET',
    'TOKEN_REVOKED',
  ],
  example: { body: REQUEST, reply: REPLY },
  hasCapacity: ({ pipeline }: OrderServices) => pipeline.orders.hasCapacity(),
  handle: ({ call }, services) => {
    const signed = signedCall(call, services)
    if (signed instanceof Refusal) return signed
    const pending = new Pending<Bytes | Refusal>()
    services.replaces.run(signed, FORM.REPLACE, (answer) => {
      pending.doneBy(() => {
        if ('reject' in answer) return refused(answer)
        const [only] = answer.legs
        return bytes(`{${legsText(only)}}`, JSON_TYPE, isDone(only) ? 200 : CONFLICT)
      })
    })
    return pending
  },
})

export const replaceOrders = rawRoute({
  method: 'POST',
  path: '/orders/cancel-replace/batch',
  auth: ORDER_AUTH,
  rateClass: 'trade',
  about: 'Runs up to 20 cancel-replaces, one after another; each succeeds or fails independently.',
  headers: ON_BEHALF_HEADER,
  body: replacesBody,
  reply: object({
    results: means(list(replaced()), 'One entry per operation, in the order of the call.'),
  }),
  means: 'Each operation has its result, with the status of both legs.',
  rejects: ['OVERLOADED', 'BODY_MALFORMED', 'VALIDATION', 'NOT_SUB_ACCOUNT', 'TOKEN_REVOKED'],
  example: { body: { operations: [REQUEST] }, reply: { results: [{ index: 0, ...REPLY }] } },
  hasCapacity: ({ pipeline }: OrderServices) => pipeline.orders.hasCapacity(),
  handle: ({ call }, services) => {
    const signed = signedCall(call, services)
    if (signed instanceof Refusal) return signed
    const pending = new Pending<Bytes | Refusal>()
    services.replaces.run(signed, FORM.REPLACES, (answer) => {
      pending.doneBy(() => {
        if ('reject' in answer) return refused(answer)
        const results = answer.legs.map((each, index) => `{"index":${index},${legsText(each)}}`)
        return bytes(`{"results":[${results.join(',')}]}`)
      })
    })
    return pending
  },
})

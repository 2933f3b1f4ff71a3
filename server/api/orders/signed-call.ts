import { REJECT } from '../../../engine/domain/reject-precedence.ts'
import { hmac } from '../../auth/auth-scheme.ts'
import { apiHeaders, MissingProofs } from '../../auth/guard.ts'
import { headerTarget } from '../../auth/on-behalf.ts'
import { idempotencyKeyOf } from '../../edge/http/access/idempotency-key.ts'
import { type Bytes, bytes, JSON_TYPE } from '../../edge/http/reply.ts'
import type {
  OrderAnswer,
  OrderCall,
  OrderRefusal,
} from '../../exchange/order-entry/order-answer.ts'
import type { GroupAnswer } from '../../exchange/order-entry/order-groups.ts'
import type { Call } from '../../messages/call.ts'
import { invalid, type Refusal, refuse } from '../../messages/refusal.ts'
import type { SharedServices } from '../shared-services.ts'

/** The authentication of order calls; the intake verifies it. */
export const ORDER_AUTH = hmac('trading')

const missingBy = new WeakMap<readonly string[], MissingProofs>()

/**
 * A call with orders in the form that the intake takes, or the refusal of a call without an API
 * token, which then costs the intake nothing.
 */
export function signedCall(call: Call, { settings }: SharedServices): OrderCall | Refusal {
  const { method, target: pathWithQuery, body, timesRow } = call
  const { headerPrefixes } = settings
  const { apiKey, timestamp, signature } = apiHeaders(call, headerPrefixes)
  if (apiKey === '') {
    const missing = missingBy.get(headerPrefixes) ?? new MissingProofs(headerPrefixes, '')
    missingBy.set(headerPrefixes, missing)
    return missing.of(call, ORDER_AUTH.accepts)
  }
  const onBehalfOf = headerTarget(call)
  const idempotencyKey = idempotencyKeyOf(call)
  const proof = { apiKey, timestamp, signature, onBehalfOf, idempotencyKey }
  return { method, pathWithQuery, body, timesRow, ...proof, sender: call }
}

// The pipeline's result for an order, as a separate reply or as an entry of a list.

const CREATED = 201
const REPLAYED = [['idempotent-replay', 'true']] as const

export function answered(answer: OrderAnswer): Bytes | Refusal {
  if (!('text' in answer)) return refused(answer)
  return bytes(answer.text, JSON_TYPE, CREATED, answer.isReplay === true ? REPLAYED : [])
}

/** The refusal of an order, with the other fields of its body. */
export function refused(answer: OrderRefusal): Refusal {
  const { reject, issues, expectedFeeRateBps, first, more, retryAfterSec, restriction, broke } =
    answer
  // A fault on the way, often in the reply of a durable order, is reported only to this call.
  if (broke !== undefined) throw broke.error
  if (reject === REJECT.VALIDATION && issues) return invalid(...JSON.parse(issues))
  if (expectedFeeRateBps !== undefined) return refuse(reject, { expectedFeeRateBps })
  if (first !== undefined) {
    return refuse(reject, { orderId: first.orderId, orderStatus: first.status })
  }
  return refuse(reject, restriction ?? more, retryAfterSec)
}

/** `index` and `status`, then the fields of a reply to the order alone. */
function partText(answer: OrderAnswer, index: number): string {
  if ('text' in answer) return `{"index":${index},"status":${CREATED},${answer.text.slice(1)}`
  const { status, innerBody } = refused(answer)
  return `{"index":${index},"status":${status},${innerBody.slice(1)}`
}

export function groupAnswered(group: GroupAnswer): Bytes | Refusal {
  if ('reject' in group) return refused(group)
  return bytes(`{"results":[${group.answers.map(partText).join(',')}]}`)
}

import { hmac } from '../../auth/auth-scheme.ts'
import { apiHeaders, MissingProofs } from '../../auth/guard.ts'
import { headerTarget } from '../../auth/on-behalf.ts'
import { idempotencyKeyOf } from '../../edge/http/access/idempotency-key.ts'
import type { OrderCall } from '../../exchange/order-entry/order-answer.ts'
import type { Call } from '../../messages/call.ts'
import type { Refusal } from '../../messages/refusal.ts'
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

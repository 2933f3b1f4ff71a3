import { apiHeaders } from '../../auth/guard.ts'
import { headerTarget } from '../../http/access/on-behalf.ts'
import type { Call } from '../../http/call.ts'
import type { OrderCall } from '../../pipeline/orders/order-answer.ts'
import type { Services } from '../services.ts'

/** A call with orders, in the form that the intake takes. */
export function signedCall(call: Call, { settings }: Services): OrderCall {
  const { method, target: pathWithQuery, body, timesRow } = call
  const { apiKey, timestamp, signature } = apiHeaders(call, settings.headerPrefixes)
  const onBehalfOf = headerTarget(call)
  const proof = { apiKey, timestamp, signature, onBehalfOf }
  return { method, pathWithQuery, body, timesRow, ...proof, sender: call }
}

import { apiHeaders } from '../auth/guard.ts'
import type { Call } from '../http/call.ts'
import type { OrderCall } from '../pipeline/order-answer.ts'
import type { Services } from './services.ts'

/** A call of several orders as the intake takes it. */
export function signedCall(call: Call, { settings }: Services): OrderCall {
  const { method, target: pathWithQuery, body } = call
  const { apiKey, timestamp, signature } = apiHeaders(call, settings.headerPrefixes)
  return { method, pathWithQuery, body, timesRow: 0, apiKey, timestamp, signature }
}

import { LIMITS } from '../../../../engine/domain/limits.ts'
import type { Call } from '../../../messages/call.ts'
import type { Issue } from '../../../messages/refusal.ts'
import { pattern } from '../schema/scalars.ts'

// The header by which a client names its order, so that repeating the call returns the first reply
// (rules §4.5). Only POST /orders accepts it.

export const IDEMPOTENCY_KEY = 'idempotency-key'

/** The `headers` entry of a route that accepts the header. */
export const IDEMPOTENCY_KEY_HEADER = {
  [IDEMPOTENCY_KEY]: {
    about:
      'Name of this order for a day: the same body sent again returns the first reply, with ' +
      'Idempotent-Replay: true, and a different body is IDEMPOTENCY_KEY_TAKEN. It is the ' +
      'clientOrderId of the order; if the body has one too, both must match.',
    schema: pattern(
      `^[!-~]([ -~]{0,${LIMITS.clientOrderIdCodePointsMax - 2}}[!-~])?$`,
      `1 to ${LIMITS.clientOrderIdCodePointsMax} printable ASCII characters.`,
    ),
  },
}

/** The value for an empty header, which is an invalid key; '' is a call without the header. */
const EMPTY = ' '

/** The key of a call; '' for none. Truncated to a length at which every key is invalid. */
export function idempotencyKeyOf({ headers }: Call): string {
  const key = headers.get(IDEMPOTENCY_KEY)
  if (key === undefined) return ''
  return key === '' ? EMPTY : key.slice(0, LIMITS.clientOrderIdGivenCharactersMax + 1)
}

const NOT_TAKEN = {
  field: IDEMPOTENCY_KEY,
  message: 'must be absent: only POST /orders accepts it; give each order a clientOrderId',
}

/** The issue when a call with orders sends the header to a route that does not accept it. */
export function keyIssue(call: Call, headers: Readonly<Record<string, unknown>>): Issue | null {
  const isForeign = call.headers.has(IDEMPOTENCY_KEY) && !Object.hasOwn(headers, IDEMPOTENCY_KEY)
  return isForeign ? NOT_TAKEN : null
}

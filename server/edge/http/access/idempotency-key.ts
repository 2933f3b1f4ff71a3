import { LIMITS } from '../../../../engine/domain/limits.ts'
import type { Call } from '../../../messages/call.ts'
import type { Issue } from '../../../messages/refusal.ts'
import { pattern } from '../schema/scalars.ts'

// The header by which a client names its order, so that the same call again gets the first reply
// (rules §4.5). Only POST /orders takes it.

export const IDEMPOTENCY_KEY = 'idempotency-key'

/** The `headers` entry of a route that takes the header. */
export const IDEMPOTENCY_KEY_HEADER = {
  [IDEMPOTENCY_KEY]: {
    about:
      'Name of this order for a day: the same body again gets the first reply, with ' +
      'Idempotent-Replay: true, and another body is IDEMPOTENCY_KEY_TAKEN. It is the ' +
      'clientOrderId of the order; a body that has one too must have the same.',
    schema: pattern(
      `^[!-~]([ -~]{0,${LIMITS.clientOrderIdCodePointsMax - 2}}[!-~])?$`,
      `1 to ${LIMITS.clientOrderIdCodePointsMax} printable ASCII characters.`,
    ),
  },
}

/** What an empty header counts as, which is no key; '' is a call without the header. */
const EMPTY = ' '

/** The key of a call; '' for none. It is cut where every key is too long. */
export function idempotencyKeyOf({ headers }: Call): string {
  const key = headers.get(IDEMPOTENCY_KEY)
  if (key === undefined) return ''
  return key === '' ? EMPTY : key.slice(0, LIMITS.clientOrderIdGivenCharactersMax + 1)
}

const NOT_TAKEN = {
  field: IDEMPOTENCY_KEY,
  message: 'must be absent: only POST /orders takes it; give each order a clientOrderId',
}

/** What is wrong with the header in a call with orders whose route does not take it. */
export function keyIssue(call: Call, headers: Readonly<Record<string, unknown>>): Issue | null {
  const isForeign = call.headers.has(IDEMPOTENCY_KEY) && !Object.hasOwn(headers, IDEMPOTENCY_KEY)
  return isForeign ? NOT_TAKEN : null
}

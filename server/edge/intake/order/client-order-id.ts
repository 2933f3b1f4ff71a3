import { assert } from '../../../../engine/domain/assert.ts'
import { LIMITS } from '../../../../engine/domain/limits.ts'
import type { Issue } from '../../../messages/refusal.ts'
import { IDEMPOTENCY_KEY } from '../../http/access/idempotency-key.ts'
import { shownWith } from '../../http/schema/scalars.ts'
import { schemaOf } from '../../http/schema/schema.ts'

// The id that a client assigns to its order: trimmed, not blank, at most 128 code points and 512
// bytes (rules §4.5). Placing, canceling and reading use this one definition. The untrimmed text is
// bounded too, so no part of the exchange receives a longer text than it expects.

const LONE_SURROGATE = /\p{Surrogate}/u
const TOO_LONG =
  `must be at most ${LIMITS.clientOrderIdCodePointsMax} characters, ` +
  `and ${LIMITS.clientOrderIdGivenCharactersMax} including surrounding spaces`

assert(
  LIMITS.clientOrderIdCodePointsMax * 4 <= LIMITS.clientOrderIdBytesMax,
  'a client order id within its code points is within its bytes',
)

/** The type of the id on the wire; `clientOrderIdIssue` checks the other rules. */
export function clientOrderIdText() {
  const pointsMax = LIMITS.clientOrderIdCodePointsMax
  const checked = schemaOf<string>({
    type: 'string',
    description:
      'Id that the client assigns to the order, unique within its profile. ' +
      `Trimmed, not blank, at most ${pointsMax} characters; ` +
      `${LIMITS.clientOrderIdGivenCharactersMax} including surrounding spaces.`,
  })
  return shownWith(checked, { pattern: '\\S', maxLength: pointsMax })
}

/** The fault of an untrimmed id; undefined when it is valid. */
export function clientOrderIdIssue(given: string): string | undefined {
  if (given.length > LIMITS.clientOrderIdGivenCharactersMax) return TOO_LONG
  const trimmed = given.trim()
  if (trimmed === '') return 'must not be blank'
  const pointsMax = LIMITS.clientOrderIdCodePointsMax
  if (trimmed.length > 2 * pointsMax || [...trimmed].length > pointsMax) return TOO_LONG
  if (LONE_SURROGATE.test(trimmed)) return 'must be well-formed Unicode'
  return undefined
}

/** The faults of the idempotency key of an order whose body has this client order id. */
export function keyIssues(key: string, clientOrderId: string | undefined): Issue[] {
  const isOther = clientOrderId !== undefined && clientOrderId.trim() !== key.trim()
  const message = isOther
    ? 'must equal clientOrderId, or one of them must be absent'
    : clientOrderIdIssue(key)
  return message === undefined ? [] : [{ field: IDEMPOTENCY_KEY, message }]
}

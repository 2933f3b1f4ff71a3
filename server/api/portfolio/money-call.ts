// Shared by all calls that move money: the requester, and the idempotency key.

import { MOVE_LIMITS } from '../../../engine/domain/moves/move-limits.ts'
import { apiHeaders } from '../../auth/guard.ts'
import { means, shownWith, text } from '../../edge/http/schema/scalars.ts'
import { optional } from '../../edge/http/schema/schema.ts'
import type { Call, Caller } from '../../messages/call.ts'
import { invalid, type Refusal } from '../../messages/refusal.ts'
import type { MoveRequest } from './moves-once.ts'
import type { PortfolioServices } from './services.ts'

const KEY_MAX = MOVE_LIMITS.idempotencyKeyCodePointsMax
const BLANK = /^\s*$/

export const idempotencyKey = () =>
  means(
    optional(shownWith(text(KEY_MAX, 1), { pattern: '\\S' })),
    `Idempotency key, not blank, up to ${KEY_MAX} characters: a repeat gets the first reply.`,
  )

export interface MoneyCall {
  readonly owner: number
  readonly caller: Caller
  readonly call: Call
  readonly body: { readonly idempotencyKey?: string }
}

/** The requester; a refusal when the key is blank. */
export function requestOf(
  { owner, caller, call, body }: MoneyCall,
  { settings }: PortfolioServices,
): MoveRequest | Refusal {
  const { idempotencyKey: key } = body
  if (key !== undefined && BLANK.test(key)) {
    return invalid({ field: 'idempotencyKey', message: 'must not be blank' })
  }
  const { signature } = apiHeaders(call, settings.headerPrefixes)
  const isSigned = caller.via === 'hmac'
  const by = { callerId: caller.profileId, signature: isSigned ? signature : '' }
  return { owner, ...by, idempotencyKey: key }
}

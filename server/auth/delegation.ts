import type { Clearing } from '../../engine/core/clearing.ts'
import { decideDelegation } from '../../engine/core/decide/partners.ts'
import { SCOPE_REJECT } from '../../engine/domain/reject.ts'
import type { Call, Caller } from '../http/call.ts'
import { invalid, type Refusal, refuse } from '../http/refusal.ts'
import { headerTarget, ON_BEHALF_HEADER, onBehalfOf, targetOf } from './on-behalf.ts'

// Partners that act for their sub-accounts (rules §12.1). Every route that may be
// called for another profile asks here, so the rule stands once; the intake asks its directory.

/** What a route says that may be called for a sub-account and takes no order. */
export const DELEGATED = {
  query: { onBehalfOf: onBehalfOf() },
  headers: ON_BEHALF_HEADER,
} as const

interface DelegatedCall {
  readonly caller: Caller
  readonly call: Call
  readonly query: { readonly onBehalfOf?: number | undefined }
}

/**
 * The profile a call is for: the caller's own, or the sub-account that header or query name. 400
 * for a header that is no profile id or names another than the query; 403 without the scope or for
 * a profile that is no sub-account of the caller.
 */
export function actingProfile(
  { caller, call, query }: DelegatedCall,
  clearing: Clearing,
): number | Refusal {
  const { profileId: target, issue } = targetOf(headerTarget(call), query.onBehalfOf)
  if (issue !== null) return invalid(issue)
  return target === 0 ? caller.profileId : subAccount(caller, clearing, target)
}

/** `target` itself once the caller may act for it. */
export function subAccount(caller: Caller, clearing: Clearing, target: number): number | Refusal {
  if (!caller.scopes.has('delegated_signing')) return refuse(SCOPE_REJECT.delegated_signing)
  const reject = decideDelegation(clearing, caller.profileId, target)
  return reject === null ? target : refuse(reject)
}

import type { Clearing } from '../../engine/core/clearing.ts'
import { decideDelegation } from '../../engine/core/decide/partners.ts'
import type { ProfileId } from '../../engine/domain/ids.ts'
import { SCOPE_REJECT } from '../../engine/domain/reject-precedence.ts'
import type { Caller } from '../http/call.ts'
import { headerTarget, targetOf } from '../http/on-behalf.ts'
import { invalid, type Refusal, refuse } from '../http/refusal.ts'
import type { OwnerOfCall } from '../http/route.ts'

// Partners that act for their sub-accounts (rules §12.1). Every route whose caller main proves asks
// here. Orders are proven on intake threads, which do not see the clearing: server/intake/intake.ts
// states scope and partner once more, over its own directory. A change here needs one there.

/**
 * The profile a call is for: the caller's own, or the sub-account that header or query name. 400
 * for a header that is no profile id or names another than the query; 403 without the scope or for
 * a profile that is no sub-account of the caller.
 */
export function ownerOfCall(clearing: Clearing): OwnerOfCall {
  return (call, caller, inQuery) => {
    const named = typeof inQuery === 'number' ? inQuery : undefined
    const { profileId, issue } = targetOf(headerTarget(call), named)
    if (issue !== null) return invalid(issue)
    return profileId === 0 ? caller.profileId : subAccount(caller, clearing, profileId)
  }
}

/** `target` itself once the caller may act for it. */
export function subAccount(
  caller: Caller,
  clearing: Clearing,
  target: ProfileId,
): ProfileId | Refusal {
  if (!caller.scopes.has('delegated_signing')) return refuse(SCOPE_REJECT.delegated_signing)
  const reject = decideDelegation(clearing, caller.profileId, target)
  return reject === null ? target : refuse(reject)
}

import type { Clearing } from '../../engine/core/clearing.ts'
import { decideDelegation, type Reach } from '../../engine/core/decide/partners.ts'
import type { ProfileId } from '../../engine/domain/ids.ts'
import { SCOPE_REJECT } from '../../engine/domain/reject-precedence.ts'
import type { Call, Caller } from '../messages/call.ts'
import { invalid, type Refusal, refuse } from '../messages/refusal.ts'
import { headerTarget, targetOf } from './on-behalf.ts'

// Partners that act for their sub-accounts (rules §12.1). Every route that authenticates its caller
// on the main thread uses this check. Orders are authenticated on edge threads, which cannot see
// the clearing, so server/edge/intake/intake.ts checks scope and partner in its own directory.
// Change both together.

/** The profile that header, query or body name, or the refusal to act for it. */
export type OwnerOfCall = (
  call: Call,
  caller: Caller,
  named: readonly unknown[],
  reach: Reach,
) => ProfileId | Refusal

/**
 * The profile that a call acts for: the caller's own, or the sub-account named in the header, query
 * or body. Returns 400 when the header is not a profile id or when two of them differ. Returns 403
 * when the scope is missing, when the profile is not a sub-account of the caller, or when it signs
 * for itself and the call moves money.
 */
export function ownerOfCall(clearing: Clearing): OwnerOfCall {
  return (call, caller, named, reach) => {
    let profileId = headerTarget(call)
    for (const each of named) {
      const target = targetOf(profileId, typeof each === 'number' ? each : undefined)
      if (target.issue !== null) return invalid(target.issue)
      profileId = target.profileId
    }
    return profileId === 0 ? caller.profileId : subAccount(caller, clearing, profileId, reach)
  }
}

/** Returns `target` when the caller may act for it. */
export function subAccount(
  caller: Caller,
  clearing: Clearing,
  target: ProfileId,
  reach: Reach = 'subAccounts',
): ProfileId | Refusal {
  if (!caller.scopes.has('delegated_signing')) return refuse(SCOPE_REJECT.delegated_signing)
  const reject = decideDelegation(clearing, caller.profileId, target, reach)
  return reject === null ? target : refuse(reject)
}

import type { Clearing } from '../../engine/core/clearing.ts'
import { decideDelegation, type Reach } from '../../engine/core/decide/partners.ts'
import type { ProfileId } from '../../engine/domain/ids.ts'
import { SCOPE_REJECT } from '../../engine/domain/reject-precedence.ts'
import type { Call, Caller } from '../messages/call.ts'
import { invalid, type Refusal, refuse } from '../messages/refusal.ts'
import { headerTarget, targetOf } from './on-behalf.ts'

// Partners that act for their sub-accounts (rules §12.1). Every route whose caller main proves uses
// this check. Orders are proven on intake threads, which do not see the clearing. So
// server/edge/intake/intake.ts checks scope and partner too, in its own directory: change both
// together.

/** The profile that header, query or body name, or the refusal to act for it. */
export type OwnerOfCall = (
  call: Call,
  caller: Caller,
  named: readonly unknown[],
  reach: Reach,
) => ProfileId | Refusal

/**
 * The profile that a call is for: the caller's own, or the sub-account that header, query or body
 * names. 400 when the header is no profile id, or when two of them differ. 403 without the scope,
 * when the profile is no sub-account of the caller, or when it signs for itself and the call moves
 * money.
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

/** Gives `target` when the caller may act for it. */
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

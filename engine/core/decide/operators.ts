// Gates of what operators do to profiles and to each other. Each returns the refusal, null when
// it may be done.

import type { ProfileId } from '../../domain/ids.ts'
import { LIMITS } from '../../domain/limits.ts'
import { ROOT_OPERATOR } from '../../domain/operator.ts'
import { REJECT, type Reject } from '../../domain/reject-precedence.ts'
import type { Clearing } from '../clearing.ts'

/** Whether the profile may trade and withdraw. */
export function decideActing({ frozen }: Clearing, profileId: ProfileId): Reject | null {
  return frozen.isFrozen(profileId) ? REJECT.PROFILE_FROZEN : null
}

/** Of a profile that is not frozen. */
export function decideFreeze({ accounts, frozen }: Clearing, profileId: ProfileId): Reject | null {
  if (accounts.byId(profileId) === undefined) return REJECT.PROFILE_NOT_FOUND
  return frozen.count >= LIMITS.frozenProfilesMax ? REJECT.FROZEN_LIMIT : null
}

/** An order that lived through it would never be canceled: a profile is freed behind the last. */
export function decideUnfreeze(clearing: Clearing, profileId: ProfileId): Reject | null {
  const { accounts, frozen, orders } = clearing
  if (accounts.byId(profileId) === undefined) return REJECT.PROFILE_NOT_FOUND
  if (!frozen.isFrozen(profileId)) return null
  return orders.openCountOf(profileId) > 0 ? REJECT.FREEZE_CANCELING : null
}

export function decideOperator({ operators }: Clearing, name: string): Reject | null {
  if (name === ROOT_OPERATOR || operators.byName(name) !== undefined) return REJECT.OPERATOR_TAKEN
  return operators.all.length >= LIMITS.operatorsMax ? REJECT.OPERATOR_LIMIT : null
}

/** The first operator's token is set at a start, and by nothing else. */
export function decideRemoval({ operators }: Clearing, name: string): Reject | null {
  if (name === ROOT_OPERATOR) return REJECT.OPERATOR_ROOT
  return operators.byName(name) === undefined ? REJECT.OPERATOR_NOT_FOUND : null
}

// Gates of operators' actions on profiles and on other operators. Each returns the refusal, or null
// if the action is allowed.

import type { ProfileId } from '../../domain/ids.ts'
import { LIMITS } from '../../domain/limits.ts'
import { ROOT_OPERATOR } from '../../domain/operator.ts'
import { REJECT, type Reject } from '../../domain/reject-precedence.ts'
import type { Clearing } from '../clearing.ts'

/** Why the profile may not trade or withdraw, or null. */
export function decideActing({ frozen }: Clearing, profileId: ProfileId): Reject | null {
  return frozen.isFrozen(profileId) ? REJECT.PROFILE_FROZEN : null
}

/** Only for a profile that is not frozen. */
export function decideFreeze({ accounts, frozen }: Clearing, profileId: ProfileId): Reject | null {
  if (accounts.byId(profileId) === undefined) return REJECT.PROFILE_NOT_FOUND
  return frozen.count >= LIMITS.frozenProfilesMax ? REJECT.FROZEN_LIMIT : null
}

/**
 * A profile is unfrozen only after its last order ended; otherwise a remaining order would never be
 * canceled.
 */
export function decideUnfreeze(clearing: Clearing, profileId: ProfileId): Reject | null {
  const { accounts, frozen, orders } = clearing
  if (accounts.byId(profileId) === undefined) return REJECT.PROFILE_NOT_FOUND
  if (!frozen.isFrozen(profileId)) return null
  return orders.live.of(profileId) > 0 ? REJECT.FREEZE_CANCELING : null
}

export function decideOperator({ operators }: Clearing, name: string): Reject | null {
  if (name === ROOT_OPERATOR || operators.byName(name) !== undefined) return REJECT.OPERATOR_TAKEN
  return operators.all.length >= LIMITS.operatorsMax ? REJECT.OPERATOR_LIMIT : null
}

/** The first operator cannot be removed. Only a start sets its token. */
export function decideRemoval({ operators }: Clearing, name: string): Reject | null {
  if (name === ROOT_OPERATOR) return REJECT.OPERATOR_ROOT
  return operators.byName(name) === undefined ? REJECT.OPERATOR_NOT_FOUND : null
}

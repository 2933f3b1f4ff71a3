// Gates of what operators do to profiles and to each other. Each returns the refusal number, 0 when
// it may be done.

import { LIMITS } from '../../domain/limits.ts'
import { ROOT_OPERATOR } from '../../domain/operator.ts'
import { REJECT } from '../../domain/reject.ts'
import type { Clearing } from '../clearing.ts'

/** Whether the profile may trade and withdraw. */
export function decideActing({ frozen }: Clearing, profileId: number): number {
  return frozen.isFrozen(profileId) ? REJECT.PROFILE_FROZEN : 0
}

/** Of a profile that is not frozen. */
export function decideFreeze({ accounts, frozen }: Clearing, profileId: number): number {
  if (accounts.byId(profileId) === undefined) return REJECT.PROFILE_NOT_FOUND
  return frozen.count >= LIMITS.frozenProfilesMax ? REJECT.FROZEN_LIMIT : 0
}

/** An order that lived through it would never be canceled: a profile is freed behind the last. */
export function decideUnfreeze(clearing: Clearing, profileId: number): number {
  const { accounts, frozen, orders } = clearing
  if (accounts.byId(profileId) === undefined) return REJECT.PROFILE_NOT_FOUND
  if (!frozen.isFrozen(profileId)) return 0
  return orders.openCountOf(profileId) > 0 ? REJECT.FREEZE_CANCELING : 0
}

export function decideOperator({ operators }: Clearing, name: string): number {
  if (name === ROOT_OPERATOR || operators.byName(name) !== undefined) return REJECT.OPERATOR_TAKEN
  return operators.all.length >= LIMITS.operatorsMax ? REJECT.OPERATOR_LIMIT : 0
}

/** The first operator's token is set at a start, and by nothing else. */
export function decideRemoval({ operators }: Clearing, name: string): number {
  if (name === ROOT_OPERATOR) return REJECT.OPERATOR_ROOT
  return operators.byName(name) === undefined ? REJECT.OPERATOR_NOT_FOUND : 0
}

// Gates of partners' actions for their sub-accounts (rules §12.1). Each returns the refusal, or
// null if the action is allowed.

import { shareOf } from '../../domain/fair-share.ts'
import type { ProfileId } from '../../domain/ids.ts'
import { LIMITS } from '../../domain/limits.ts'
import { REJECT, type Reject } from '../../domain/reject-precedence.ts'
import { SUB_ACCOUNT_SHARE } from '../../domain/shared-tables.ts'
import type { Clearing } from '../clearing.ts'
import { decideActing } from './operators.ts'

/** The sub-accounts of a partner that a call may be for. */
export type Reach = 'subAccounts' | 'serverWallets'

/** An address with a profile is never taken over, even with a proof of ownership. */
export function decideSubAccount(
  clearing: Clearing,
  partnerId: ProfileId,
  account: string,
): Reject | null {
  const frozen = decideActing(clearing, partnerId)
  if (frozen !== null) return frozen
  const { accounts } = clearing
  const known = accounts.byAddress(account)
  if (known !== undefined) {
    return known.profileId === partnerId ? REJECT.OWN_ADDRESS : REJECT.ACCOUNT_TAKEN
  }
  if (accounts.count >= LIMITS.profilesMax) return REJECT.PROFILE_LIMIT
  const made = accounts.partners.ofPartner(partnerId).length
  const share = shareOf(SUB_ACCOUNT_SHARE, accounts.count - made)
  return made < share ? null : REJECT.SUB_ACCOUNT_LIMIT
}

/**
 * Unknown profiles and profiles of another partner get the same answer. A partner moves a
 * sub-account's money only if the exchange keeps its wallet. Other sub-accounts sign for
 * themselves.
 */
export function decideDelegation(
  { accounts }: Clearing,
  partnerId: ProfileId,
  profileId: ProfileId,
  reach: Reach = 'subAccounts',
): Reject | null {
  const made = accounts.partners.byId(profileId)
  if (made === undefined || made.partnerId !== partnerId) return REJECT.NOT_SUB_ACCOUNT
  return reach === 'serverWallets' && made.sealedKey === null ? REJECT.NO_SERVER_WALLET : null
}

/** Whether a caller may move a profile's money: its own, or that of a server wallet. */
export function decideFunds(
  clearing: Clearing,
  callerId: ProfileId,
  profileId: ProfileId,
): Reject | null {
  // A frozen partner cannot act for others.
  const frozen = decideActing(clearing, callerId)
  if (frozen !== null || callerId === profileId) return frozen
  return decideDelegation(clearing, callerId, profileId, 'serverWallets')
}

/** Whether a partner may submit approvals for a server wallet. */
export function decideAllowances(
  clearing: Clearing,
  partnerId: ProfileId,
  profileId: ProfileId,
): Reject | null {
  return decideActing(clearing, profileId) ?? decideFunds(clearing, partnerId, profileId)
}

/** A frozen sub-account may leave too. A server wallet cannot: only its partner acts for it. */
export function decideLeave({ accounts }: Clearing, profileId: ProfileId): Reject | null {
  const made = accounts.partners.byId(profileId)
  if (made === undefined) return REJECT.NO_PARTNER
  return made.sealedKey === null ? null : REJECT.PARTNER_REQUIRED
}

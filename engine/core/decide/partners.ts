// Gates of what partners do for their sub-accounts (rules §12.1). Each returns the refusal, or null
// when the act is allowed.

import type { ProfileId } from '../../domain/ids.ts'
import { LIMITS } from '../../domain/limits.ts'
import { REJECT, type Reject } from '../../domain/reject-precedence.ts'
import type { Clearing } from '../clearing.ts'

/** An address that has a profile is never taken over, even with a proof of the address. */
export function decideSubAccount(
  { accounts }: Clearing,
  partnerId: ProfileId,
  account: string,
): Reject | null {
  const known = accounts.byAddress(account)
  if (known !== undefined) {
    return known.profileId === partnerId ? REJECT.OWN_ADDRESS : REJECT.ACCOUNT_TAKEN
  }
  if (accounts.partners.ofPartner(partnerId).length >= LIMITS.subAccountsPerPartnerMax) {
    return REJECT.SUB_ACCOUNT_LIMIT
  }
  return accounts.count >= LIMITS.profilesMax ? REJECT.PROFILE_LIMIT : null
}

/** A profile of another partner and a missing profile get the same answer. */
export function decideDelegation(
  { accounts }: Clearing,
  partnerId: ProfileId,
  profileId: ProfileId,
): Reject | null {
  const made = accounts.partners.byId(profileId)
  return made !== undefined && made.partnerId === partnerId ? null : REJECT.NOT_SUB_ACCOUNT
}

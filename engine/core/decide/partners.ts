// Gates of what partners do for their sub-accounts (rules §12.1). Each returns the refusal, or null
// when the act is allowed.

import { shareOf } from '../../domain/fair-share.ts'
import type { ProfileId } from '../../domain/ids.ts'
import { LIMITS } from '../../domain/limits.ts'
import { REJECT, type Reject } from '../../domain/reject-precedence.ts'
import { SUB_ACCOUNT_SHARE } from '../../domain/shared-tables.ts'
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
  if (accounts.count >= LIMITS.profilesMax) return REJECT.PROFILE_LIMIT
  const made = accounts.partners.ofPartner(partnerId).length
  const share = shareOf(SUB_ACCOUNT_SHARE, accounts.count - made)
  return made < share ? null : REJECT.SUB_ACCOUNT_LIMIT
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

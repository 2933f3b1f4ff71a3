// Gates of profiles and sessions. Each returns the refusal, or null when the command may be
// stamped.

import type { ProfileChange } from '../../domain/command.ts'
import { LIMITS } from '../../domain/limits.ts'
import { REJECT, type Reject } from '../../domain/reject-precedence.ts'
import type { TimeMs } from '../../domain/units.ts'
import type { Profile } from '../accounts/accounts.ts'
import type { Clearing } from '../clearing.ts'

/** For an existing profile (`before`), `fields` holds only the changes. */
export function decideProfile(
  { accounts }: Clearing,
  fields: ProfileChange,
  before: Profile | undefined,
): Reject | null {
  if (before === undefined && accounts.count >= LIMITS.profilesMax) return REJECT.PROFILE_LIMIT
  if (fields.username) {
    const holder = accounts.byUsername(fields.username)
    if (holder !== undefined && holder.profileId !== before?.profileId) return REJECT.USERNAME_TAKEN
  }
  // A wallet is never removed, so a profile that chose it before still has it.
  const hasWallet = Boolean(fields.smartWallet ?? before?.smartWallet)
  const needsWallet = fields.tradeWalletOption === 'smartWallet' && !hasWallet
  return needsWallet ? REJECT.SMART_WALLET_REQUIRED : null
}

/** Why no session may be opened now, or null. */
export function decideLogin({ accounts }: Clearing, nowMs: TimeMs): Reject | null {
  return accounts.takesSession(nowMs) ? null : REJECT.SESSION_LIMIT
}

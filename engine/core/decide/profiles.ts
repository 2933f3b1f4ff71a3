// Gates of profiles and sessions. Each returns the refusal, null when it may be stamped.

import type { ProfileChange } from '../../domain/command.ts'
import { LIMITS } from '../../domain/limits.ts'
import { REJECT, type Reject } from '../../domain/reject-precedence.ts'
import type { TimeMs } from '../../domain/units.ts'
import type { Profile } from '../accounts/accounts.ts'
import type { Clearing } from '../clearing.ts'

/** For a profile that is there, `fields` says what is to change of it. */
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
  // A wallet is never taken back, so whoever chose it before has it still.
  const hasWallet = Boolean(fields.smartWallet ?? before?.smartWallet)
  const needsWallet = fields.tradeWalletOption === 'smartWallet' && !hasWallet
  return needsWallet ? REJECT.SMART_WALLET_REQUIRED : null
}

/** Whether one more session may be opened. */
export function decideLogin({ accounts }: Clearing, nowMs: TimeMs): Reject | null {
  return accounts.takesSession(nowMs) ? null : REJECT.SESSION_LIMIT
}

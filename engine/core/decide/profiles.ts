// Gates of profiles and sessions. Each returns the refusal, or null if the command may be stamped.

import type { ProfileChange } from '../../domain/command.ts'
import { type ShareRule, shareOf } from '../../domain/fair-share.ts'
import type { ProfileId } from '../../domain/ids.ts'
import { LIMITS } from '../../domain/limits.ts'
import { REJECT, type Reject } from '../../domain/reject-precedence.ts'
import { SHARED_TABLES } from '../../domain/shared-tables.ts'
import type { TimeMs } from '../../domain/units.ts'
import type { Profile } from '../accounts/accounts.ts'
import type { Clearing } from '../clearing.ts'

/** For an existing profile (`before`), `fields` contains only the changes. */
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
  // A wallet is never removed, so a profile with `before` set still has it.
  const hasWallet = Boolean(fields.smartWallet ?? before?.smartWallet)
  const needsWallet = fields.tradeWalletOption === 'smartWallet' && !hasWallet
  return needsWallet ? REJECT.SMART_WALLET_REQUIRED : null
}

/**
 * Whether a new session ends the profile's oldest one because the profile is at its limit, or why
 * no session may be opened. `profileId` is 0 for a new profile.
 */
export function decideLogin(
  { accounts }: Pick<Clearing, 'accounts'>,
  profileId: ProfileId,
  nowMs: TimeMs,
  rule: ShareRule = SHARED_TABLES.sessions.owner,
): boolean | Reject {
  const own = accounts.sessionCountOf(profileId)
  const used = accounts.sessionCount - (accounts.hasExpiredSession(nowMs) ? 1 : 0)
  if (used < rule.capacity && own < shareOf(rule, used - own)) return false
  return own > 0 ? true : REJECT.SESSION_LIMIT
}

// Gates of control commands on accounts: tokens, wallets, balances. Each returns the refusal, or
// null if the command may be stamped.

import type { Scope } from '../../domain/command.ts'
import type { ProfileId } from '../../domain/ids.ts'
import { REJECT, type Reject } from '../../domain/reject-precedence.ts'
import { SHARED_TABLES } from '../../domain/shared-tables.ts'
import type { Profile } from '../accounts/accounts.ts'
import type { Clearing } from '../clearing.ts'
import { gateFunds, gateLeaving } from './funds.ts'
import { decideActing } from './operators.ts'

/** Why the profile cannot get more tokens. A new profile already has its future id. */
export function decideMint({ accounts }: Clearing, profileId: ProfileId): Reject | null {
  const bound = accounts.tokenOwners.boundOf(SHARED_TABLES.tokens, profileId)
  return bound === null ? null : REJECT.TOKEN_LIMIT
}

/** The scope delegated_signing requires the scope trading (rules §12.1). */
export function decideToken(
  clearing: Clearing,
  profile: Profile,
  scopes: readonly Scope[],
): Reject | null {
  // A new token would outlive the freeze, and tokens only serve trading, withdrawals and new
  // accounts.
  const reject =
    decideActing(clearing, profile.profileId) ?? decideMint(clearing, profile.profileId)
  if (reject !== null) return reject
  if (scopes.includes('delegated_signing') && !scopes.includes('trading')) {
    return REJECT.SCOPE_NEEDS_TRADING
  }
  return scopes.every((scope) => profile.scopes.includes(scope)) ? null : REJECT.SCOPE_NOT_ALLOWED
}

/** Only its own profile can revoke a token. For other profiles it does not exist. */
export function decideRevoke(
  clearing: Clearing,
  profileId: ProfileId,
  tokenId: string,
): Reject | null {
  const token = clearing.accounts.tokenById(tokenId)
  return token?.profileId === profileId ? null : REJECT.TOKEN_UNKNOWN
}

/** Why the profile may not list the withdrawal address, or null. */
export function decideWithdrawalAddress(
  clearing: Clearing,
  profileId: ProfileId,
  address: string,
): Reject | null {
  const frozen = decideActing(clearing, profileId)
  if (frozen !== null) return frozen
  const { withdrawalAddresses } = clearing.accounts
  if (withdrawalAddresses.find(profileId, address) !== undefined) {
    return REJECT.WITHDRAWAL_ADDRESS_LISTED
  }
  const bound = withdrawalAddresses.owners.boundOf(SHARED_TABLES.withdrawalAddresses, profileId)
  return bound === null ? null : REJECT.WITHDRAWAL_ADDRESS_LIMIT
}

/**
 * The sum of all funds is bounded, so that all balances stay exact. A debit takes at most what a
 * withdrawal could take.
 */
export function decideAdjust(
  clearing: Clearing,
  profileId: ProfileId,
  collateralRaw: number,
): Reject | null {
  if (clearing.accounts.byId(profileId) === undefined) return REJECT.PROFILE_NOT_FOUND
  if (collateralRaw > 0) {
    return gateFunds(clearing, collateralRaw)
  }
  return gateLeaving(clearing, profileId, -collateralRaw)
}

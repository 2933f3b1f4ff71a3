// Profile fields shared by replies to the owner, a partner or an operator.

import { assert } from '../../../engine/domain/assert.ts'
import type { Rank } from '../../../engine/domain/command.ts'
import type { ProfileId } from '../../../engine/domain/ids.ts'
import { LIMITS } from '../../../engine/domain/limits.ts'
import { ROLES, type Role } from '../../../engine/domain/operator.ts'
import { parseAddress } from '../../crypto/address.ts'
import { isoTime, profileId, scope } from '../../edge/http/schema/fields.ts'
import { WRONG_CHECKSUM } from '../../edge/http/schema/issue-text.ts'
import { boolean, integer, means, nullable, oneOf, text } from '../../edge/http/schema/scalars.ts'
import { list, object } from '../../edge/http/schema/schema.ts'
import { invalid, type Refusal } from '../../messages/refusal.ts'
import type { SharedServices } from '../shared-services.ts'

export function nameToShow() {
  return means(text(), 'Name to show: the display name, else the username, else the account.')
}

export function profileSince() {
  return means(isoTime(), 'When the profile was created.')
}

export function feeCapBps() {
  return means(
    nullable(integer(0, LIMITS.feeBpsMax)),
    'Maximum fee rate of the profile in basis points, whatever its rank; null for no cap.',
  )
}

export function effectiveFeeRateBps() {
  return means(
    nullable(integer(0, LIMITS.feeBpsMax)),
    'Fee rate to sign in basis points: the lower of rank and cap. Null without a rank: the ' +
      'profile cannot place orders in markets with fees.',
  )
}

export function scopes() {
  return means(list(scope()), 'Scopes of the API token; each one allows one kind of call.')
}

export function allowedScopes() {
  return means(list(scope()), 'Scopes that the profile may give its API tokens.')
}

export const tradeWalletOption = () =>
  means(
    nullable(oneOf('eoa', 'smartWallet')),
    'Wallet that the owner uses for orders: account or smart wallet; null if not chosen.',
  )

// Fields of a private profile that its owner does not set.

const referral = () =>
  object({
    createdAt: means(isoTime(), 'When the referred profile was created.'),
    id: means(integer(1), 'Number of the referral, counted from 1.'),
    referredProfileId: means(profileId(), 'Id of the referred profile.'),
    pfpUrl: means(
      nullable(text()),
      'Link to the picture of the referred profile; null without one.',
    ),
    displayName: means(text(), 'Display name of the referred profile.'),
  })

export const standing = () => ({
  referralCode: means(
    nullable(text()),
    'Referral code; a new user passes it as r in the body of the first login.',
  ),
  referralData: means(list(referral()), 'The newest 20 profiles that this profile referred.'),
  referredUsersCount: means(integer(0), 'How many profiles this profile referred.'),
  leaderboardPosition: means(
    nullable(integer(1)),
    'All-time rank on GET /leaderboard/pnl; null without a row, or after 10,000.',
  ),
  isTop100: means(boolean(), 'True for ranks 1 to 100.'),
})

// The ranks and their fee rates (rules §3.3).

export const RANKS = [
  { id: 1, name: 'Bronze', feeRateBps: 300 },
  { id: 2, name: 'Silver', feeRateBps: 250 },
  { id: 3, name: 'Gold', feeRateBps: 200 },
  { id: 4, name: 'Platinum', feeRateBps: 150 },
  { id: 5, name: 'Diamond', feeRateBps: 100 },
] as const

/** The name of a rank in any letter case. */
export const RANK_PATTERN = '^([Bb]ronze|[Ss]ilver|[Gg]old|[Pp]latinum|[Dd]iamond)$'

/** The rank with this name, which matches RANK_PATTERN, or with this id, 1 to 5. */
export function rankOf(rank: string | number): Rank {
  const named = typeof rank === 'string' ? rank.toLowerCase() : ''
  const found = RANKS.find((each) => each.id === rank || each.name.toLowerCase() === named)
  assert(found !== undefined, 'a rank that the schema accepts is in the table')
  return found
}

// The role that an operator needs to edit a profile field, beyond the role of the route. Setting a
// name is support work (support). Setting a rank or a capability affects money (money). A token
// acts for its profile, so only root creates one.

const ROLE_OF_FIELD: Readonly<Record<string, Role>> = {
  rank: 'money',
  feeCapBps: 'money',
  smartWallet: 'money',
  scopes: 'money',
  apiToken: 'root',
}

/** The lowest role that may set all of these fields. */
export function roleForFields(fields: object): Role {
  const needed = Object.entries(fields).flatMap(([name, value]) => {
    const isRequested = value !== undefined && Object.hasOwn(ROLE_OF_FIELD, name)
    return isRequested ? [ROLES.indexOf(ROLE_OF_FIELD[name])] : []
  })
  return ROLES[Math.max(ROLES.indexOf('support'), ...needed)]
}

// The profile of the address in a path.

/** The profile of an address, 0 for an unknown address, or the refusal of the call. */
export function profileOf(address: string, { pipeline }: SharedServices): ProfileId | Refusal {
  if (parseAddress(address) === undefined) {
    return invalid({ field: 'account', message: WRONG_CHECKSUM })
  }
  return pipeline.clearing.accounts.byAddress(address)?.profileId ?? 0
}

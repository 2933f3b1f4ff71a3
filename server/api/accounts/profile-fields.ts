// Profile fields shared by replies to the owner, a partner or an operator.

import { LIMITS } from '../../../engine/domain/limits.ts'
import { isoTime, profileId, scope } from '../../edge/http/schema/fields.ts'
import { boolean, integer, means, nullable, oneOf, text } from '../../edge/http/schema/scalars.ts'
import { list, object } from '../../edge/http/schema/schema.ts'

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

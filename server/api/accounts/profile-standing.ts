// Fields of a private profile that its owner does not set.

import { isoTime, profileId } from '../../edge/http/schema/fields.ts'
import { means } from '../../edge/http/schema/meaning.ts'
import { boolean, integer, nullable, text } from '../../edge/http/schema/scalars.ts'
import { list, object } from '../../edge/http/schema/schema.ts'

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

// What a private profile tells beside what its owner says of itself.

import { isoTime, profileId } from '../../edge/http/schema/fields.ts'
import { means } from '../../edge/http/schema/meaning.ts'
import { boolean, integer, nullable, text } from '../../edge/http/schema/scalars.ts'
import { list, object } from '../../edge/http/schema/schema.ts'

const referral = () =>
  object({
    createdAt: means(isoTime(), 'When the referred profile was made.'),
    id: means(integer(1), 'Number of the referral, counted from 1.'),
    referredProfileId: means(profileId(), 'Number of the referred profile.'),
    pfpUrl: means(
      nullable(text()),
      'Link to the picture of the referred profile; null without one.',
    ),
    displayName: means(text(), 'Name that the referred profile shows.'),
  })

export const standing = () => ({
  referralCode: means(
    nullable(text()),
    'Code that refers others: they name it as r in the body of their first login.',
  ),
  referralData: means(list(referral()), 'The newest 20 of those that this profile referred.'),
  referredUsersCount: means(integer(0), 'How many profiles this one referred.'),
  leaderboardPosition: means(
    nullable(integer(1)),
    'Rank on the board GET /leaderboard/pnl of all time; null without a row, or behind 10,000.',
  ),
  isTop100: means(boolean(), 'Whether that rank is among the first 100.'),
})

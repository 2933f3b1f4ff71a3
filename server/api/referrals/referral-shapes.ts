// Schemas of referrals and their boards, with an example of each (rules §12.7).

import { address, isoTime, profileId, uint256Text } from '../../edge/http/schema/fields.ts'
import { means } from '../../edge/http/schema/meaning.ts'
import { account, shownUsername } from '../../edge/http/schema/profile-fields.ts'
import { defaulted, integer, nullable, text } from '../../edge/http/schema/scalars.ts'
import { list, object, optional } from '../../edge/http/schema/schema.ts'
import { nameToShow } from '../accounts/profile-fields.ts'
import { ACCOUNT, MARKET_EXAMPLE } from '../examples.ts'

const LIMIT_MAX = 100
const LIMIT_DEFAULT = 25
const OFFSET_MAX = 10_000

export const paging = () => ({
  limit: means(defaulted(integer(1, LIMIT_MAX), LIMIT_DEFAULT), 'Maximum entries per page.'),
  offset: means(defaulted(integer(0, OFFSET_MAX), 0), 'Number of entries to skip.'),
})

const shownPaging = () => ({
  limit: means(integer(1, LIMIT_MAX), 'The requested limit.'),
  offset: means(integer(0, OFFSET_MAX), 'The requested offset.'),
})

const shownProfile = () => ({
  account: account(),
  username: shownUsername(),
  displayName: nameToShow(),
  avatarAccount: means(address(), 'Address from which to draw a picture if there is none.'),
  pfpUrl: means(nullable(text()), 'Link to the picture of the profile; null without one.'),
})

const earned = () =>
  means(
    uint256Text(),
    'Raw collateral that the referrer earned from these fees: its share, paid daily. A share in ' +
      'outcome shares counts from the payout of its market.',
  )

const referrer = () =>
  object({
    rank: means(
      nullable(integer(1)),
      'Rank on the board, counted from 1; null after the first 10,000.',
    ),
    ...shownProfile(),
    earnedRaw: earned(),
    feesGeneratedRaw: means(
      uint256Text(),
      'Raw mined fees of the profiles that it referred; fees in shares count from their payout.',
    ),
    referredCount: means(integer(0), 'Number of profiles that it referred.'),
    referrerProfileId: profileId(),
  })

export const board = () =>
  object({
    entries: means(
      list(referrer()),
      'Sorted by earnings, then by fees, then by number of referrals, then oldest first.',
    ),
    ...shownPaging(),
    total: means(integer(0), 'Number of profiles on the board.'),
    me: means(
      optional(
        object({
          rank: means(nullable(integer(1)), 'Rank of the caller; null after the first 10,000.'),
          entry: means(referrer(), 'The entry of the caller, on any page.'),
        }),
      ),
      'The authenticated caller; absent if it referred nobody.',
    ),
  })

const referral = () =>
  object({
    ...shownProfile(),
    createdAt: means(isoTime(), 'When the referred profile was created.'),
    earnedRaw: earned(),
    feesGeneratedRaw: means(
      uint256Text(),
      'Its raw mined fees, in collateral; fees in shares count from their payout.',
    ),
    referredProfileId: profileId(),
    volumeRaw: means(uint256Text(), 'Raw collateral of its mined trades as a taker, before fees.'),
  })

export const referrals = () =>
  object({
    counts: means(
      object({
        all: means(integer(0), 'Number of profiles that the caller referred.'),
        awaiting: means(integer(0), 'Those without fees of any value yet.'),
        earning: means(integer(0), 'Those with fees of some value.'),
      }),
      'Number of referrals by state.',
    ),
    entries: means(list(referral()), 'Profiles that the caller referred, newest first.'),
    ...shownPaging(),
    total: means(integer(0), 'Number of entries on all pages.'),
  })

/** The name of the only tier. */
export const ONE_TIER = 'Standard'

export const standing = () =>
  object({
    customTier: means(nullable(text()), 'A tier assigned to the caller; always null.'),
    tiers: means(
      list(
        object({
          minBasisRaw: means(uint256Text(), 'Minimum raw volume of the tier.'),
          name: means(text(), 'Name of the tier.'),
          rate: means(text(), 'Fraction of fees earned, as decimal text: 0.1 is 10%.'),
        }),
      ),
      'The tiers, by ascending volume.',
    ),
    totalBasisRaw: means(uint256Text(), 'Raw collateral of all its own trades, before fees.'),
    totalEarnedRaw: earned(),
  })

export const STANDING_EXAMPLE = {
  customTier: null,
  tiers: [{ minBasisRaw: '0', name: ONE_TIER, rate: '0.1' }],
  totalBasisRaw: '52000000',
  totalEarnedRaw: '156000',
}

const SHOWN = {
  account: ACCOUNT,
  username: null,
  displayName: ACCOUNT,
  avatarAccount: ACCOUNT,
  pfpUrl: null,
}

const REFERRER_EXAMPLE = {
  rank: 1,
  ...SHOWN,
  earnedRaw: '0',
  feesGeneratedRaw: '1560000',
  referredCount: 3,
  referrerProfileId: 1,
}

const PAGE = { limit: 25, offset: 0 }

export const BOARD_EXAMPLE = {
  entries: [REFERRER_EXAMPLE],
  ...PAGE,
  total: 1,
  me: { rank: 1, entry: REFERRER_EXAMPLE },
}

export const REFERRALS_EXAMPLE = {
  counts: { all: 1, awaiting: 0, earning: 1 },
  entries: [
    {
      ...SHOWN,
      createdAt: MARKET_EXAMPLE.createdAt,
      earnedRaw: '0',
      feesGeneratedRaw: '1560000',
      referredProfileId: 2,
      volumeRaw: '52000000',
    },
  ],
  ...PAGE,
  total: 1,
}

// Shapes of referrals and of their boards, with an example of each (rules §12.7).

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
  limit: means(defaulted(integer(1, LIMIT_MAX), LIMIT_DEFAULT), 'Most entries on a page.'),
  offset: means(
    defaulted(integer(0, OFFSET_MAX), 0),
    'How many entries are passed over before the page begins.',
  ),
})

const shownPaging = () => ({
  limit: means(integer(1, LIMIT_MAX), 'The limit that was asked for.'),
  offset: means(integer(0, OFFSET_MAX), 'The offset that was asked for.'),
})

const shownProfile = () => ({
  account: account(),
  username: shownUsername(),
  displayName: nameToShow(),
  avatarAccount: means(address(), 'Address to draw a picture from where there is none.'),
  pfpUrl: means(nullable(text()), 'Link to the picture of the profile; null without one.'),
})

const earned = () =>
  means(
    uint256Text(),
    'Raw collateral that the referrer earned of these fees: its part, paid daily. A part in ' +
      'shares counts from the payout of its market.',
  )

const referrer = () =>
  object({
    rank: means(
      nullable(integer(1)),
      'Place on the board, counted from 1; null behind the first 10,000.',
    ),
    ...shownProfile(),
    earnedRaw: earned(),
    feesGeneratedRaw: means(
      uint256Text(),
      'Raw mined fees of those whom it referred; those in shares count from their payout.',
    ),
    referredCount: means(integer(0), 'How many profiles it referred.'),
    referrerProfileId: profileId(),
  })

export const board = () =>
  object({
    entries: means(
      list(referrer()),
      'By what was earned, then by fees, then by how many were referred, then the elder first.',
    ),
    ...shownPaging(),
    total: means(integer(0), 'How many profiles are on the board.'),
    me: means(
      optional(
        object({
          rank: means(nullable(integer(1)), 'Place of the caller; null behind the first 10,000.'),
          entry: means(referrer(), 'The entry of the caller, wherever it stands.'),
        }),
      ),
      'The caller that proved itself; absent when it referred nobody.',
    ),
  })

const referral = () =>
  object({
    ...shownProfile(),
    createdAt: means(isoTime(), 'When the referred profile was made.'),
    earnedRaw: earned(),
    feesGeneratedRaw: means(
      uint256Text(),
      'Raw mined fees of it, in collateral; those in shares count from their payout.',
    ),
    referredProfileId: profileId(),
    volumeRaw: means(uint256Text(), 'Raw collateral of its mined trades as a taker, before fees.'),
  })

export const referrals = () =>
  object({
    counts: means(
      object({
        all: means(integer(0), 'All profiles that the caller referred.'),
        awaiting: means(integer(0), 'Those whose fees are worth nothing yet.'),
        earning: means(integer(0), 'Those whose fees are worth something.'),
      }),
      'How many there are of each kind.',
    ),
    entries: means(list(referral()), 'Profiles that the caller referred, newest first.'),
    ...shownPaging(),
    total: means(integer(0), 'How many entries there are on all pages.'),
  })

/** The name of the only tier. */
export const ONE_TIER = 'Standard'

export const standing = () =>
  object({
    customTier: means(nullable(text()), 'A tier that was given to the caller; always null.'),
    tiers: means(
      list(
        object({
          minBasisRaw: means(uint256Text(), 'Raw volume from which the tier counts.'),
          name: means(text(), 'Name of the tier.'),
          rate: means(text(), 'Part of fees that a referrer earns, as decimal text: 0.1 is 10%.'),
        }),
      ),
      'The tiers, by rising volume.',
    ),
    totalBasisRaw: means(uint256Text(), 'Raw collateral of all own trades, before fees.'),
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

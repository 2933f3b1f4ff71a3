import { BPS } from '../../../engine/domain/units.ts'
import { tradedVolume } from '../../../persistence/query/read/boards/owner-sums.ts'
import { eitherOf, hmac, sessionOrIdentity } from '../../auth/auth-scheme.ts'
import { cached, REVALIDATE } from '../../edge/http/caching/cache.ts'
import { route } from '../../edge/http/route.ts'
import {
  account,
  address,
  isoTime,
  profileId,
  shownUsername,
  uint256Text,
} from '../../edge/http/schema/fields.ts'
import { defaulted, integer, means, nullable, text } from '../../edge/http/schema/scalars.ts'
import { list, object, optional } from '../../edge/http/schema/schema.ts'
import { refuse } from '../../messages/refusal.ts'
import { nameToShow } from '../accounts/profile-fields.ts'
import { ACCOUNT, MARKET_EXAMPLE } from '../examples.ts'
import { publicRequester, requesterOf } from '../reads/private-reads.ts'
import type { ReferralServices } from './services.ts'

// Schemas of referrals and their boards, with an example of each (rules §12.7).

const LIMIT_MAX = 100
const LIMIT_DEFAULT = 25
const OFFSET_MAX = 10_000

const paging = () => ({
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

const board = () =>
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

const referrals = () =>
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
const ONE_TIER = 'Standard'

const standing = () =>
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

const STANDING_EXAMPLE = {
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

const BOARD_EXAMPLE = {
  entries: [REFERRER_EXAMPLE],
  ...PAGE,
  total: 1,
  me: { rank: 1, entry: REFERRER_EXAMPLE },
}

const REFERRALS_EXAMPLE = {
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

// Referrals and the boards of referrers (rules §12.7).

const EXAMPLE_QUERY = { limit: 25, offset: 0 }

export const referralLeaderboard = route({
  method: 'GET',
  path: '/referral/usdc/leaderboard',
  auth: eitherOf(hmac(), sessionOrIdentity()).orNobody(),
  rateClass: 'public',
  shared: { cache: cached(REVALIDATE), when: (_query, isProven) => !isProven },
  about: 'Lists referrers by earnings; authenticated callers also get their own rank.',
  query: paging(),
  reply: board(),
  means: 'A page of the board; empty after the last page.',
  rejects: ['READ_TIMEOUT'],
  example: { query: EXAMPLE_QUERY, reply: BOARD_EXAMPLE },
  handle: async ({ query, caller, call }, services: ReferralServices) => {
    const requester = caller === null ? publicRequester(call) : requesterOf({ caller, call })
    const found = await services.referrals.board(query, requester, caller?.profileId)
    return found ?? refuse('READ_TIMEOUT')
  },
})

export const friendsLeaderboard = route({
  method: 'GET',
  path: '/referral/usdc/leaderboard/friends',
  auth: eitherOf(hmac(), sessionOrIdentity()),
  rateClass: 'private',
  about: 'Lists the referral board of the caller and the profiles that it follows.',
  query: paging(),
  reply: board(),
  means: 'A page of the board, without profiles that referred nobody.',
  rejects: ['READ_TIMEOUT'],
  example: { query: EXAMPLE_QUERY, reply: BOARD_EXAMPLE },
  handle: async ({ query, caller, call }, services: ReferralServices) => {
    const requester = requesterOf({ caller, call })
    const found = await services.referrals.friends(query, requester, caller.profileId)
    return found ?? refuse('READ_TIMEOUT')
  },
})

export const ownReferrals = route({
  method: 'GET',
  path: '/referral/usdc/referrals',
  auth: eitherOf(hmac(), sessionOrIdentity()),
  rateClass: 'private',
  about: 'Lists the profiles that the caller referred, newest first, with their fees and volume.',
  query: paging(),
  reply: referrals(),
  means: "A page of the profiles whose first login had the caller's code.",
  rejects: ['READ_TIMEOUT'],
  example: { query: EXAMPLE_QUERY, reply: REFERRALS_EXAMPLE },
  handle: async ({ query, caller, call }, services: ReferralServices) => {
    const requester = requesterOf({ caller, call })
    const found = await services.referrals.referred(query, requester, caller.profileId)
    return found ?? refuse('READ_TIMEOUT')
  },
})

export const ownReferralStanding = route({
  method: 'GET',
  path: '/referral/usdc/me',
  auth: eitherOf(hmac(), sessionOrIdentity()),
  rateClass: 'private',
  about: "Returns the caller's referral earnings, its own volume, and its share of fees.",
  reply: standing(),
  means: 'The status of the caller; this exchange has one tier.',
  rejects: ['READ_TIMEOUT'],
  example: { reply: STANDING_EXAMPLE },
  handle: async ({ caller, call }, { referrals, reads, settings }: ReferralServices) => {
    const requester = requesterOf({ caller, call })
    const { profileId } = caller
    const found = await referrals.board({ limit: 1, offset: 0 }, requester, profileId)
    const volumeRaw = await reads.read(tradedVolume, profileId, requester)
    if (found === undefined || volumeRaw === undefined) return refuse('READ_TIMEOUT')
    const rate = String(settings.referralBps / BPS)
    return {
      customTier: null,
      tiers: [{ minBasisRaw: '0', name: ONE_TIER, rate }],
      totalBasisRaw: String(volumeRaw),
      totalEarnedRaw: found.me?.entry.earnedRaw ?? '0',
    }
  },
})

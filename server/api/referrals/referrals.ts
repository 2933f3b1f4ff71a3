import type { ProfileId } from '../../../engine/domain/ids.ts'
import { BPS } from '../../../engine/domain/units.ts'
import { tradedVolume } from '../../../persistence/query/read/boards/owner-sums.ts'
import { shownName } from '../../../persistence/query/read/profiles.ts'
import {
  friendsBoard,
  type PageParams,
  type ReferralBoard,
  type ReferralRow,
  type ReferrerRow,
  referralBoard,
  referralsOf,
} from '../../../persistence/query/read/referrals/referrals.ts'
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
import { isoText } from '../../messages/iso-text.ts'
import { refuse } from '../../messages/refusal.ts'
import { nameToShow } from '../accounts/profile-fields.ts'
import { ACCOUNT, MARKET_EXAMPLE } from '../examples.ts'
import {
  type PrivateReads,
  publicRequester,
  type Requester,
  requesterOf,
} from '../reads/private-reads.ts'
import type { SharedServices } from '../shared-services.ts'

// The referral code of a profile: its id in base 36, and a check letter, so that a code with one
// wrong letter is invalid.

const BASE = 36
const CODE = /^[1-9A-Z][0-9A-Z]{1,6}$/
const PROFILE_ID_MAX = 2_147_483_647

/** Luhn's sum in base 36: each second digit from the end counts twice. */
function checkLetterOf(digits: string): string {
  let sum = 0
  for (const [index, digit] of [...digits].reverse().entries()) {
    const value = Number.parseInt(digit, BASE) * (index % 2 === 0 ? 2 : 1)
    sum += Math.floor(value / BASE) + (value % BASE)
  }
  return ((BASE - (sum % BASE)) % BASE).toString(BASE).toUpperCase()
}

export function referralCodeOf(profileId: ProfileId): string {
  const digits = profileId.toString(BASE).toUpperCase()
  return digits + checkLetterOf(digits)
}

/** The profile of a code in any letter case; undefined for an invalid code. */
export function profileOfCode(code: string): ProfileId | undefined {
  const stated = code.trim().toUpperCase()
  if (!CODE.test(stated)) return undefined
  const profileId = Number.parseInt(stated.slice(0, -1), BASE)
  if (profileId > PROFILE_ID_MAX) return undefined
  return referralCodeOf(profileId) === stated ? profileId : undefined
}

// Referrals and the boards of referrers. A method returns undefined on a read timeout.

/** Referrals listed in a private profile. */
const SHOWN_MAX = 20
const NOBODY: ProfileId = 0

/** The referral fields of a private profile. */
export type OwnReferrals = NonNullable<Awaited<ReturnType<Referrals['own']>>>

export class Referrals {
  readonly #reads: PrivateReads

  constructor(reads: PrivateReads) {
    this.#reads = reads
  }

  /** The board of all referrers; `me` is present for a profile that referred somebody. */
  async board(page: PageParams, requester: Requester, caller: ProfileId = NOBODY) {
    const found = await this.#reads.read(referralBoard, { ...page, profileId: caller }, requester)
    return found && boardView(found, page)
  }

  /** The board of a profile and the profiles that it follows. */
  async friends(page: PageParams, requester: Requester, caller: ProfileId) {
    const found = await this.#reads.read(friendsBoard, { ...page, profileId: caller }, requester)
    return found && boardView(found, page)
  }

  /** The profiles that a profile referred, newest first. */
  async referred({ limit, offset }: PageParams, requester: Requester, profileId: ProfileId) {
    const found = await this.#reads.read(referralsOf, { profileId, limit, offset }, requester)
    if (found === undefined) return undefined
    const { referredCount: all, earningCount: earning, rows } = found
    const counts = { all, awaiting: all - earning, earning }
    return { counts, entries: rows.map(referralView), limit, offset, total: all }
  }

  /** The referral fields in the private profile of `profileId`. */
  async own(profileId: ProfileId) {
    const page = { limit: SHOWN_MAX, offset: 0 }
    const found = await this.#reads.read(referralsOf, { profileId, ...page }, { profileId })
    if (found === undefined) return undefined
    const referralData = found.rows.map((row, index) => ({
      createdAt: isoText(row.referredMs),
      id: found.referredCount - index,
      referredProfileId: row.referred,
      pfpUrl: row.pfpUrl,
      displayName: shownName(row),
    }))
    return { referralData, referredUsersCount: found.referredCount }
  }
}

function boardView({ rows, total, own }: ReferralBoard, { limit, offset }: PageParams) {
  const entries = rows.map(referrerView)
  const me = own === null ? {} : { me: { rank: own.rank, entry: referrerView(own) } }
  return { entries, limit, offset, total, ...me }
}

function referrerView(row: ReferrerRow) {
  const { rank, account, username, pfpUrl, earnedRaw, feesRaw, referredCount } = row
  return {
    rank,
    account,
    username,
    displayName: shownName(row),
    avatarAccount: account,
    earnedRaw: String(earnedRaw),
    feesGeneratedRaw: String(feesRaw),
    pfpUrl,
    referredCount,
    referrerProfileId: row.referrer,
  }
}

function referralView(row: ReferralRow) {
  const { account, username, pfpUrl, earnedRaw, feesRaw, volumeRaw, referred } = row
  return {
    account,
    avatarAccount: account,
    createdAt: isoText(row.referredMs),
    username,
    displayName: shownName(row),
    earnedRaw: String(earnedRaw),
    feesGeneratedRaw: String(feesRaw),
    pfpUrl,
    referredProfileId: referred,
    volumeRaw: String(volumeRaw),
  }
}

/** What the routes of this folder need. */
export interface ReferralServices extends SharedServices {
  readonly referrals: Referrals
}

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

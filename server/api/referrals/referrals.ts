// Referrals and the boards of referrers (rules §12.7).

import { BPS } from '../../../engine/domain/units.ts'
import { tradedVolume } from '../../../persistence/query/read/boards/owner-sums.ts'
import { eitherOf, hmac, sessionOrIdentity } from '../../auth/auth-scheme.ts'
import { cached, REVALIDATE } from '../../edge/http/caching/cache.ts'
import { route } from '../../edge/http/route.ts'
import { refuse } from '../../messages/refusal.ts'
import { publicRequester, requesterOf } from '../reads/private-reads.ts'
import {
  BOARD_EXAMPLE,
  board,
  ONE_TIER,
  paging,
  REFERRALS_EXAMPLE,
  referrals,
  STANDING_EXAMPLE,
  standing,
} from './referral-shapes.ts'
import type { ReferralServices } from './services.ts'

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

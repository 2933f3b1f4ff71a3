// The profiles that a profile follows.

import type { ProfileId } from '../../../engine/domain/ids.ts'
import { SOCIAL_LIMITS } from '../../../engine/domain/social/social-limits.ts'
import { following } from '../../../persistence/query/read/social/profile-lists.ts'
import { eitherOf, hmac, sessionOrIdentity } from '../../auth/auth-scheme.ts'
import { route } from '../../edge/http/route.ts'
import { account, profileId } from '../../edge/http/schema/fields.ts'
import {
  boolean,
  defaulted,
  integer,
  means,
  nullable,
  pattern,
  text,
} from '../../edge/http/schema/scalars.ts'
import { list, object, optional } from '../../edge/http/schema/schema.ts'
import { Refusal, refuse, refusedOr } from '../../messages/refusal.ts'
import { checksummed } from '../checksums.ts'
import { ACCOUNT } from '../examples.ts'
import { requesterOf } from '../reads/private-reads.ts'
import { FOUND_EXAMPLE, foundFields, foundView } from './profile-shapes.ts'
import type { SocialServices } from './services.ts'

const LIMIT_MAX = SOCIAL_LIMITS.followingLimitMax
const LIMIT_DEFAULT = 30

const owners = () => eitherOf(hmac(), sessionOrIdentity())

const followState = () =>
  object({
    profileId: profileId(),
    isFollowing: means(boolean(), 'Whether the caller follows the profile now.'),
    followersCount: means(integer(0), 'Number of followers of the profile now.'),
  })

/** The profile of an address, or the refusal of the call. */
async function followedBy(
  given: string,
  { pipeline }: SocialServices,
): Promise<ProfileId | Refusal> {
  const address = checksummed('account', given)
  if (address instanceof Refusal) return address
  const found = pipeline.clearing.accounts.byAddress(address)
  if (found !== undefined) return found.profileId
  await pipeline.durable()
  return refuse('PROFILE_NOT_FOUND')
}

export const followProfile = route({
  method: 'PUT',
  path: '/profiles/:account/follow',
  auth: owners(),
  rateClass: 'auth',
  about: 'Follows a profile; no effect if already followed.',
  params: { account: account() },
  reply: followState(),
  means: 'The caller follows the profile.',
  rejects: [
    'OVERLOADED',
    'VALIDATION',
    'PROFILE_NOT_FOUND',
    'FOLLOW_OF_SELF',
    'FOLLOW_LIMIT',
    'SOCIAL_CAPACITY',
  ],
  example: {
    params: { account: ACCOUNT },
    reply: { profileId: 1, isFollowing: true, followersCount: 12 },
  },
  handle: async ({ params, caller }, services: SocialServices) => {
    const followedId = await followedBy(params.account, services)
    if (followedId instanceof Refusal) return followedId
    const state = await services.social.follow(caller.profileId, followedId)
    return refusedOr(state, (reported) => reported)
  },
})

export const unfollowProfile = route({
  method: 'DELETE',
  path: '/profiles/:account/follow',
  auth: owners(),
  rateClass: 'auth',
  about: 'Unfollows a profile; no effect if not followed.',
  params: { account: account() },
  reply: followState(),
  means: 'The caller does not follow the profile.',
  rejects: ['OVERLOADED', 'VALIDATION', 'PROFILE_NOT_FOUND'],
  example: {
    params: { account: ACCOUNT },
    reply: { profileId: 1, isFollowing: false, followersCount: 11 },
  },
  handle: async ({ params, caller }, services: SocialServices) => {
    const followedId = await followedBy(params.account, services)
    if (followedId instanceof Refusal) return followedId
    const state = await services.social.unfollow(caller.profileId, followedId)
    return refusedOr(state, (reported) => reported)
  },
})

export const followedProfiles = route({
  method: 'GET',
  path: '/profiles/following',
  auth: owners(),
  rateClass: 'private',
  about: 'Lists the profiles that the caller follows, by ascending id.',
  query: {
    limit: means(defaulted(integer(1, LIMIT_MAX), LIMIT_DEFAULT), 'Maximum profiles per page.'),
    cursor: means(
      optional(pattern('^([1-9][0-9]{0,9})?$', 'Decimal digits.')),
      'nextCursor of the previous page; absent or empty for the first page.',
    ),
  },
  reply: object({
    data: means(list(object(foundFields())), 'The profiles of this page.'),
    nextCursor: means(nullable(text()), 'Cursor of the next page; null on the last page.'),
  }),
  means: 'A page of the profiles that the caller follows.',
  rejects: ['READ_TIMEOUT'],
  example: { query: { limit: 30 }, reply: { data: [FOUND_EXAMPLE], nextCursor: null } },
  handle: async ({ query, caller, call }, { reads }: SocialServices) => {
    const { limit, cursor = '' } = query
    // Reads one extra profile to know whether there is another page.
    const request = { owner: caller.profileId, after: Number(cursor), limit: limit + 1 }
    const found = await reads.read(following, request, requesterOf({ caller, call }))
    if (found === undefined) return refuse('READ_TIMEOUT')
    const data = found.slice(0, limit)
    const nextCursor = found.length > limit ? String(data[limit - 1].profileId) : null
    return { data: data.map(foundView), nextCursor }
  },
})

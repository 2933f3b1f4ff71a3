// Public profiles: search, those with most followers, and one by its address.

import type { ProfileId } from '../../../engine/domain/ids.ts'
import { SOCIAL_LIMITS } from '../../../engine/domain/social/social-limits.ts'
import type { FoundProfile } from '../../../persistence/query/read/social/found-profile.ts'
import {
  following,
  socialProfiles as mostFollowed,
  type PublicProfile,
  publicProfile as profileForAll,
} from '../../../persistence/query/read/social/profile-lists.ts'
import {
  isTooShort,
  searchProfiles as search,
  wantedIn,
} from '../../../persistence/query/read/social/search-profiles.ts'
import { eitherOf, hmac, open, sessionOrIdentity } from '../../auth/auth-scheme.ts'
import { cached, lasting } from '../../edge/http/caching/cache.ts'
import { route } from '../../edge/http/route.ts'
import {
  account,
  profileId,
  shownUsername,
  uint256Text,
  xHandle,
} from '../../edge/http/schema/fields.ts'
import {
  boolean,
  defaulted,
  integer,
  means,
  nullable,
  oneOf,
  pattern,
  text,
} from '../../edge/http/schema/scalars.ts'
import { list, object, optional } from '../../edge/http/schema/schema.ts'
import { isoText } from '../../messages/iso-text.ts'
import { Refusal, refuse, refusedOr } from '../../messages/refusal.ts'
import { nameToShow, profileSince } from '../accounts/profile-fields.ts'
import { ACCOUNT } from '../examples.ts'
import { publicRequester, requesterOf } from '../reads/private-reads.ts'
import { checksummed, message, rank } from '../shapes.ts'
import { SKIP_REASONS, type SocialServices } from './services.ts'

// The schema of a public profile in lists (rules §12.2).

export const foundFields = () => ({
  id: profileId(),
  account: account(),
  username: shownUsername(),
  displayName: nameToShow(),
  pfpUrl: means(nullable(text()), 'Link to the picture of the profile; null without one.'),
  rankName: means(nullable(text()), 'Name of its rank; null without one.'),
  followersCount: means(integer(0), 'Number of profiles that follow this one.'),
  volume: means(uint256Text(), 'Raw collateral of all its trades in books.'),
  hasTraded: means(boolean(), 'True once an order of the profile has traded.'),
})

export const foundProfiles = () =>
  object({ data: means(list(object(foundFields())), 'The profiles found, best match first.') })

export function foundView({ profileId: id, volumeRaw, ...shown }: FoundProfile) {
  return { id, ...shown, volume: String(volumeRaw) }
}

export const FOUND_EXAMPLE = {
  id: 1,
  account: ACCOUNT,
  username: 'rainmaker',
  displayName: 'rainmaker',
  pfpUrl: null,
  rankName: 'Bronze',
  followersCount: 12,
  volume: '52000000',
  hasTraded: true,
}

// The profiles that a profile follows.

const FOLLOWING_LIMIT_MAX = SOCIAL_LIMITS.followingLimitMax
const FOLLOWING_LIMIT_DEFAULT = 30

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
    limit: means(
      defaulted(integer(1, FOLLOWING_LIMIT_MAX), FOLLOWING_LIMIT_DEFAULT),
      'Maximum profiles per page.',
    ),
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

// The X account of a profile: connecting it with a code, disconnecting it, and applying its data.

const CODE_CHARACTERS_MAX = 512

export const connectX = route({
  method: 'POST',
  path: '/profiles/x/connection',
  auth: owners(),
  rateClass: 'auth',
  about: "Connects the caller's X account, proven by a code from X.",
  body: object({
    code: means(
      text(CODE_CHARACTERS_MAX, 1),
      'Code that X gave the user; a demo accepts demo: followed by any handle.',
    ),
  }),
  reply: object({
    handle: means(text(), 'Handle of the account, without the @.'),
    avatarUrl: means(nullable(text()), "Link to the account's picture; null without one."),
  }),
  means: 'The account is connected, replacing any other.',
  rejects: [
    'OVERLOADED',
    'PROFILE_NOT_FOUND',
    'SOCIAL_CONNECTION_OFF',
    'SOCIAL_CODE_INVALID',
    'READ_TIMEOUT',
  ],
  example: {
    body: { code: 'demo:rainmaker' },
    reply: { handle: 'rainmaker', avatarUrl: 'https://pictures.example/rainmaker.png' },
  },
  handle: async ({ body, caller }, { connections }: SocialServices) => {
    const connected = await connections.connect(caller.profileId, body.code)
    return refusedOr(connected, (account) => account)
  },
})

export const disconnectX = route({
  method: 'DELETE',
  path: '/profiles/x/connection',
  auth: owners(),
  rateClass: 'auth',
  about: "Disconnects the caller's X account; the username and picture that it gave stay.",
  reply: message(),
  means: 'No X account is connected.',
  rejects: ['OVERLOADED', 'PROFILE_NOT_FOUND', 'READ_TIMEOUT'],
  example: { reply: { message: 'Account disconnected' } },
  handle: async ({ caller }, { connections }: SocialServices) => {
    const refused = await connections.disconnect(caller.profileId)
    return refused === null ? { message: 'Account disconnected' } : refuse(refused)
  },
})

export const applySocialData = route({
  method: 'POST',
  path: '/profiles/x/connection/social-data',
  auth: owners(),
  rateClass: 'auth',
  about: 'Sets the username of the profile to the handle of its X account, and its picture.',
  body: object({
    username: means(
      optional(boolean()),
      'Whether to use the handle as username; false by default.',
    ),
    avatar: means(optional(boolean()), 'Whether to use the picture; false by default.'),
  }),
  reply: object({
    usernameApplied: means(boolean(), 'Whether the handle is the username now.'),
    avatarApplied: means(boolean(), 'Whether the picture of the account was applied.'),
    usernameSkippedReason: means(
      nullable(oneOf(...SKIP_REASONS)),
      'taken if another profile has that username, invalid if the handle does not begin ' +
        'with a letter; null if it was applied or not requested.',
    ),
  }),
  means: 'The profile has everything that could be applied.',
  rejects: ['OVERLOADED', 'PROFILE_NOT_FOUND', 'SOCIAL_NOT_CONNECTED', 'READ_TIMEOUT'],
  example: {
    body: { username: true, avatar: true },
    reply: { usernameApplied: true, avatarApplied: true, usernameSkippedReason: null },
  },
  handle: async ({ body, caller }, { connections }: SocialServices) => {
    const { username = false, avatar = false } = body
    const taken = await connections.takeOver(caller.profileId, { username, avatar })
    return refusedOr(taken, (reported) => reported)
  },
})

const QUERY_CHARACTERS_MAX = 100
const LIMIT_MAX = 20
const NOBODY = { data: [] }

export const searchProfiles = route({
  method: 'GET',
  path: '/profiles/search',
  auth: open(),
  rateClass: 'public',
  cache: cached(lasting(1)),
  about: 'Searches profiles by username, social handle or address prefix, best match first.',
  query: {
    query: means(
      text(QUERY_CHARACTERS_MAX),
      'Search text, in any letter case; a leading @ prefers handles, 0x and hex digits match ' +
        'addresses too. Fewer than two characters match nothing.',
    ),
    limit: means(defaulted(integer(1, LIMIT_MAX), 5), 'Maximum profiles to return.'),
  },
  reply: foundProfiles(),
  means: 'The profiles found; there is no second page.',
  rejects: ['READ_TIMEOUT'],
  example: { query: { query: 'rain', limit: 5 }, reply: { data: [FOUND_EXAMPLE] } },
  handle: async ({ query, call }, { reads }: SocialServices) => {
    if (isTooShort(wantedIn(query.query).wanted)) return NOBODY
    const request = { text: query.query, limit: query.limit }
    const found = await reads.read(search, request, publicRequester(call))
    return found === undefined ? refuse('READ_TIMEOUT') : { data: found.map(foundView) }
  },
})

export const socialProfiles = route({
  method: 'GET',
  path: '/profiles/social',
  auth: open(),
  rateClass: 'public',
  cache: cached(lasting(1)),
  about: 'Lists the profiles with the most followers, without the server wallets.',
  query: { limit: means(defaulted(integer(1, LIMIT_MAX), 10), 'Maximum profiles to list.') },
  reply: foundProfiles(),
  means: 'The profiles, most followers first.',
  rejects: ['READ_TIMEOUT'],
  example: { query: { limit: 10 }, reply: { data: [FOUND_EXAMPLE] } },
  handle: async ({ query, call }, { reads }: SocialServices) => {
    const found = await reads.read(mostFollowed, query.limit, publicRequester(call))
    return found === undefined ? refuse('READ_TIMEOUT') : { data: found.map(foundView) }
  },
})

function publicView({
  profileId: id,
  volumeRaw,
  createdMs,
  rankName: _named,
  ...reported
}: PublicProfile) {
  return { id, ...reported, volume: String(volumeRaw), createdAt: isoText(createdMs) }
}

function publicFields() {
  const { rankName: _named, ...shared } = foundFields()
  return {
    ...shared,
    bio: means(nullable(text()), 'Biography of the owner; null without one.'),
    socialUrl: means(nullable(text()), 'Link to a page of the owner; null without one.'),
    xHandle: xHandle(),
    rank: rank(),
    createdAt: profileSince(),
  }
}

const { rankName: _named, ...SHARED_EXAMPLE } = FOUND_EXAMPLE

export const publicProfile = route({
  method: 'GET',
  path: '/profiles/public/:account',
  auth: open(),
  rateClass: 'public',
  cache: cached(lasting(1)),
  about: 'Returns the public fields of one profile.',
  params: { account: account() },
  reply: object(publicFields()),
  means: 'The profile of the account.',
  rejects: ['VALIDATION', 'PROFILE_NOT_FOUND', 'READ_TIMEOUT'],
  example: {
    params: { account: ACCOUNT },
    reply: {
      ...SHARED_EXAMPLE,
      bio: null,
      socialUrl: null,
      xHandle: null,
      rank: { id: 1, name: 'Bronze', feeRateBps: 300 },
      createdAt: '2026-01-01T00:00:00.000Z',
    },
  },
  handle: async ({ params, call }, { pipeline, reads }: SocialServices) => {
    const address = checksummed('account', params.account)
    if (address instanceof Refusal) return address
    const profileId = pipeline.clearing.accounts.byAddress(address)?.profileId
    // The profile may be new, from a command that is not durable yet.
    await pipeline.durable()
    if (profileId === undefined) return refuse('PROFILE_NOT_FOUND')
    const found = await reads.read(profileForAll, profileId, publicRequester(call))
    if (found === undefined) return refuse('READ_TIMEOUT')
    return found === null ? refuse('PROFILE_NOT_FOUND') : publicView(found)
  },
})

// Public profiles: search, those with most followers, and one by its address.

import {
  socialProfiles as mostFollowed,
  type PublicProfile,
  publicProfile as profileForAll,
} from '../../../persistence/query/read/social/profile-lists.ts'
import {
  isTooShort,
  searchProfiles as search,
  wantedIn,
} from '../../../persistence/query/read/social/search-profiles.ts'
import { open } from '../../auth/auth-scheme.ts'
import { cached, lasting } from '../../edge/http/caching/cache.ts'
import { route } from '../../edge/http/route.ts'
import { account, xHandle } from '../../edge/http/schema/fields.ts'
import { defaulted, integer, means, nullable, text } from '../../edge/http/schema/scalars.ts'
import { object } from '../../edge/http/schema/schema.ts'
import { isoText } from '../../messages/iso-text.ts'
import { Refusal, refuse } from '../../messages/refusal.ts'
import { profileSince } from '../accounts/profile-fields.ts'
import { checksummed } from '../checksums.ts'
import { ACCOUNT } from '../examples.ts'
import { publicRequester } from '../reads/private-reads.ts'
import { rank } from '../shapes.ts'
import { FOUND_EXAMPLE, foundFields, foundProfiles, foundView } from './profile-shapes.ts'
import type { SocialServices } from './services.ts'

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

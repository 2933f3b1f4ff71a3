// The operator's view of profiles: ranks, caps, names and what a partner may do (design §7).

import { effectiveFeeBps, type Profile } from '../../engine/core/accounts.ts'
import { LIMITS } from '../../engine/domain/limits.ts'
import { REJECT } from '../../engine/domain/reject.ts'
import { admin } from '../http/auth-scheme.ts'
import { address, isoTime, profileId } from '../http/fields.ts'
import { displayName, scope } from '../http/profile-fields.ts'
import { refuse } from '../http/refusal.ts'
import { route } from '../http/route.ts'
import { integer, nullable, pattern, text } from '../http/scalars.ts'
import { anyOf, list, object, optional, schemaOf } from '../http/schema.ts'
import { RANK_PATTERN, rankOf } from '../services/ranks.ts'
import { ACCOUNT } from './examples.ts'
import type { Services } from './services.ts'
import { rank } from './shapes.ts'

const rankWish = () =>
  anyOf(pattern(RANK_PATTERN, 'Name of a rank.'), integer(1, 5), schemaOf<null>({ type: 'null' }))

const managedProfile = () =>
  object({
    profileId: profileId(),
    account: address(),
    username: nullable(text()),
    displayName: text(),
    rank: rank(),
    feeCapBps: nullable(integer(0, LIMITS.feeBpsMax)),
    effectiveFeeRateBps: nullable(integer(0, LIMITS.feeBpsMax)),
    scopes: list(scope()),
    createdAt: isoTime(),
  })

function managedView(profile: Profile) {
  return {
    profileId: profile.profileId,
    account: profile.account,
    username: profile.username,
    displayName: profile.displayName,
    rank: profile.rank,
    feeCapBps: profile.feeCapBps,
    effectiveFeeRateBps: effectiveFeeBps(profile),
    scopes: profile.scopes,
    createdAt: new Date(profile.createdMs).toISOString(),
  }
}

const EXAMPLE = {
  profileId: 1,
  account: ACCOUNT,
  username: 'rainmaker',
  displayName: 'rainmaker',
  rank: { id: 1, name: 'Bronze', feeRateBps: 300 },
  feeCapBps: 250,
  effectiveFeeRateBps: 250,
  scopes: ['trading', 'account_creation'] as const,
  createdAt: '2026-01-01T00:00:00.000Z',
}

export const managedProfileById = route({
  method: 'GET',
  path: '/admin/profiles/:profileId',
  auth: admin(),
  lane: 'admin',
  about: 'Rank, cap, name and capabilities of one profile.',
  params: { profileId: profileId() },
  reply: managedProfile(),
  rejects: ['PROFILE_NOT_FOUND'],
  example: { params: { profileId: 1 }, reply: EXAMPLE },
  handle: async ({ params }, { pipeline }: Services) => {
    const profile = pipeline.clearing.accounts.byId(params.profileId)
    await pipeline.durable()
    return profile === undefined ? refuse('PROFILE_NOT_FOUND') : managedView(profile)
  },
})

export const editManagedProfile = route({
  method: 'PATCH',
  path: '/admin/profiles/:profileId',
  auth: admin(),
  lane: 'admin',
  about: 'Edits one profile. Capabilities bound the tokens made from then on, not those there are.',
  params: { profileId: profileId() },
  body: object({
    username: optional(nullable(text(LIMITS.usernameCharactersMax, 1))),
    displayName: optional(displayName()),
    rank: optional(rankWish()),
    feeCapBps: optional(nullable(integer(0, LIMITS.feeBpsMax))),
    scopes: optional(list(scope(), 0, 4)),
  }),
  reply: managedProfile(),
  rejects: ['OVERLOADED', 'PROFILE_NOT_FOUND', 'USERNAME_TAKEN'],
  example: {
    params: { profileId: 1 },
    body: { feeCapBps: 250, scopes: ['trading', 'account_creation'] },
    reply: EXAMPLE,
  },
  handle: async ({ params, body }, { accounts, pipeline }: Services) => {
    const owner = pipeline.clearing.accounts.byId(params.profileId)
    if (owner === undefined) return refuse(await pipeline.refused(REJECT.PROFILE_NOT_FOUND))
    const change = {
      ...body,
      account: owner.account,
      rank:
        typeof body.rank === 'string' || typeof body.rank === 'number'
          ? rankOf(body.rank)
          : body.rank,
      displayName: body.displayName?.trim(),
      scopes: body.scopes === undefined ? undefined : [...new Set(body.scopes)],
    }
    const made = await accounts.putProfile(change, null)
    return typeof made === 'number' ? refuse(made) : managedView(made.profile)
  },
})

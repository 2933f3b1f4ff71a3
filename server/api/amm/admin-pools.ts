// The operator's calls on the providers of pools (rules §7.4).

import { Reject } from '../../../engine/domain/reject-precedence.ts'
import { admin } from '../../auth/auth-scheme.ts'
import { route } from '../../edge/http/route.ts'
import { profileId, rawAmount, slug } from '../../edge/http/schema/fields.ts'
import { means } from '../../edge/http/schema/meaning.ts'
import { integer } from '../../edge/http/schema/scalars.ts'
import { list, object, optional } from '../../edge/http/schema/schema.ts'
import { refuse } from '../../messages/refusal.ts'
import type { ProviderChange } from './pool-trades.ts'
import type { PoolServices } from './services.ts'

const HINT_MAX = 1_000_000_000

const changed = object({
  profileId: profileId(),
  liquidityRaw: means(rawAmount(), 'The part of the pool that came or went, in raw units.'),
  sharesRaw: means(list(rawAmount(), 2, 2), 'Raw shares that the provider got: YES, then NO.'),
  feesRaw: means(rawAmount(), 'Raw collateral of fees that the provider got.'),
})

function shown(profile: number, made: ProviderChange | Reject) {
  if (made instanceof Reject) return refuse(made)
  const { liquidityRaw, sharesRaw, feesRaw } = made
  return { profileId: profile, liquidityRaw, sharesRaw: [...sharesRaw], feesRaw }
}

const REJECTS = [
  'OVERLOADED',
  'VALIDATION',
  'MARKET_NOT_FOUND',
  'MARKET_RESOLVED',
  'PROFILE_NOT_FOUND',
  'CAPACITY',
] as const

export const fundPool = route({
  method: 'POST',
  path: '/admin/markets/:slug/liquidity',
  auth: admin('money'),
  rateClass: 'admin',
  about: 'Gives collateral of a profile to the pool of a market; the first opens the market.',
  params: { slug: slug() },
  body: object({
    profileId: profileId(),
    collateralRaw: means(rawAmount(1), 'Raw collateral to give. 1,000,000 are one unit.'),
    hints: means(
      optional(list(integer(1, HINT_MAX), 2, 2)),
      'For an empty pool: parts of YES and NO to keep; the larger part is cheaper. Absent: equal.',
    ),
  }),
  status: 201,
  reply: changed,
  means: 'The profile is a provider; the shares that the pool did not keep are its own.',
  rejects: [
    ...REJECTS,
    'MARKET_NOT_POOL',
    'MARKET_STATUS',
    'INSUFFICIENT_COLLATERAL',
    'POOL_QUOTE_INVALID',
    'PROVIDER_LIMIT',
  ],
  example: {
    params: { slug: 'rain-tomorrow' },
    body: { profileId: 1, collateralRaw: 1_000_000_000, hints: [300, 700] },
    reply: { profileId: 1, liquidityRaw: 1e9, sharesRaw: [571_428_572, 0], feesRaw: 0 },
  },
  handle: async ({ params, body, caller }, { pipeline, pools }: PoolServices) => {
    const { profileId: profile, collateralRaw, hints = [1, 1] } = body
    const published = pipeline.published.bySlug(params.slug)
    if (published === undefined) return refuse('MARKET_NOT_FOUND')
    if (pipeline.clearing.accounts.byId(profile) === undefined) return refuse('PROFILE_NOT_FOUND')
    const request = { profileId: profile, collateralRaw, hints: [hints[0], hints[1]] as const }
    return shown(profile, await pools.fund(published, request, caller.operator.name))
  },
})

export const drainPool = route({
  method: 'POST',
  path: '/admin/markets/:slug/liquidity/remove',
  auth: admin('money'),
  rateClass: 'admin',
  about: 'Takes the part of a profile out of the pool of a market, with its fees.',
  params: { slug: slug() },
  body: object({
    profileId: profileId(),
    liquidityRaw: means(
      optional(rawAmount(1)),
      'The part of the pool to take, in raw units; all that the profile has when absent.',
    ),
  }),
  reply: changed,
  means: 'The shares and the fees are those of the profile now.',
  rejects: [...REJECTS, 'LIQUIDITY_SHORT'],
  example: {
    params: { slug: 'rain-tomorrow' },
    body: { profileId: 1 },
    reply: {
      profileId: 1,
      liquidityRaw: 1e9,
      sharesRaw: [990_138_224, 1_009_960_000],
      feesRaw: 40_000,
    },
  },
  handle: async ({ params, body, caller }, { pipeline, pools }: PoolServices) => {
    const published = pipeline.published.bySlug(params.slug)
    if (published === undefined) return refuse('MARKET_NOT_FOUND')
    if (pipeline.clearing.accounts.byId(body.profileId) === undefined) {
      return refuse('PROFILE_NOT_FOUND')
    }
    return shown(body.profileId, await pools.drain(published, body, caller.operator.name))
  },
})

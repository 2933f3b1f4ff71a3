// The operator's calls on pool providers (rules §7.4).

import { Reject } from '../../../engine/domain/reject-precedence.ts'
import { admin } from '../../auth/auth-scheme.ts'
import { route } from '../../edge/http/route.ts'
import { profileId, rawAmount, slug } from '../../edge/http/schema/fields.ts'
import { integer, means } from '../../edge/http/schema/scalars.ts'
import { list, object, optional } from '../../edge/http/schema/schema.ts'
import { refuse } from '../../messages/refusal.ts'
import type { PoolServices, ProviderChange } from './services.ts'

const HINT_MAX = 1_000_000_000

const changed = object({
  profileId: profileId(),
  liquidityRaw: means(rawAmount(), 'The pool share that was added or removed, in raw units.'),
  sharesRaw: means(list(rawAmount(), 2, 2), 'Raw shares that the provider received: YES, then NO.'),
  feesRaw: means(rawAmount(), 'Raw fee collateral that the provider received.'),
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
  about: 'Adds collateral of a profile to a pool; the first funding opens its market.',
  params: { slug: slug() },
  body: object({
    profileId: profileId(),
    collateralRaw: means(rawAmount(1), 'Raw collateral to add. One unit is 1,000,000.'),
    hints: means(
      optional(list(integer(1, HINT_MAX), 2, 2)),
      'For an empty pool: parts of YES and NO to keep; the larger is cheaper. Equal by default.',
    ),
  }),
  status: 201,
  reply: changed,
  means: 'The profile is a provider; it owns the shares that the pool did not keep.',
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
  about: 'Withdraws the share of a profile from the pool of a market, with its fees.',
  params: { slug: slug() },
  body: object({
    profileId: profileId(),
    liquidityRaw: means(
      optional(rawAmount(1)),
      'The pool share to withdraw, in raw units; the whole share of the profile by default.',
    ),
  }),
  reply: changed,
  means: 'The profile now owns the shares and the fees.',
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

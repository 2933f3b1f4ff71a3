// The house collateral that covers packs (rules §8.5), and the packs that operators curate (rules
// §8.6).

import { PACK_LIMITS } from '../../../engine/domain/packs/pack-limits.ts'
import { Reject } from '../../../engine/domain/reject-precedence.ts'
import { admin } from '../../auth/auth-scheme.ts'
import { route } from '../../edge/http/route.ts'
import { integer, line, means, nullable } from '../../edge/http/schema/scalars.ts'
import { list, object, optional } from '../../edge/http/schema/schema.ts'
import { invalid, Refusal, refuse } from '../../messages/refusal.ts'
import { MARKET_EXAMPLE } from '../examples.ts'
import { ineligible, legsToPrice, requestedLegs, tooManyLegs } from '../packs/pack-requests.ts'
import { NOT_ELIGIBLE } from '../packs/pack-stakes.ts'
import { CURATED_EXAMPLE, packUuid, seqOfPackId } from '../packs/pack-views.ts'
import { curatedPack } from '../packs/services.ts'
import { publicRequester } from '../reads/private-reads.ts'
import type { AdminServices } from './services.ts'

const house = () =>
  object({
    balanceRaw: means(integer(0), 'Raw collateral that the house may still lose to packs.'),
    parkedRaw: means(integer(0), 'Raw collateral locked in packs and offers.'),
    packCount: means(integer(0), 'Number of open packs.'),
    offerCount: means(integer(0), 'Number of open offers.'),
    dayLossRaw: means(
      integer(),
      'Cost of the packs made since 00:00 UTC, including open ones, raw; negative for a gain.',
    ),
    dayBoundRaw: means(integer(), 'Maximum cost of the packs of one UTC day, raw.'),
    dayLossMaxRaw: means(
      nullable(integer(0)),
      'That limit as set by operators, raw; null for a tenth of the house balance.',
    ),
  })

const HOUSE_EXAMPLE = {
  balanceRaw: 1_000_000_000,
  parkedRaw: 45_000_000,
  packCount: 1,
  offerCount: 0,
  dayLossRaw: 35_000_000,
  dayBoundRaw: 103_500_000,
  dayLossMaxRaw: null,
}

export const showHouse = route({
  method: 'GET',
  path: '/admin/house',
  auth: admin('read'),
  rateClass: 'admin',
  about: 'Returns the house funds that cover packs, and the collateral locked in packs.',
  reply: house(),
  means: 'The current funds of the house.',
  example: { reply: HOUSE_EXAMPLE },
  handle: (_input, { packs }: AdminServices) => packs.house(),
})

export const fundHouse = route({
  method: 'POST',
  path: '/admin/house',
  auth: admin('money'),
  rateClass: 'admin',
  about: 'Deposits or withdraws house collateral, and sets the maximum daily cost of packs.',
  body: object({
    collateralRaw: means(
      optional(integer()),
      'Raw collateral to deposit, or to withdraw when negative; not 0. One unit is 1,000,000.',
    ),
    dayLossMaxRaw: means(
      optional(nullable(integer(0))),
      'Maximum cost of the packs of one UTC day, raw; 0 for no packs, null for the default.',
    ),
  }),
  reply: house(),
  means: 'The house is updated; the reply shows its new state.',
  rejects: [
    'OVERLOADED',
    'VALIDATION',
    'HELD_BY_WALLETS',
    'INSUFFICIENT_COLLATERAL',
    'BALANCE_LIMIT',
  ],
  example: { body: { collateralRaw: 1_000_000_000 }, reply: HOUSE_EXAMPLE },
  handle: async ({ body, caller }, { packs }: AdminServices) => {
    const { collateralRaw, dayLossMaxRaw } = body
    if (collateralRaw === 0) return invalid({ field: 'collateralRaw', message: 'must not be 0' })
    if (collateralRaw === undefined && dayLossMaxRaw === undefined) {
      return invalid({ field: 'collateralRaw', message: 'or dayLossMaxRaw must be given' })
    }
    const after = await packs.changeHouse(body, caller.operator.name)
    return after instanceof Reject ? refuse(after) : after
  },
})

export const listCuratedPacks = route({
  method: 'GET',
  path: '/admin/packs',
  auth: admin('read'),
  rateClass: 'admin',
  about: 'Lists every curated pack, including those with a leg that has just ended.',
  reply: object({ data: means(list(curatedPack()), 'The packs, newest first.') }),
  means: 'The complete current list.',
  example: { reply: { data: [CURATED_EXAMPLE] } },
  handle: async (_input, { curation }: AdminServices) => ({ data: await curation.all() }),
})

export const curatePack = route({
  method: 'POST',
  path: '/admin/packs',
  auth: admin('root'),
  rateClass: 'admin',
  about: 'Adds a pack to the curated list; its legs never change.',
  body: object({
    name: means(
      line(PACK_LIMITS.curatedNameCharactersMax, 1),
      'Name of the pack; unique in the list.',
    ),
    legs: legsToPrice(PACK_LIMITS.legsMin),
  }),
  status: 201,
  reply: curatedPack(),
  means: 'The pack is on the list.',
  refusalFields: NOT_ELIGIBLE,
  links: {
    read: {
      to: 'GET /parlay/packs/:id',
      about: 'Reads the curated pack.',
      params: { id: '/id' },
    },
    remove: {
      to: 'DELETE /admin/packs/:id',
      about: 'Removes the pack from the list.',
      params: { id: '/id' },
    },
  },
  rejects: [
    'OVERLOADED',
    'VALIDATION',
    'PACK_NOT_ELIGIBLE',
    'CURATED_NAME_TAKEN',
    'CURATED_LIMIT',
    'READ_TIMEOUT',
  ],
  example: {
    body: {
      name: CURATED_EXAMPLE.name,
      legs: [
        { marketSlug: MARKET_EXAMPLE.slug, outcomeIndex: 0 },
        { marketSlug: 'goal-in-extra-time', outcomeIndex: 1 },
      ],
    },
    reply: CURATED_EXAMPLE,
  },
  handle: async ({ body, caller, call }, services: AdminServices) => {
    const { curation } = services
    const issues = tooManyLegs(body.legs)
    if (issues !== null) return ineligible({ issues })
    const legs = await requestedLegs(body.legs, services, publicRequester(call))
    if (legs instanceof Refusal) return legs
    const made = await curation.put({ name: body.name, legs }, caller.operator.name)
    if (made instanceof Reject) return refuse(made)
    return 'issues' in made ? ineligible(made) : curation.view(made)
  },
})

export const removeCuratedPack = route({
  method: 'DELETE',
  path: '/admin/packs/:id',
  auth: admin('root'),
  rateClass: 'admin',
  about: 'Removes a pack from the list; purchases of it are not affected.',
  params: { id: packUuid('Id of a curated pack.') },
  reply: object({ id: packUuid('Id of the removed pack.') }),
  means: 'The pack can no longer be bought.',
  rejects: ['OVERLOADED', 'PACK_NOT_FOUND'],
  example: { params: { id: CURATED_EXAMPLE.id }, reply: { id: CURATED_EXAMPLE.id } },
  handle: async ({ params: { id }, caller }, { curation }: AdminServices) => {
    const refused = await curation.remove(seqOfPackId('curated', id), caller.operator.name)
    return refused === null ? { id: id.toLowerCase() } : refuse(refused)
  },
})

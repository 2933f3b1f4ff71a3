// The collateral with which the house covers packs (rules §8.5).

import { Reject } from '../../../engine/domain/reject-precedence.ts'
import { admin } from '../../http/access/auth-scheme.ts'
import { invalid, refuse } from '../../http/refusal.ts'
import { route } from '../../http/route.ts'
import { means } from '../../http/schema/meaning.ts'
import { integer, nullable } from '../../http/schema/scalars.ts'
import { object, optional } from '../../http/schema/schema.ts'
import type { Services } from '../services.ts'

const house = () =>
  object({
    balanceRaw: means(integer(0), 'Raw collateral that the house may still lose to packs.'),
    parkedRaw: means(integer(0), 'Raw collateral that lies with packs and offers.'),
    packCount: means(integer(0), 'Packs that are not over.'),
    offerCount: means(integer(0), 'Offers that nobody accepted yet.'),
    dayLossRaw: means(
      integer(),
      'What the packs made since 00:00 UTC have cost, and may still cost, raw; below 0 for a gain.',
    ),
    dayBoundRaw: means(integer(), 'What the packs of one UTC day may cost at most, raw.'),
    dayLossMaxRaw: means(
      nullable(integer(0)),
      'That bound as operators set it, raw; null for a tenth of what the house has.',
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
  lane: 'admin',
  about: 'What the house has to cover packs, and what lies with packs.',
  reply: house(),
  means: 'The funds of the house as they stand now.',
  example: { reply: HOUSE_EXAMPLE },
  handle: (_input, { packs }: Services) => packs.house(),
})

export const fundHouse = route({
  method: 'POST',
  path: '/admin/house',
  auth: admin('money'),
  lane: 'admin',
  about: 'Takes collateral of the house in or out, and sets what packs of one day may cost it.',
  body: object({
    collateralRaw: means(
      optional(integer()),
      'Raw collateral to take in, or out when below 0; not 0. One unit is 1,000,000.',
    ),
    dayLossMaxRaw: means(
      optional(nullable(integer(0))),
      'What the packs of one UTC day may cost, raw; 0 for no packs, null for the default.',
    ),
  }),
  reply: house(),
  means: 'The house is changed; the reply shows it after that.',
  rejects: ['OVERLOADED', 'VALIDATION', 'INSUFFICIENT_COLLATERAL', 'BALANCE_LIMIT'],
  example: { body: { collateralRaw: 1_000_000_000 }, reply: HOUSE_EXAMPLE },
  handle: async ({ body, caller }, { packs }: Services) => {
    const { collateralRaw, dayLossMaxRaw } = body
    if (collateralRaw === 0) return invalid({ field: 'collateralRaw', message: 'must not be 0' })
    if (collateralRaw === undefined && dayLossMaxRaw === undefined) {
      return invalid({ field: 'collateralRaw', message: 'or dayLossMaxRaw must be given' })
    }
    const after = await packs.changeHouse(body, caller.operator.name)
    return after instanceof Reject ? refuse(after) : after
  },
})

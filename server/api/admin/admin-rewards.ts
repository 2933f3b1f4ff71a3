// The collateral that pays rewards (rules §11.3).

import { Reject } from '../../../engine/domain/reject-precedence.ts'
import { admin } from '../../auth/auth-scheme.ts'
import { route } from '../../edge/http/route.ts'
import { uint256Text } from '../../edge/http/schema/fields.ts'
import { means } from '../../edge/http/schema/meaning.ts'
import { integer } from '../../edge/http/schema/scalars.ts'
import { object } from '../../edge/http/schema/schema.ts'
import { invalid, refuse } from '../../messages/refusal.ts'
import type { RewardFunds } from '../portfolio/rewards.ts'
import type { AdminServices } from './services.ts'

const funds = () =>
  object({
    balanceRaw: means(integer(0), 'Raw collateral that is there to pay rewards.'),
    owedRewardsRaw: means(uint256Text(), 'Rewards that are earned and not paid yet, raw.'),
    owedRebatesRaw: means(uint256Text(), 'Rebates that are earned and not paid yet, raw.'),
  })

const FUNDS_EXAMPLE = {
  balanceRaw: 1_000_000_000,
  owedRewardsRaw: '34722222',
  owedRebatesRaw: '0',
}

function fundsView({ balanceRaw, owedRewardsRaw, owedRebatesRaw }: RewardFunds) {
  const owed = { owedRewardsRaw: String(owedRewardsRaw), owedRebatesRaw: String(owedRebatesRaw) }
  return { balanceRaw, ...owed }
}

export const showRewards = route({
  method: 'GET',
  path: '/admin/rewards',
  auth: admin('read'),
  rateClass: 'admin',
  about: 'What is there to pay rewards, and what is earned and not paid yet.',
  reply: funds(),
  means: 'Funds and debts as they stand now.',
  example: { reply: FUNDS_EXAMPLE },
  handle: async (_input, { rewards }: AdminServices) => fundsView(await rewards.funds()),
})

export const fundRewards = route({
  method: 'POST',
  path: '/admin/rewards',
  auth: admin('money'),
  rateClass: 'admin',
  about: 'Takes collateral for rewards in (positive) or out (negative).',
  body: object({
    collateralRaw: means(
      integer(),
      'Raw collateral to take in, or out when negative; not 0. 1,000,000 are one unit.',
    ),
  }),
  reply: funds(),
  means: 'The funds are changed; the reply shows them after that.',
  rejects: ['OVERLOADED', 'VALIDATION', 'INSUFFICIENT_COLLATERAL', 'BALANCE_LIMIT'],
  example: { body: { collateralRaw: 1_000_000_000 }, reply: FUNDS_EXAMPLE },
  handle: async ({ body, caller }, { rewards }: AdminServices) => {
    if (body.collateralRaw === 0) {
      return invalid({ field: 'collateralRaw', message: 'must not be 0' })
    }
    const after = await rewards.fund(body.collateralRaw, caller.operator.name)
    return after instanceof Reject ? refuse(after) : fundsView(after)
  },
})

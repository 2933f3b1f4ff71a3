// The collateral that pays rewards (rules §11.3).

import { Reject } from '../../../engine/domain/reject-precedence.ts'
import { admin } from '../../auth/auth-scheme.ts'
import { route } from '../../edge/http/route.ts'
import { uint256Text } from '../../edge/http/schema/fields.ts'
import { integer, means } from '../../edge/http/schema/scalars.ts'
import { object } from '../../edge/http/schema/schema.ts'
import { invalid, refuse } from '../../messages/refusal.ts'
import type { RewardFunds } from '../portfolio/rewards.ts'
import type { AdminServices } from './services.ts'

const funds = () =>
  object({
    balanceRaw: means(integer(0), 'Raw collateral available to pay rewards.'),
    owedRewardsRaw: means(uint256Text(), 'Rewards earned and not yet paid, raw.'),
    owedRebatesRaw: means(uint256Text(), 'Rebates earned and not yet paid, raw.'),
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
  about: 'Returns the reward funds, and the rewards earned and not yet paid.',
  reply: funds(),
  means: 'The current funds and debts.',
  example: { reply: FUNDS_EXAMPLE },
  handle: async (_input, { rewards }: AdminServices) => fundsView(await rewards.funds()),
})

export const fundRewards = route({
  method: 'POST',
  path: '/admin/rewards',
  auth: admin('money'),
  rateClass: 'admin',
  about: 'Deposits (positive) or withdraws (negative) collateral for rewards.',
  body: object({
    collateralRaw: means(
      integer(),
      'Raw collateral to deposit, or to withdraw when negative; not 0. One unit is 1,000,000.',
    ),
  }),
  reply: funds(),
  means: 'The funds are updated; the reply shows their new state.',
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

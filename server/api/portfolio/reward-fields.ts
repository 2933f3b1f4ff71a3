// Rewards and rebates in positions (rules §12.6). An epoch is a UTC day.

import { DAY_MS } from '../../../engine/domain/units.ts'
import type { RewardDay } from '../../../persistence/query/read/portfolio/rewards.ts'
import { uint256Text } from '../../edge/http/schema/fields.ts'
import { means } from '../../edge/http/schema/meaning.ts'
import { boolean, integer, number } from '../../edge/http/schema/scalars.ts'
import { list, object } from '../../edge/http/schema/schema.ts'
import type { Holding } from './portfolio.ts'
import { earns, type ShownRewards } from './rewards.ts'

const epoch = () =>
  object({
    epochId: means(integer(0), 'Number of the UTC day, counted from the start of 1970.'),
    timestamp: means(integer(0), 'When the day began, in Unix milliseconds.'),
    totalRewards: means(uint256Text(), 'Earned by all profiles on that day, raw.'),
    userRewards: means(uint256Text(), 'Earned by the owner on that day, raw.'),
    earnedPercent: means(number(0, 1), "The owner's fraction of the total, 0 to 1."),
  })

const point = () =>
  object({
    timestamp: means(integer(0), 'When the day began, in Unix milliseconds.'),
    userRewards: means(uint256Text(), 'Earned by the owner on that day, raw.'),
    totalRewards: means(uint256Text(), 'Earned by all profiles on that day, raw.'),
  })

/** The owner's rewards in all markets. */
export const allRewards = () =>
  object({
    todaysRewards: means(
      uint256Text(),
      'Earned since midnight UTC: rewards and rebates, raw. A rebate in shares is earned at the ' +
        'payout of its market.',
    ),
    totalUnpaidRewards: means(uint256Text(), 'Earned and not yet paid, raw.'),
    totalUserRewardsLastEpoch: means(uint256Text(), 'Earned on the previous day, raw.'),
    rewardsByEpoch: means(list(epoch()), 'The last 30 days with rewards, newest first.'),
    rewardsChartData: means(list(point()), 'The same days, oldest first.'),
  })

/** The owner's rewards in one market. */
export const marketRewards = () =>
  object({
    epochs: means(list(epoch()), 'The last 7 days with rewards in the market, newest first.'),
    isEarning: means(
      boolean(),
      'Whether a listed order would earn now: large enough, and close enough to the midpoint.',
    ),
  })

function epochView({ day, earnedRaw, totalRaw }: RewardDay) {
  return {
    epochId: day,
    timestamp: day * DAY_MS,
    totalRewards: String(totalRaw),
    userRewards: String(earnedRaw),
    earnedPercent: totalRaw === 0 ? 0 : Math.min(1, earnedRaw / totalRaw),
  }
}

export function allRewardsView({ earnedRaw, paidRaw, days, today }: ShownRewards) {
  const earnedOn = (wanted: number) => days.find(({ day }) => day === wanted)?.earnedRaw ?? 0
  const epochs = days.map(epochView)
  return {
    todaysRewards: String(earnedOn(today)),
    totalUnpaidRewards: String(Math.max(0, earnedRaw - paidRaw)),
    totalUserRewardsLastEpoch: String(earnedOn(today - 1)),
    rewardsByEpoch: epochs,
    rewardsChartData: epochs.toReversed().map(({ timestamp, userRewards, totalRewards }) => {
      return { timestamp, userRewards, totalRewards }
    }),
  }
}

/** The days of each market, by market id. */
export function epochsByMarket({ ofMarkets }: ShownRewards) {
  const epochs = new Map<number, ReturnType<typeof epochView>[]>()
  for (const each of ofMarkets) {
    const known = epochs.get(each.marketId)
    if (known === undefined) epochs.set(each.marketId, [epochView(each)])
    else known.push(epochView(each))
  }
  return epochs
}

export function marketRewardsView(holding: Holding, epochs: ReturnType<typeof epochsByMarket>) {
  return { epochs: epochs.get(holding.market.market.marketId) ?? [], isEarning: earns(holding) }
}

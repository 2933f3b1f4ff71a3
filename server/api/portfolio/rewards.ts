// Rewards that profiles earn with resting orders and fills, and the collateral that pays them
// (rules §3.2, §11.3).

import { decideFunding } from '../../../engine/core/decide/money/rewards.ts'
import { isEarning, spreadHalfTicks } from '../../../engine/core/rewards/scores.ts'
import { type ProfileId, REWARDS_ACCOUNT } from '../../../engine/domain/ids.ts'
import { takesOrders } from '../../../engine/domain/markets/market.ts'
import { ladderTicks } from '../../../engine/domain/order.ts'
import type { Reject } from '../../../engine/domain/reject-precedence.ts'
import { dayOf } from '../../../engine/domain/rewards/reward-time.ts'
import { DAY_MS } from '../../../engine/domain/units.ts'
import {
  type RewardDay,
  type RewardsFound,
  rewards as rewardsOf,
} from '../../../persistence/query/read/portfolio/rewards.ts'
import { uint256Text } from '../../edge/http/schema/fields.ts'
import { boolean, integer, means, number } from '../../edge/http/schema/scalars.ts'
import { list, object } from '../../edge/http/schema/schema.ts'
import type { Pipeline } from '../../exchange/pipeline.ts'
import { adjustedMidTicks } from '../../exchange/read-model/book-views.ts'
import type { PrivateReads, Requester } from '../reads/private-reads.ts'
import type { Holding } from './portfolio.ts'

export interface RewardFunds {
  /** The balance of the rewards account. */
  readonly balanceRaw: number
  /** Earned and not yet paid. */
  readonly owedRewardsRaw: bigint
  readonly owedRebatesRaw: bigint
}

/** The earnings of a profile, and the current day. */
export interface ShownRewards extends RewardsFound {
  readonly today: number
}

export class RewardViews {
  readonly #pipeline: Pipeline
  readonly #reads: PrivateReads

  constructor(pipeline: Pipeline, reads: PrivateReads) {
    this.#pipeline = pipeline
    this.#reads = reads
  }

  /** Undefined on a read timeout. */
  async of(
    accountId: ProfileId,
    holdings: readonly Holding[],
    requester: Requester,
  ): Promise<ShownRewards | undefined> {
    const marketIds = holdings.map(({ market }) => market.market.marketId)
    const today = dayOf(this.#pipeline.sequencer.nowMs())
    const found = await this.#reads.read(rewardsOf, { accountId, marketIds, today }, requester)
    return found === undefined ? undefined : { ...found, today }
  }

  async funds(): Promise<RewardFunds> {
    const funds = this.#now()
    await this.#pipeline.durable()
    return funds
  }

  /** Deposits (positive) or withdraws (negative) collateral. Returns the funds after it. */
  async fund(collateralRaw: number, by: string): Promise<RewardFunds | Reject> {
    const { clearing } = this.#pipeline
    const changing = this.#pipeline.change(() => {
      const reject = decideFunding(clearing, REWARDS_ACCOUNT, collateralRaw)
      return reject ?? { kind: 'fundRewards', collateralRaw }
    }, by)
    // Read before the wait: later commands may not be durable.
    const funds = this.#now()
    return (await changing) ?? funds
  }

  #now(): RewardFunds {
    const { ledger, rewards } = this.#pipeline.clearing
    const [today, due] = [rewards.today.totals, rewards.due.totals]
    return {
      balanceRaw: ledger.freeRaw(REWARDS_ACCOUNT),
      owedRewardsRaw: today.rewardsRaw + due.rewardsRaw,
      owedRebatesRaw: today.rebatesRaw + due.rebatesRaw,
    }
  }
}

/** Whether one of these orders would earn if the books were sampled now. */
function earns({ market: published, orders }: Holding): boolean {
  const { minSizeRaw, maxSpread, dailyRewardRaw = 0 } = published.market
  if (dailyRewardRaw === 0 || orders.length === 0 || !takesOrders(published.status)) return false
  const spread = spreadHalfTicks(maxSpread)
  const midHalfTicks = 2 * adjustedMidTicks(published)
  const terms = { minSizeRaw, spreadHalfTicks: spread, midHalfTicks }
  return orders.some(({ outcome, priceTicks, remainingRaw, eligibleMs }) => {
    const yesTicks = ladderTicks(outcome, priceTicks)
    return eligibleMs === null && isEarning({ yesTicks, leftRaw: remainingRaw }, terms)
  })
}

// Rewards and rebates in positions (rules §12.6). An epoch is a UTC day.

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

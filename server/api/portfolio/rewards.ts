// Rewards that profiles earn with resting orders and fills, and the collateral that pays them
// (rules §3.2, §11.3).

import { decideFunding } from '../../../engine/core/decide/money/rewards.ts'
import { isEarning, spreadHalfTicks } from '../../../engine/core/rewards/scores.ts'
import { type ProfileId, REWARDS_ACCOUNT } from '../../../engine/domain/ids.ts'
import { takesOrders } from '../../../engine/domain/markets/market.ts'
import { ladderTicks } from '../../../engine/domain/order.ts'
import type { Reject } from '../../../engine/domain/reject-precedence.ts'
import { dayOf } from '../../../engine/domain/rewards/reward-time.ts'
import {
  type RewardsFound,
  rewards as rewardsOf,
} from '../../../persistence/query/read/portfolio/rewards.ts'
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
export function earns({ market: published, orders }: Holding): boolean {
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

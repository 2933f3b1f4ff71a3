import type { AccountId, MarketId } from '../../../../engine/domain/ids.ts'
import { REWARD_LIMITS } from '../../../../engine/domain/rewards/reward-limits.ts'
import { EVERYONE, EVERYWHERE } from '../../../follower/tables/accounts/rewards.ts'
import { query } from '../query.ts'

// A profile's earnings from rewards and rebates, by day: of all markets, and of some markets.

const { shownDaysMax, shownDaysOfMarketMax } = REWARD_LIMITS
const DAYS = `
SELECT mine.day, mine.market_id AS marketId, mine.earned_raw AS earnedRaw,
  everyones.earned_raw AS totalRaw
FROM reward_days AS mine JOIN reward_days AS everyones
  ON everyones.owner = ${EVERYONE} AND everyones.market_id = mine.market_id
  AND everyones.day = mine.day
WHERE mine.owner = ? AND mine.market_id = ? AND mine.day > ? ORDER BY mine.day DESC`
const TOTAL =
  'SELECT earned_raw AS earnedRaw, paid_raw AS paidRaw FROM reward_totals WHERE owner = ?'

export interface RewardDay {
  readonly day: number
  readonly marketId: MarketId
  readonly earnedRaw: number
  /** The earnings of all profiles. */
  readonly totalRaw: number
}

export interface RewardsParams {
  readonly accountId: AccountId
  readonly marketIds: readonly MarketId[]
  /** The current day. */
  readonly today: number
}

export interface RewardsFound {
  /** Since the profile was created. */
  readonly earnedRaw: number
  readonly paidRaw: number
  /** Newest first. */
  readonly days: readonly RewardDay[]
  /** Per market, newest first. */
  readonly ofMarkets: readonly RewardDay[]
}

/** A profile without earnings costs one lookup. */
export const rewards = query({
  name: 'rewards',
  prepare: (db) => ({
    days: db.prepare<[AccountId, MarketId, afterDay: number], RewardDay>(DAYS),
    total: db.prepare<[AccountId], { earnedRaw: number; paidRaw: number }>(TOTAL),
  }),
  run: ({ days, total }, { accountId, marketIds, today }: RewardsParams): RewardsFound => {
    const sums = total.get(accountId)
    if (sums === undefined) return { earnedRaw: 0, paidRaw: 0, days: [], ofMarkets: [] }
    return {
      ...sums,
      days: days.all(accountId, EVERYWHERE, today - shownDaysMax),
      ofMarkets: marketIds.flatMap((marketId) => {
        return days.all(accountId, marketId, today - shownDaysOfMarketMax)
      }),
    }
  },
})

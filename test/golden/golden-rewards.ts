import {
  creditedShares,
  decideFunding,
  rewardPayments,
} from '../../engine/core/decide/money/rewards.ts'
import { REWARDS_ACCOUNT } from '../../engine/domain/ids.ts'
import { kindOf } from '../../engine/domain/markets/market.ts'
import type {
  Credit,
  ReferralCredit,
  ShareCredit,
} from '../../engine/domain/rewards/reward-command.ts'
import { dayOfMinute } from '../../engine/domain/rewards/reward-time.ts'
import { olderMerges } from '../support/fee-merges.ts'
import { type GoldenCast, MINUTE_MS } from './golden-cast.ts'

const REWARD_RAW = 10 ** 6
/** Minutes from one sample to the next: some days end in a recording. */
const STEP_MINUTES = 400

/** Samples, credits and payments of rewards, rebates and referrals, in a golden flow. */
export class GoldenRewards {
  readonly #cast: GoldenCast

  constructor(cast: GoldenCast) {
    this.#cast = cast
  }

  readonly steps: readonly (() => void)[] = [
    () => this.#sample(),
    () => this.#sample(),
    () => this.#sample(),
    () => this.#fund(),
  ]

  #sample(): void {
    const { driver, random } = this.#cast
    const { rewards } = driver.clearing
    const first = Math.floor(driver.nowMs / MINUTE_MS)
    const minute = Math.max(rewards.minute, first) + random.between(1, STEP_MINUTES)
    const referralBps = random.pick([undefined, 0, 1000])
    driver.control({
      kind: 'rewardMinute',
      minute,
      ...(referralBps === undefined ? {} : { referralBps }),
    })
    const rows = Array.from({ length: random.below(6) }, (): Credit => {
      return [this.#cast.trader(), 1, random.below(REWARD_RAW), random.below(REWARD_RAW)]
    })
    const earned = random.below(REWARD_RAW)
    const referrals: ReferralCredit[] = [[random.between(1, 2), random.between(6, 7), earned]]
    const credit = { kind: 'creditRewards', minute } as const
    driver.control({ ...credit, part: 0, isLast: false, rows })
    const { rows: worth, shares } = creditedShares(driver.clearing, this.#parts())
    driver.control({
      ...credit,
      part: 1,
      isLast: true,
      rows: worth,
      ...(random.chance(0.5) ? { referrals } : {}),
      ...(shares.length > 0 ? { shares } : {}),
    })
    const day = dayOfMinute(minute) - 1
    if (rewards.hasDue(day)) this.#pay(day)
  }

  /** Parts in shares of markets with and without a payout, of makers and of those who refer. */
  #parts(): ShareCredit[] {
    const { driver, random } = this.#cast
    const markets = driver.clearing.catalogue.all().filter((each) => kindOf(each) !== 'group')
    return Array.from({ length: random.below(5) }, (): ShareCredit => {
      const { marketId } = random.pick(markets)
      const referred = random.pick([0, 6])
      return [
        this.#cast.trader(),
        marketId,
        random.below(2),
        1000 + random.below(REWARD_RAW),
        referred,
      ]
    })
  }

  /** Pays what was earned before, as far as there are funds. */
  #pay(day: number): void {
    const { driver } = this.#cast
    const { clearing } = driver
    const { due } = clearing.rewards
    const pay = { kind: 'payRewards', day } as const
    driver.control({ ...pay, isLast: false, merges: [], rows: [] })
    driver.control({ ...pay, isLast: false, merges: olderMerges(clearing), rows: [] })
    const left = { ...due.totals }
    const accounts = due.accounts()
    while (accounts.length > 0) {
      const rows = rewardPayments(clearing, left, accounts.splice(0, 3))
      driver.control({ ...pay, isLast: accounts.length === 0, merges: [], rows })
    }
  }

  #fund(): void {
    const { driver, random } = this.#cast
    const amountRaw = random.between(1, 50 * REWARD_RAW)
    const collateralRaw = random.chance(0.3) ? -amountRaw : amountRaw
    if (decideFunding(driver.clearing, REWARDS_ACCOUNT, collateralRaw) !== null) return
    driver.control({ kind: 'fundRewards', collateralRaw })
  }
}

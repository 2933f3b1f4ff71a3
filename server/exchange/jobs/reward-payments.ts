// Pays the rewards of a day once the day is over (rules §3.2, §11.3). Rewards are paid from the
// rewards account, which operators fund. Rebates and referral shares are paid from the fees. Each
// was part of a fee in collateral, or of fee shares that the payout of their market redeems, so no
// unredeemed fee is touched. What a system account cannot pay is distributed pro rata, and the rest
// waits for the next day. Main's thread owns it.

import type { Clearing } from '../../../engine/core/clearing.ts'
import { type Owed, rewardPayments } from '../../../engine/core/decide/money/rewards.ts'
import type { AccountId } from '../../../engine/domain/ids.ts'
import type { RewardBody } from '../../../engine/domain/rewards/reward-command.ts'
import { REWARD_LIMITS } from '../../../engine/domain/rewards/reward-limits.ts'
import { dayOf } from '../../../engine/domain/rewards/reward-time.ts'
import { DAY_MS, type TimeMs } from '../../../engine/domain/units.ts'
import { faultPoint } from '../../../engine/thread/fault-point.ts'
import type { Sequencer } from '../sequencer/sequencer.ts'

const { nextPartMs, paymentRowsMax } = REWARD_LIMITS
const NEVER: TimeMs = Number.POSITIVE_INFINITY

/** The payments of one day, under way. */
interface Round extends Owed {
  readonly day: number
  /** Accounts that are owed something and are not processed yet. */
  readonly accounts: AccountId[]
}

export class RewardPayments {
  readonly #clearing: Clearing
  readonly #sequencer: Sequencer
  #round: Round | null = null
  #lookedMs: TimeMs = 0

  constructor(parts: { clearing: Clearing; sequencer: Sequencer }) {
    this.#clearing = parts.clearing
    this.#sequencer = parts.sequencer
  }

  /** The next time when `tick` has something to do; Infinity for nothing. Reads no clock. */
  get nextDueMs(): TimeMs {
    const { open, due, today, day, paidDay } = this.#clearing.rewards
    if (this.#round !== null) return this.#lookedMs + nextPartMs
    // The last sample of a day belongs to it.
    if (open !== null) return NEVER
    const endedMs = today.size === 0 ? NEVER : (Math.max(day, paidDay + 1) + 1) * DAY_MS
    // What could not be paid waits for the end of the next day.
    const carriedMs = due.size === 0 ? NEVER : (paidDay + 2) * DAY_MS
    return Math.max(Math.min(endedMs, carriedMs), this.#lookedMs + nextPartMs)
  }

  tick(): void {
    const nowMs = this.#sequencer.nowMs()
    if (nowMs < this.nextDueMs) return
    this.#lookedMs = nowMs
    faultPoint('mid-rewards')
    const day = dayOf(nowMs) - 1
    // Another day has ended. Its earnings come due, and the sums of this round exclude them. The
    // rest of this round is paid with that day.
    if (this.#round !== null && this.#round.day < day) this.#round = null
    if (this.#round === null && this.#clearing.rewards.hasDue(day)) this.#begin(day)
    else if (this.#round !== null) this.#goOn(this.#round)
  }

  /** The first command of a day only ends it and makes its earnings due. */
  #begin(day: number): void {
    if (!this.#stamp({ day, isLast: false, rows: [] })) return
    const { due } = this.#clearing.rewards
    const { rewardsRaw, rebatesRaw } = due.totals
    this.#round = { day, accounts: due.accounts(), rewardsRaw, rebatesRaw }
  }

  #goOn(round: Round): void {
    const { day, accounts } = round
    const rows = rewardPayments(this.#clearing, round, accounts.splice(0, paymentRowsMax))
    const isLast = accounts.length === 0
    if (this.#stamp({ day, isLast, rows }) && isLast) this.#round = null
  }

  /** Rows that a full ring kept out are recomputed from the state later. */
  #stamp(
    payment: Pick<Extract<RewardBody, { kind: 'payRewards' }>, 'day' | 'isLast' | 'rows'>,
  ): boolean {
    const { reject } = this.#sequencer.change(() => {
      return { kind: 'payRewards', merges: [], ...payment }
    })
    if (reject !== null) this.#round = null
    return reject === null
  }
}

// Samples the books for rewards and credits the scores of a sample (rules §11.3). Main draws an
// instant of each minute and journals it; the follower scores the books as of that command; main
// journals the amounts, part by part. Main's thread owns it.
//
// A new instant is drawn for each minute and is unpredictable: an order placed only for the sample
// must rest the whole minute to be in it. A minute that passes while the exchange is down, or while
// the previous sample is not credited, pays nothing.

import { randomInt } from 'node:crypto'
import type { Clearing } from '../../../engine/core/clearing.ts'
import { creditedShares } from '../../../engine/core/decide/money/rewards.ts'
import { isRewarding } from '../../../engine/core/rewards/samples.ts'
import { assert } from '../../../engine/domain/assert.ts'
import { REWARDS_ACCOUNT } from '../../../engine/domain/ids.ts'
import type {
  Credit,
  ReferralCredit,
  ShareCredit,
} from '../../../engine/domain/rewards/reward-command.ts'
import { REWARD_LIMITS } from '../../../engine/domain/rewards/reward-limits.ts'
import { MINUTE_MS, minuteOf } from '../../../engine/domain/rewards/reward-time.ts'
import type { CollateralRaw, FeeBps, TimeMs } from '../../../engine/domain/units.ts'
import { faultPoint } from '../../../engine/thread/fault-point.ts'
import type { ScoredMinute } from '../../../persistence/follower/follower-handle.ts'
import type { Sequencer } from '../sequencer/sequencer.ts'
import { RewardPayments } from './reward-payments.ts'

/** Account, market, reward and rebate. */
const COLUMNS = 4
/** Referrer, referred and amount. */
const REFERRAL_COLUMNS = 3
/** Account, market, outcome, shares and referred. */
const SHARE_COLUMNS = 5
const { creditRowsMax, nextPartMs } = REWARD_LIMITS
const NEVER: TimeMs = Number.POSITIVE_INFINITY

export interface RewardParts {
  readonly clearing: Clearing
  readonly sequencer: Sequencer
  /** The share of fees paid to the referrers of takers; absent for none. */
  readonly referralBps?: FeeBps
  /** Draws the instant of a sample: an integer in [0, `belowMs`); random when absent. */
  readonly drawMs?: (belowMs: number) => number
}

export class RewardMinutes {
  readonly #clearing: Clearing
  readonly #sequencer: Sequencer
  readonly #drawMs: (belowMs: number) => number
  readonly #referralBps: FeeBps
  readonly #payments: RewardPayments
  /** The scores that are being credited. */
  #scored: ScoredMinute | null = null
  #creditedMs: TimeMs = 0
  /** The instant of the next sample; 0 when none is drawn. */
  #sampleMs: TimeMs = 0
  /** The newest minute that was handled, sampled or not. */
  #lookedMinute = 0

  constructor(parts: RewardParts) {
    this.#clearing = parts.clearing
    this.#sequencer = parts.sequencer
    this.#referralBps = parts.referralBps ?? 0
    this.#drawMs = parts.drawMs ?? ((belowMs) => randomInt(belowMs))
    this.#payments = new RewardPayments(parts)
  }

  /** The funds available for rewards. */
  get fundedRaw(): CollateralRaw {
    return this.#clearing.ledger.freeRaw(REWARDS_ACCOUNT)
  }

  /** Rewards that are earned and not paid; an approximate figure. */
  get owedRaw(): number {
    const { today, due } = this.#clearing.rewards
    return Number(today.totals.rewardsRaw + due.totals.rewardsRaw)
  }

  /**
   * Passes the scores of a sample from the follower. A minute that is already credited may arrive
   * again; returns true when it is new.
   */
  scored(scored: ScoredMinute): boolean {
    const isOpen = this.#clearing.rewards.open?.minute === scored.minute
    if (isOpen) this.#scored = scored
    return isOpen
  }

  /** The next time when `tick` has something to do; Infinity for nothing. */
  get nextDueMs(): TimeMs {
    const mineMs = this.#scored === null ? this.#nextSampleMs : this.#creditedMs + nextPartMs
    return Math.min(mineMs, this.#payments.nextDueMs)
  }

  get #nextSampleMs(): TimeMs {
    const { rewards, catalogue } = this.#clearing
    const isIdle = catalogue.rewarded.size === 0 && !this.#owesReferrals
    if (rewards.open !== null || isIdle) return NEVER
    if (this.#sampleMs === 0) this.#draw()
    return this.#sampleMs
  }

  /** Whether the rate changed, or new blocks have trades with referral fees. */
  get #owesReferrals(): boolean {
    const { rewards, blocks } = this.#clearing
    if (rewards.referralBps !== this.#referralBps) return true
    return rewards.referralBps > 0 && rewards.isBehind(blocks)
  }

  /** Draws an instant of this minute if it is not handled yet, otherwise of the next one. */
  #draw(): void {
    const nowMs = this.#sequencer.nowMs()
    const done = Math.max(this.#clearing.rewards.minute, this.#lookedMinute)
    const fromMs = Math.max(nowMs, (done + 1) * MINUTE_MS)
    const endMs = (minuteOf(fromMs) + 1) * MINUTE_MS
    this.#sampleMs = fromMs + this.#drawMs(endMs - fromMs)
  }

  tick(): void {
    const nowMs = this.#sequencer.nowMs()
    if (this.#scored !== null) this.#credit(this.#scored, nowMs)
    else if (nowMs >= this.#nextSampleMs) this.#sample(nowMs)
    this.#payments.tick()
  }

  /** Credits the next part of the open sample, and samples nothing. */
  goOn(): void {
    if (this.#scored !== null) this.#credit(this.#scored, this.#sequencer.nowMs())
  }

  #sample(nowMs: TimeMs): void {
    const minute = minuteOf(nowMs)
    const isInTime = minute === minuteOf(this.#sampleMs)
    this.#sampleMs = 0
    if (!isInTime) return
    const { rewards, catalogue } = this.#clearing
    const ofMarkets = [...catalogue.rewarded].some((market) => {
      return isRewarding(market) || rewards.owesParts(market)
    })
    if (ofMarkets || this.#owesReferrals) {
      const referralBps = this.#referralBps
      const rate = referralBps === 0 ? {} : { referralBps }
      const { reject } = this.#sequencer.change(() => ({ kind: 'rewardMinute', minute, ...rate }))
      faultPoint('mid-rewards')
      // A full ring only delays the sample.
      if (reject !== null) {
        this.#sampleMs = nowMs + nextPartMs
        return
      }
    }
    this.#lookedMinute = minute
  }

  /** Journals the next part that is not credited. */
  #credit(scored: ScoredMinute, nowMs: TimeMs): void {
    if (nowMs < this.#creditedMs + nextPartMs) return
    this.#creditedMs = nowMs
    const { minute } = scored
    const { open } = this.#clearing.rewards
    assert(open !== null && open.minute === minute, 'only the open sample is credited')
    const part = open.parts
    const { isLast, ...scores } = scoresOf(scored, part)
    const { reject } = this.#sequencer.change(() => {
      const found = creditedShares(this.#clearing, scores.shares)
      const referrals = [...scores.referrals, ...found.referrals]
      return {
        kind: 'creditRewards',
        minute,
        part,
        isLast,
        rows: [...scores.rows, ...found.rows],
        ...(referrals.length === 0 ? {} : { referrals }),
        ...(found.shares.length === 0 ? {} : { shares: found.shares }),
      }
    })
    faultPoint('mid-rewards')
    if (reject === null && isLast) this.#scored = null
  }
}

/** Rows `from` to `to` of a flat array with this many columns. */
function rowsOf(all: Float64Array, columns: number, from: number, to: number): number[][] {
  const rows: number[][] = []
  for (let row = Math.max(0, from); row < Math.min(to, all.length / columns); row++) {
    rows.push([...all.subarray(row * columns, (row + 1) * columns)])
  }
  return rows
}

/** One part of the result of a sample: first its rows, then its referrals, then parts in shares. */
function scoresOf({ rows, referrals, shares }: ScoredMinute, part: number) {
  const from = part * creditRowsMax
  const to = from + creditRowsMax
  const credits = rows.length / COLUMNS
  const inCollateral = credits + referrals.length / REFERRAL_COLUMNS
  return {
    isLast: to >= inCollateral + shares.length / SHARE_COLUMNS,
    rows: rowsOf(rows, COLUMNS, from, to).map(([account, market, reward, rebate]): Credit => {
      return [account, market, reward, rebate]
    }),
    referrals: rowsOf(referrals, REFERRAL_COLUMNS, from - credits, to - credits).map(
      ([referrer, referred, earned]): ReferralCredit => [referrer, referred, earned],
    ),
    shares: rowsOf(shares, SHARE_COLUMNS, from - inCollateral, to - inCollateral).map(
      ([account, market, outcome, sharesRaw, referred]): ShareCredit => {
        return [account, market, outcome, sharesRaw, referred]
      },
    ),
  }
}

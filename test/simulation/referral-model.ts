// Models what those earn who referred takers, by commands alone (rules §3.2): a part of the fee of
// each mined trade, once, at the rate that was said before its block, paid when its day is over.

import assert from 'node:assert/strict'
import { type FeeOfTrade, referralRaw } from '../../engine/core/rewards/rebates.ts'
import type { Command } from '../../engine/domain/command.ts'
import { FEE_ACCOUNT } from '../../engine/domain/ids.ts'
import { REWARD_LIMITS } from '../../engine/domain/rewards/reward-limits.ts'
import { dayOfMinute } from '../../engine/domain/rewards/reward-time.ts'
import type { ScoredMinute } from '../../persistence/follower/follower-handle.ts'
import type { SlowExchange } from '../support/slow-book.ts'

type Of<Kind extends Command['kind']> = Extract<Command, { kind: Kind }>

/** A mined trade as the read tables would show it. */
export interface MinedFee extends FeeOfTrade {
  readonly takerId: number
}

interface Sample {
  readonly seq: number
  readonly minute: number
  readonly rateBps: number
  readonly fees: readonly MinedFee[]
  readonly parts: number
}

/** What one is owed for one day. */
interface Debt {
  readonly account: number
  readonly day: number
  readonly owed: bigint
}

const { creditRowsMax } = REWARD_LIMITS

/** The worth of a fee in collateral. */
function worthOf({ takerBuys, sharesRaw, collateralRaw, feeRaw }: MinedFee): bigint {
  const fee = BigInt(feeRaw)
  return takerBuys ? (fee * BigInt(collateralRaw)) / BigInt(sharesRaw) : fee
}

/** No value of it is changed in place. */
interface State {
  /** Who referred whom. */
  readonly referrers: ReadonlyMap<number, number>
  /** Mined, and in no sample yet. */
  readonly mined: readonly MinedFee[]
  readonly sample: Sample | null
  readonly rateBps: number
  readonly debts: readonly Debt[]
  readonly paidDay: number
  /** The worth of all fees that were sampled, less all that was earned of it. */
  readonly kept: bigint
}

const NOTHING: State = {
  ...{ referrers: new Map(), mined: [], sample: null, rateBps: 0 },
  ...{ debts: [], paidDay: 0, kept: 0n },
}

interface Admitted {
  /** The fees of the trades that this command put into a block. */
  readonly mined: readonly MinedFee[]
  readonly isReplayed: boolean
}

export class ReferralModel {
  #state = NOTHING
  /** The accounts and markets whose money the last command moved. */
  touched: readonly (readonly [account: number, marketId: number])[] = []
  /** What the last command did, in words, for those who count. */
  plays: readonly string[] = []

  copy(): ReferralModel {
    const twin = new ReferralModel()
    twin.#state = this.#state
    return twin
  }

  /** What an account is owed for all days. */
  owedTo(account: number): bigint {
    const own = this.#state.debts.filter((debt) => debt.account === account)
    return own.reduce((sum, { owed }) => sum + owed, 0n)
  }

  /** The seq of the sample that is not credited; 0 for none. */
  get openSeq(): number {
    return this.#state.sample?.seq ?? 0
  }

  /** What the follower would say of the open sample. */
  scored(): ScoredMinute {
    const { sample, referrers } = this.#state
    assert(sample !== null, 'only an open sample is scored')
    const sums = new Map<number, number>()
    for (const fee of sample.fees) {
      if (!referrers.has(fee.takerId)) continue
      const earnedRaw = referralRaw(fee, sample.rateBps)
      if (earnedRaw > 0) sums.set(fee.takerId, (sums.get(fee.takerId) ?? 0) + earnedRaw)
    }
    const sorted = [...sums].sort(([a], [b]) => a - b)
    const rows = sorted.flatMap(([id, earnedRaw]) => [referrers.get(id) ?? 0, id, earnedRaw])
    const { minute } = sample
    return { minute, rows: new Float64Array(), referrals: Float64Array.from(rows) }
  }

  admit(command: Command, slow: SlowExchange, { mined, isReplayed }: Admitted): void {
    this.touched = []
    this.plays = []
    if (mined.length > 0) this.#set({ mined: [...this.#state.mined, ...mined] })
    switch (command.kind) {
      case 'createProfile':
        this.#create(command)
        return
      case 'rewardMinute':
        this.#open(command)
        return
      case 'creditRewards':
        this.#credit(command)
        return
      case 'payRewards':
        for (const merge of command.merges) this.#merge(merge, slow)
        this.#pay(command, slow, isReplayed)
    }
  }

  #set(change: Partial<State>): void {
    this.#state = { ...this.#state, ...change }
  }

  #create({ profileId, referredBy }: Of<'createProfile'>): void {
    if (referredBy === undefined) return
    assert(referredBy < profileId, 'one that refers has a profile')
    this.#set({ referrers: new Map([...this.#state.referrers, [profileId, referredBy]]) })
  }

  #open({ seq, minute, referralBps = 0 }: Of<'rewardMinute'>): void {
    const { sample, mined: fees, rateBps, kept } = this.#state
    assert.equal(sample, null, 'a sample is credited before the next')
    if (referralBps !== rateBps) this.plays = ['another rate of referrals']
    this.#set({
      sample: { seq, minute, rateBps, fees, parts: 0 },
      mined: [],
      rateBps: referralBps,
      kept: fees.reduce((sum, fee) => sum + worthOf(fee), kept),
    })
  }

  /** Who earned what by each of those whom he referred, by the number of the latter. */
  #earnedOf({ fees, rateBps }: Sample): (readonly [number, number, number])[] {
    const { referrers } = this.#state
    return [...referrers]
      .sort(([a], [b]) => a - b)
      .map(([referred, referrer]) => {
        const own = fees.filter(({ takerId }) => takerId === referred)
        const parts = own.map((fee) => (worthOf(fee) * BigInt(rateBps)) / 10_000n)
        return [referrer, referred, Number(parts.reduce((sum, part) => sum + part, 0n))] as const
      })
      .filter(([, , earnedRaw]) => earnedRaw > 0)
  }

  #credit({ minute, part, isLast, rows, referrals = [] }: Of<'creditRewards'>): void {
    const { sample, debts, kept } = this.#state
    assert(sample !== null && sample.minute === minute, 'only an open sample is credited')
    assert.equal(part, sample.parts, 'the parts of a sample come in turn')
    const all = this.#earnedOf(sample)
    const due = all.slice(part * creditRowsMax, (part + 1) * creditRowsMax)
    assert.deepEqual(referrals, due, 'what each earns by those whom he referred')
    assert.deepEqual(rows, [], 'nobody scores the orders of a sample here')
    assert.equal(isLast, (part + 1) * creditRowsMax >= all.length, 'which part is the last')
    const day = dayOfMinute(minute)
    const more = due.map(([account, , raw]) => ({ account, day, owed: BigInt(raw) }))
    const left = more.reduce((sum, { owed }) => sum - owed, kept)
    assert(left >= 0n, 'no more is earned than the fees are worth')
    if (more.length > 0) this.plays = ['referral credited']
    this.#set({
      sample: isLast ? null : { ...sample, parts: part + 1 },
      debts: [...debts, ...more],
      kept: left,
    })
  }

  #merge([marketId, amountRaw]: readonly [number, number], slow: SlowExchange): void {
    const amount = BigInt(amountRaw)
    for (const token of ['yes', 'no'] as const) {
      const purse = slow.shares(FEE_ACCOUNT, marketId, token)
      purse.free -= amount
      assert(amount > 0n && purse.free >= 0n, 'fees are merged in pairs')
    }
    slow.moveInside(marketId, -amount)
    slow.cash(FEE_ACCOUNT).free += amount
    this.touched = [...this.touched, [FEE_ACCOUNT, marketId]]
    this.plays = ['fees merged for referrals']
  }

  #pay({ day, isLast, rows }: Of<'payRewards'>, slow: SlowExchange, isReplayed: boolean): void {
    assert(day > this.#state.paidDay, 'a day is paid once')
    const fees = slow.cash(FEE_ACCOUNT)
    for (const [account, rewardRaw, rebateRaw] of rows) {
      assert.equal(rewardRaw, 0, 'nobody earned for his orders here')
      assert(rebateRaw > 0, 'nothing is not paid')
      this.#payOne(account, { day, amount: BigInt(rebateRaw) })
      slow.cash(account).free += BigInt(rebateRaw)
      fees.free -= BigInt(rebateRaw)
      assert(fees.free >= 0n, 'referrals are paid out of the fees')
      this.touched = [...this.touched, [account, 0], [FEE_ACCOUNT, 0]]
      this.plays = [...this.plays, 'referral paid']
    }
    if (!isLast) return
    const left = this.#state.debts.filter((debt) => debt.day <= day)
    // What the fees do not cover is shared out to the last unit of each. A replay hears each market
    // at once: it may have fees that main did not know of yet when it paid.
    const isShort = isReplayed || fees.free < BigInt(rows.length + 1)
    assert(left.length === 0 || isShort, 'a day is paid whole')
    this.#set({ paidDay: day })
  }

  /** Takes it from what is owed for the oldest days. */
  #payOne(account: number, { day, amount }: { readonly day: number; amount: bigint }): void {
    let left = amount
    const debts = this.#state.debts.map((debt) => {
      if (debt.account !== account || debt.day > day) return debt
      const isWhole = debt.owed <= left
      const part = isWhole ? debt.owed : left
      left -= part
      return { ...debt, owed: debt.owed - part }
    })
    assert.equal(left, 0n, 'nobody is paid more than he earned up to the day')
    this.#set({ debts: debts.filter(({ owed }) => owed > 0n) })
  }
}

// Models what those earn who referred takers, by commands alone (rules §3.2): a part of the fee of
// each mined trade, once, at the rate that was set before its block, paid when its day is over. A
// part in shares waits for the payout of its market.

import assert from 'node:assert/strict'
import type { Command } from '../../engine/domain/command.ts'
import { FEE_ACCOUNT } from '../../engine/domain/ids.ts'
import type { ShareCredit } from '../../engine/domain/rewards/reward-command.ts'
import { REWARD_LIMITS } from '../../engine/domain/rewards/reward-limits.ts'
import { dayOf, dayOfMinute } from '../../engine/domain/rewards/reward-time.ts'
import type { ScoredMinute } from '../../persistence/follower/follower-handle.ts'
import type { SlowExchange } from '../support/reference-book.ts'

type Of<Kind extends Command['kind']> = Extract<Command, { kind: Kind }>

/** The fee of a mined trade: shares of an outcome, or collateral when the outcome is null. */
export interface MinedFee {
  readonly takerId: number
  readonly marketId: number
  readonly outcome: number | null
  readonly feeRaw: number
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

/** Shares that wait for the payout of their market. */
interface Waiting {
  readonly account: number
  readonly marketId: number
  readonly outcome: number
  readonly shares: bigint
}

/** A part of the fees of a sample. */
interface Part extends Waiting {
  readonly referred: number
  readonly isShares: boolean
}

const { creditRowsMax, shareRowRawMin } = REWARD_LIMITS

/** No value of it is changed in place. */
interface State {
  /** Who referred whom. */
  readonly referrers: ReadonlyMap<number, number>
  /** Mined, and in no sample yet. */
  readonly mined: readonly MinedFee[]
  readonly sample: Sample | null
  readonly rateBps: number
  readonly debts: readonly Debt[]
  readonly waiting: readonly Waiting[]
  /** The payouts that are posted. */
  readonly paidOut: ReadonlyMap<number, readonly [number, number]>
  readonly paidDay: number
  /** The newest day in which something was earned: a late sample of a day before counts for it. */
  readonly day: number
  /** All fees that were sampled, less all parts of them: of collateral, and of each share. */
  readonly kept: ReadonlyMap<string, bigint>
}

const NOTHING: State = {
  referrers: new Map(),
  mined: [],
  sample: null,
  rateBps: 0,
  debts: [],
  waiting: [],
  paidOut: new Map(),
  paidDay: 0,
  day: 0,
  kept: new Map(),
}

interface Admitted {
  /** The fees of the trades that this command put into a block. */
  readonly mined: readonly MinedFee[]
  readonly isReplayed: boolean
  readonly payoutOf: (marketId: number) => readonly [number, number] | null
}

const unitOf = (marketId: number, outcome: number | null) =>
  outcome === null ? 'collateral' : `${marketId} ${outcome}`

/** What shares of one outcome pay. */
function worthOf(payout: readonly [number, number], outcome: number, shares: bigint): bigint {
  return (shares * BigInt(payout[outcome])) / BigInt(payout[0] + payout[1])
}

export class ReferralModel {
  #state = NOTHING
  /** The accounts and markets whose money the last command moved. */
  touched: readonly (readonly [account: number, marketId: number])[] = []
  /** What the last command did, in words, for those who count. */
  plays: readonly string[] = []

  copy(): ReferralModel {
    const model = new ReferralModel()
    model.#state = this.#state
    return model
  }

  /** What an account is owed for all days. */
  owedTo(account: number): bigint {
    const own = this.#state.debts.filter((debt) => debt.account === account)
    return own.reduce((sum, { owed }) => sum + owed, 0n)
  }

  /** Market, account, YES and NO of all that waits, in the order of both. */
  waiting(): (readonly [marketId: number, account: number, yes: bigint, no: bigint])[] {
    const rows = new Map<string, [number, number, bigint, bigint]>()
    for (const { account, marketId, outcome, shares } of this.#state.waiting) {
      const key = `${marketId} ${account}`
      const row = rows.get(key) ?? [marketId, account, 0n, 0n]
      if (outcome === 0) row[2] += shares
      else row[3] += shares
      rows.set(key, row)
    }
    return [...rows.values()].sort((a, b) => a[0] - b[0] || a[1] - b[1])
  }

  /** The seq of the sample that is not credited; 0 for none. */
  get openSeq(): number {
    return this.#state.sample?.seq ?? 0
  }

  /** What the follower would say of the open sample. */
  scored(): ScoredMinute {
    const { sample } = this.#state
    assert(sample !== null, 'only an open sample is scored')
    const parts = this.#partsOf(sample)
    const referrals = parts.flatMap(({ isShares, account, referred, shares }) => {
      return isShares ? [] : [account, referred, Number(shares)]
    })
    const inShares = parts.flatMap(({ isShares, account, marketId, outcome, shares, referred }) => {
      return isShares ? [account, marketId, outcome, Number(shares), referred] : []
    })
    return {
      minute: sample.minute,
      rows: new Float64Array(),
      referrals: Float64Array.from(referrals),
      shares: Float64Array.from(inShares),
    }
  }

  admit(command: Command, slow: SlowExchange, { mined, isReplayed, payoutOf }: Admitted): void {
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
      case 'postPayouts':
        for (const marketId of command.marketIds) {
          this.#payOut(marketId, payoutOf(marketId), dayOf(command.nowMs))
        }
        return
      case 'archiveMarket':
        this.#archive(command.marketId)
        return
      case 'payRewards':
        assert.deepEqual(command.merges, [], 'no fee is touched before its payout')
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
    const { sample, mined: fees, rateBps } = this.#state
    assert.equal(sample, null, 'a sample is credited before the next')
    if (referralBps !== rateBps) this.plays = ['another rate of referrals']
    const kept = new Map(this.#state.kept)
    for (const { marketId, outcome, feeRaw } of fees) {
      const unit = unitOf(marketId, outcome)
      kept.set(unit, (kept.get(unit) ?? 0n) + BigInt(feeRaw))
    }
    const next = { seq, minute, rateBps, fees, parts: 0 }
    this.#set({ sample: next, mined: [], rateBps: referralBps, kept })
  }

  /** Who earned what by each of those whom he referred: first collateral, then shares. */
  #partsOf({ fees, rateBps }: Sample): Part[] {
    const { referrers } = this.#state
    const sums = new Map<string, Part>()
    for (const { takerId, marketId, outcome, feeRaw } of fees) {
      const account = referrers.get(takerId)
      const part = (BigInt(feeRaw) * BigInt(rateBps)) / 10_000n
      if (account === undefined || part === 0n) continue
      const isShares = outcome !== null
      const name = isShares ? `${takerId} ${unitOf(marketId, outcome)}` : String(takerId)
      const shares = (sums.get(name)?.shares ?? 0n) + part
      const key = isShares ? { marketId, outcome } : { marketId: 0, outcome: 0 }
      sums.set(name, { account, referred: takerId, isShares, ...key, shares })
    }
    const all = [...sums.values()]
    const inShares = all.filter(({ isShares, shares }) => isShares && shares >= shareRowRawMin)
    inShares.sort((a, b) => {
      const ofAccount = a.marketId - b.marketId || a.account - b.account
      return ofAccount || a.outcome - b.outcome || a.referred - b.referred
    })
    const inCollateral = all.filter(({ isShares }) => !isShares)
    inCollateral.sort((a, b) => a.referred - b.referred)
    return [...inCollateral, ...inShares]
  }

  #credit(command: Of<'creditRewards'>): void {
    const { minute, part, isLast, rows, referrals = [], shares = [] } = command
    const { sample, debts, waiting, paidOut } = this.#state
    assert(sample !== null && sample.minute === minute, 'only an open sample is credited')
    assert.equal(part, sample.parts, 'the parts of a sample come in order')
    const all = this.#partsOf(sample)
    const due = all.slice(part * creditRowsMax, (part + 1) * creditRowsMax)
    const earned: [number, number, number][] = []
    const waits: ShareCredit[] = []
    for (const { account, referred, marketId, outcome, shares: raw, isShares } of due) {
      const payout = paidOut.get(marketId)
      if (isShares && payout === undefined) {
        waits.push([account, marketId, outcome, Number(raw), referred])
        continue
      }
      const owed = isShares && payout !== undefined ? worthOf(payout, outcome, raw) : raw
      if (owed > 0n) earned.push([account, referred, Number(owed)])
    }
    assert.deepEqual(referrals, earned, 'what each earns by those whom he referred')
    assert.deepEqual(shares, waits, 'what waits for the payouts of its markets')
    assert.deepEqual(rows, [], 'nobody scores the orders of a sample here')
    assert.equal(isLast, (part + 1) * creditRowsMax >= all.length, 'which part is the last')
    if (earned.length > 0) this.plays = ['referral credited']
    if (waits.length > 0) this.plays = [...this.plays, 'referral waits for a payout']
    const day = Math.max(this.#state.day, dayOfMinute(minute))
    this.#set({
      day,
      sample: isLast ? null : { ...sample, parts: part + 1 },
      debts: [...debts, ...earned.map(([account, , raw]) => ({ account, day, owed: BigInt(raw) }))],
      waiting: [
        ...waiting,
        ...waits.map(([account, marketId, outcome, raw]) => {
          return { account, marketId, outcome, shares: BigInt(raw) }
        }),
      ],
      kept: this.#keptAfter(due),
    })
  }

  #keptAfter(parts: readonly Part[]): ReadonlyMap<string, bigint> {
    const kept = new Map(this.#state.kept)
    for (const { marketId, outcome, isShares, shares } of parts) {
      const unit = unitOf(marketId, isShares ? outcome : null)
      const left = (kept.get(unit) ?? 0n) - shares
      assert(left >= 0n, 'no more is given than the fees are')
      kept.set(unit, left)
    }
    return kept
  }

  #payOut(marketId: number, payout: readonly [number, number] | null, today: number): void {
    assert(payout !== null, 'a resolved market has a payout')
    const { waiting, debts, paidOut } = this.#state
    const day = Math.max(this.#state.day, today)
    const more = this.waiting()
      .filter((row) => row[0] === marketId)
      .map(([, account, yes, no]) => {
        return { account, day, owed: worthOf(payout, 0, yes) + worthOf(payout, 1, no) }
      })
    if (more.length > 0) this.plays = ['referral in shares paid out']
    this.#set({
      day: more.length > 0 ? day : this.#state.day,
      waiting: waiting.filter((each) => each.marketId !== marketId),
      debts: [...debts, ...more.filter(({ owed }) => owed > 0n)],
      paidOut: new Map([...paidOut, [marketId, payout]]),
    })
  }

  #archive(marketId: number): void {
    const { sample, waiting } = this.#state
    assert(!waiting.some((each) => each.marketId === marketId), 'nothing waits for the market')
    const open = sample === null ? [] : this.#partsOf(sample)
    assert(!open.some((part) => part.marketId === marketId), 'no part of its fees is open')
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
    // What the fees do not cover is shared out to the last unit of each. A replay receives each
    // market at once: it may have fees that main did not know of yet when it paid.
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

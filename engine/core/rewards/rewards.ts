// Unpaid earnings of accounts, and the sample that is being scored (rules §11.3). Only commands
// change them; one thread writes.
//
//   sample ──credits, part by part──▶ earned today ──the day ends──▶ due ──payments──▶ gone
//      └──parts in shares──▶ wait for the payout of their market ──▲
//
// Main journals a sample. The follower scores the books as of that command and returns the amounts.
// Main journals them part by part. After a crash the follower scores the same sample again, and
// main continues after the journaled parts, so that each is credited once.
// Invariants: parts are credited in order; an account is listed while it is owed something.

import { assert } from '../../domain/assert.ts'
import type { ShareOwnerOf } from '../../domain/fair-share.ts'
import {
  type AccountId,
  FEE_ACCOUNT,
  type PositionRow,
  REWARDS_ACCOUNT,
  type Seq,
} from '../../domain/ids.ts'
import { OUTCOME } from '../../domain/order.ts'
import type { MergedFees, RewardBody } from '../../domain/rewards/reward-command.ts'
import { dayOf, dayOfMinute } from '../../domain/rewards/reward-time.ts'
import type { CollateralRaw, FeeBps, TimeMs } from '../../domain/units.ts'
import type { Catalogue, Market } from '../markets/catalogue.ts'
import type { Blocks } from '../money/blocks.ts'
import type { Ledger } from '../money/ledger.ts'
import { redemptionRaw } from '../moves/conditions.ts'
import { type CapturedShareParts, ShareParts } from './share-parts.ts'

/** Rewards of orders, and earnings from fees: rebates and referrers' parts. */
export interface Earned {
  readonly rewardRaw: CollateralRaw
  readonly rebateRaw: CollateralRaw
}

/** A sample that is not fully credited. */
export interface OpenSample {
  readonly minute: number
  /** Rebates cover the blocks above the first height, up to the second. */
  readonly afterHeight: number
  readonly height: number
  /** Referrers' part of the fees of those blocks; 0 = none. */
  readonly referralBps: FeeBps
  /** Credited parts. */
  parts: number
}

export type CapturedEarned = readonly (readonly [AccountId, CollateralRaw, CollateralRaw])[]

export interface CapturedRewards {
  readonly minute: number
  /** Absent in a capture of an exchange without this setting. */
  readonly referralBps?: FeeBps
  readonly open: (Omit<OpenSample, 'referralBps'> & { readonly referralBps?: FeeBps }) | null
  readonly height: number
  readonly countedSeq: Seq
  readonly day: number
  readonly paidDay: number
  readonly today: CapturedEarned
  readonly due: CapturedEarned
  readonly shareParts: CapturedShareParts
}

interface RewardState {
  readonly ledger: Ledger
  readonly blocks: Blocks
  readonly catalogue: Catalogue
}

class EarnedTable {
  readonly #byAccount = new Map<AccountId, Earned>()
  readonly #totals = { rewardsRaw: 0n, rebatesRaw: 0n }

  get size(): number {
    return this.#byAccount.size
  }

  /** The sums over all accounts. */
  get totals(): { readonly rewardsRaw: bigint; readonly rebatesRaw: bigint } {
    return { ...this.#totals }
  }

  accounts(): AccountId[] {
    return [...this.#byAccount.keys()]
  }

  of(accountId: AccountId): Readonly<Earned> | undefined {
    return this.#byAccount.get(accountId)
  }

  /** Sums are capped at the largest safe integer: the exchange never holds more. */
  add(accountId: AccountId, rewardRaw: CollateralRaw, rebateRaw: CollateralRaw): void {
    const before = this.#byAccount.get(accountId) ?? { rewardRaw: 0, rebateRaw: 0 }
    this.#put(accountId, before, {
      rewardRaw: Math.min(before.rewardRaw + rewardRaw, Number.MAX_SAFE_INTEGER),
      rebateRaw: Math.min(before.rebateRaw + rebateRaw, Number.MAX_SAFE_INTEGER),
    })
  }

  take(accountId: AccountId, rewardRaw: CollateralRaw, rebateRaw: CollateralRaw): void {
    const earned = this.#byAccount.get(accountId)
    assert(earned !== undefined, 'only what was earned is paid')
    assert(rewardRaw <= earned.rewardRaw, 'no more rewards are paid than were earned')
    assert(rebateRaw <= earned.rebateRaw, 'no more rebates are paid than were earned')
    this.#put(accountId, earned, {
      rewardRaw: earned.rewardRaw - rewardRaw,
      rebateRaw: earned.rebateRaw - rebateRaw,
    })
  }

  #put(accountId: AccountId, before: Earned, after: Earned): void {
    this.#totals.rewardsRaw += BigInt(after.rewardRaw - before.rewardRaw)
    this.#totals.rebatesRaw += BigInt(after.rebateRaw - before.rebateRaw)
    if (after.rewardRaw === 0 && after.rebateRaw === 0) this.#byAccount.delete(accountId)
    else this.#byAccount.set(accountId, after)
  }

  moveTo(other: EarnedTable): void {
    for (const [account, { rewardRaw, rebateRaw }] of this.#byAccount) {
      other.add(account, rewardRaw, rebateRaw)
    }
    this.#byAccount.clear()
    this.#totals.rewardsRaw = 0n
    this.#totals.rebatesRaw = 0n
  }

  /** By ascending account. */
  capture(): CapturedEarned {
    const all = [...this.#byAccount].map(([account, { rewardRaw, rebateRaw }]) => {
      return [account, rewardRaw, rebateRaw] as const
    })
    return all.sort(([a], [b]) => a - b)
  }

  restore(captured: CapturedEarned): void {
    for (const [account, rewardRaw, rebateRaw] of captured) this.add(account, rewardRaw, rebateRaw)
  }
}

export class Rewards {
  /** The newest sampled minute; 0 before the first. */
  minute = 0
  /** Referrers' part of the fees of later blocks. */
  referralBps: FeeBps = 0
  open: OpenSample | null = null
  /** Trades of blocks up to this height are counted for rebates or are in the open sample. */
  height = 0
  /** Trades up to this seq are among them or were reversed. */
  countedSeq: Seq = 0
  /** The day of `today`; 0 before the first. */
  day = 0
  /** Earnings up to the end of this day were paid, as far as the funds allowed. */
  paidDay = 0
  /** Earned in `day`, and earned before. */
  readonly today = new EarnedTable()
  readonly due = new EarnedTable()
  /** Earnings in shares of markets without a payout. */
  readonly shareParts: ShareParts

  constructor(shareOwnerOf?: ShareOwnerOf) {
    this.shareParts = new ShareParts(shareOwnerOf)
  }

  /** Whether some trades of the market are not counted for parts of their fees yet. */
  owesParts({ rebateBps = 0, lastTradeSeq }: Market): boolean {
    const isShared = rebateBps > 0 || this.referralBps > 0
    return isShared && lastTradeSeq > this.countedSeq
  }

  /** Whether parts of the market's fees are not credited yet or wait for its payout. */
  needs(market: Market): boolean {
    if (this.owesParts(market) || this.shareParts.has(market.marketId)) return true
    // Only the read tables know which trades an open sample counts.
    return this.open !== null && market.lastTradeSeq > 0
  }

  /** Whether a sample would count new trades or trades reversed meanwhile. */
  isBehind(blocks: Blocks): boolean {
    return blocks.height > this.height || blocks.countableSeq > this.countedSeq
  }

  /** Whether `day` must be paid: there are earnings up to its end. */
  hasDue(day: number): boolean {
    if (this.paidDay >= day) return false
    return this.due.size > 0 || (this.today.size > 0 && this.day <= day)
  }

  apply(
    command: RewardBody,
    state: RewardState,
    freeRow: (row: PositionRow, market: Market) => void,
  ): void {
    switch (command.kind) {
      case 'rewardMinute':
        this.#sampled(command, state.blocks)
        return
      case 'creditRewards':
        this.#credited(command, state.catalogue)
        return
      case 'payRewards':
        for (const merged of command.merges) mergeFees(state, merged, freeRow)
        this.#paid(command, state.ledger)
        return
      case 'fundRewards':
        state.ledger.fundSystem(REWARDS_ACCOUNT, command.collateralRaw)
        return
      default:
        command satisfies never
    }
  }

  #sampled(command: Extract<RewardBody, { kind: 'rewardMinute' }>, blocks: Blocks): void {
    const { minute, referralBps = 0 } = command
    assert(this.open === null, 'a sample is credited before the next')
    assert(minute > this.minute, 'each minute is sampled once')
    this.minute = minute
    const until = { afterHeight: this.height, height: blocks.height }
    // Uses the rate set before these blocks. A new rate applies to later blocks.
    this.open = { minute, ...until, referralBps: this.referralBps, parts: 0 }
    this.referralBps = referralBps
    this.height = blocks.height
    this.countedSeq = Math.max(this.countedSeq, blocks.countableSeq)
  }

  #beginDay(day: number): void {
    if (day <= this.day) return
    this.today.moveTo(this.due)
    this.day = day
  }

  /** The market's payout is posted, which gives its share parts a value. */
  paidOut({ marketId, payoutNumerators }: Market, nowMs: TimeMs): void {
    if (!this.shareParts.has(marketId)) return
    assert(payoutNumerators !== null, 'a market is paid out after its resolution')
    this.#beginDay(dayOf(nowMs))
    for (const { accountId, yesRaw, noRaw } of this.shareParts.take(marketId)) {
      const worthRaw = redemptionRaw(payoutNumerators, yesRaw, noRaw)
      if (worthRaw > 0) this.today.add(accountId, 0, worthRaw)
    }
  }

  #credited(command: Extract<RewardBody, { kind: 'creditRewards' }>, catalogue: Catalogue): void {
    const { open } = this
    assert(open !== null && open.minute === command.minute, 'only a sample is credited')
    assert(open.parts === command.part, 'each part is credited once, in order')
    open.parts++
    this.#beginDay(dayOfMinute(command.minute))
    for (const [accountId, , rewardRaw, rebateRaw] of command.rows) {
      this.today.add(accountId, rewardRaw, rebateRaw)
    }
    for (const [referrer, , earnedRaw] of command.referrals ?? []) {
      this.today.add(referrer, 0, earnedRaw)
    }
    for (const [accountId, marketId, outcome, sharesRaw] of command.shares ?? []) {
      assert(!catalogue.existing(marketId).isPaidOut, 'a market that is paid out pays collateral')
      this.shareParts.add(marketId, accountId, outcome, sharesRaw)
    }
    if (command.isLast) this.open = null
  }

  #paid(command: Extract<RewardBody, { kind: 'payRewards' }>, ledger: Ledger): void {
    assert(command.day > this.paidDay, 'a day is paid once')
    if (this.day <= command.day) this.today.moveTo(this.due)
    for (const [accountId, rewardRaw, rebateRaw] of command.rows) {
      this.due.take(accountId, rewardRaw, rebateRaw)
      ledger.takeSystem(REWARDS_ACCOUNT, rewardRaw)
      // Reversals may have made the fees negative. Payments without rebates are still made.
      if (rebateRaw > 0) ledger.takeSystem(FEE_ACCOUNT, rebateRaw)
      ledger.creditCollateral(accountId, rewardRaw + rebateRaw)
    }
    if (command.isLast) this.paidDay = command.day
  }

  /** The full state, for the state hash; empty before the first sample. */
  *hashedFields(): Iterable<unknown> {
    const { minute, open, height, countedSeq, day, paidDay, ...earnings } = this.capture()
    const { today, due, shareParts } = earnings
    if (minute + paidDay === 0) return
    const sample = open === null ? [] : [open.minute, open.afterHeight, open.height, open.parts]
    yield ['rewards', minute, sample, height, countedSeq, day, paidDay]
    const ofOpen = open?.referralBps ?? 0
    if (this.referralBps + ofOpen > 0) yield ['referrals', this.referralBps, ofOpen]
    for (const earned of today) yield ['earned', ...earned]
    for (const earned of due) yield ['due', ...earned]
    for (const part of shareParts) yield ['sharePart', ...part]
  }

  capture(): CapturedRewards {
    const { minute, referralBps, height, countedSeq, day, paidDay } = this
    const open = this.open === null ? null : { ...this.open }
    const tables = { today: this.today.capture(), due: this.due.capture() }
    const shareParts = this.shareParts.capture()
    return { minute, referralBps, open, height, countedSeq, day, paidDay, ...tables, shareParts }
  }

  restore(captured: CapturedRewards): void {
    assert(this.minute === 0, 'only a fresh state is restored')
    const { minute, referralBps = 0, open, height, countedSeq, day, paidDay } = captured
    Object.assign(this, { minute, referralBps, height, countedSeq, day, paidDay })
    this.open = open === null ? null : { ...open, referralBps: open.referralBps ?? 0 }
    this.today.restore(captured.today)
    this.due.restore(captured.due)
    this.shareParts.restore(captured.shareParts)
  }
}

function mergeFees(
  { ledger, catalogue }: RewardState,
  [marketId, amountRaw]: MergedFees,
  freeRow: (row: PositionRow, market: Market) => void,
): void {
  const market = catalogue.existing(marketId)
  const row = ledger.rows.find(FEE_ACCOUNT, marketId)
  assert(row !== 0, 'a merge has shares')
  ledger.takeShares(row, OUTCOME.YES, amountRaw)
  ledger.takeShares(row, OUTCOME.NO, amountRaw)
  ledger.moveCondition(market, -amountRaw)
  ledger.creditSystem(FEE_ACCOUNT, amountRaw)
  freeRow(row, market)
}

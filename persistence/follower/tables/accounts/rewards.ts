import type { ControlCommand } from '../../../../engine/domain/command.ts'
import type { AccountId, MarketId } from '../../../../engine/domain/ids.ts'
import { OUTCOME } from '../../../../engine/domain/order.ts'
import type {
  ReferralCredit,
  ShareCredit,
} from '../../../../engine/domain/rewards/reward-command.ts'
import { dayOf, dayOfMinute } from '../../../../engine/domain/rewards/reward-time.ts'
import type { TimeMs } from '../../../../engine/domain/units.ts'
import type { Connection, Statement } from '../../../database.ts'
import { eachPaced, type Pace } from '../pace.ts'
import { type PaidMarket, worthRaw } from './paid-market.ts'

// Accounts' earnings from rewards and rebates by day, and their payments (rules §11.3). Owner 0 is
// all owners together; market 0 is all markets together. Sums are capped at the largest safe
// integer, as in the state. Parts of fees in shares count on the day of their market's payout, at
// their payout.

export const EVERYONE: AccountId = 0
export const EVERYWHERE: MarketId = 0

const ADD_EARNED = `
INSERT INTO reward_days (owner, market_id, day, earned_raw) VALUES (?, ?, ?, ?)
ON CONFLICT DO UPDATE SET
  earned_raw = min(earned_raw + excluded.earned_raw, ${Number.MAX_SAFE_INTEGER})`
const ADD_TOTAL = `
INSERT INTO reward_totals (owner, earned_raw, paid_raw) VALUES (?, ?, ?)
ON CONFLICT DO UPDATE SET
  earned_raw = min(earned_raw + excluded.earned_raw, ${Number.MAX_SAFE_INTEGER}),
  paid_raw = paid_raw + excluded.paid_raw`

const ADD_OF_REFERRED = `
UPDATE referrals SET earned_raw = min(earned_raw + ?, ${Number.MAX_SAFE_INTEGER})
WHERE referred = ?`
const ADD_OF_REFERRER = `
UPDATE referrers SET earned_raw = min(earned_raw + ?, ${Number.MAX_SAFE_INTEGER})
WHERE referrer = ?`

const ADD_SHARES = `
INSERT INTO share_parts (market_id, owner, outcome, referred, shares_raw) VALUES (?, ?, ?, ?, ?)
ON CONFLICT DO UPDATE SET
  shares_raw = min(shares_raw + excluded.shares_raw, ${Number.MAX_SAFE_INTEGER})`
const SHARES = `
SELECT owner, outcome, referred, shares_raw AS sharesRaw FROM share_parts WHERE market_id = ?
ORDER BY owner, outcome, referred`
const DROP_SHARES = 'DELETE FROM share_parts WHERE market_id = ?'

const PUT_MINUTE =
  'INSERT INTO reward_minutes (id, minute) VALUES (1, ?) ' +
  'ON CONFLICT DO UPDATE SET minute = excluded.minute'
const MINUTE = 'SELECT minute FROM reward_minutes WHERE id = 1'

export type RewardCommand = Extract<ControlCommand, { kind: 'creditRewards' | 'payRewards' }>

type EarnedRow = [owner: AccountId, marketId: MarketId, day: number, earnedRaw: number]
type TotalRow = [owner: AccountId, earnedRaw: number, paidRaw: number]
type AddedShares = [MarketId, AccountId, outcome: number, referred: AccountId, sharesRaw: number]

interface ShareRow {
  readonly owner: AccountId
  readonly outcome: number
  readonly referred: AccountId
  readonly sharesRaw: number
}

export function isOfRewards(command: ControlCommand): command is RewardCommand {
  return command.kind === 'creditRewards' || command.kind === 'payRewards'
}

/** The newest fully credited minute in the tables; 0 before the first. */
export function creditedMinute(connection: Connection): number {
  return connection.prepare<[], { minute: number }>(MINUTE).get()?.minute ?? 0
}

export class RewardsTable {
  readonly #addEarned: Statement<EarnedRow>
  readonly #addTotal: Statement<TotalRow>
  /** Since the last flush, by owner, market and day. */
  readonly #earned = new Map<string, EarnedRow>()
  #totals: TotalRow[] = []
  #referrals: ReferralCredit[] = []
  #shares: ShareCredit[] = []
  #paid: (readonly [PaidMarket, TimeMs])[] = []
  readonly #addShares: Statement<AddedShares>
  readonly #sharesOf: Statement<[MarketId], ShareRow>
  readonly #dropShares: Statement<[MarketId]>
  readonly #addOfReferred: Statement<[earnedRaw: number, referred: AccountId]>
  readonly #addOfReferrer: Statement<[earnedRaw: number, referrer: AccountId]>
  readonly #putMinute: Statement<[minute: number]>
  /** The newest fully credited minute. */
  #minute: number
  #writtenMinute: number

  constructor(connection: Connection) {
    this.#addEarned = connection.prepare(ADD_EARNED)
    this.#addTotal = connection.prepare(ADD_TOTAL)
    this.#addOfReferred = connection.prepare(ADD_OF_REFERRED)
    this.#addOfReferrer = connection.prepare(ADD_OF_REFERRER)
    this.#addShares = connection.prepare(ADD_SHARES)
    this.#sharesOf = connection.prepare(SHARES)
    this.#dropShares = connection.prepare(DROP_SHARES)
    this.#putMinute = connection.prepare(PUT_MINUTE)
    this.#minute = creditedMinute(connection)
    this.#writtenMinute = this.#minute
  }

  applied(command: RewardCommand): void {
    if (command.kind === 'payRewards') {
      for (const [owner, rewardRaw, rebateRaw] of command.rows) {
        this.#totals.push([owner, 0, rewardRaw + rebateRaw])
      }
      return
    }
    const day = dayOfMinute(command.minute)
    for (const [owner, marketId, rewardRaw, rebateRaw] of command.rows) {
      const earnedRaw = Math.min(rewardRaw + rebateRaw, Number.MAX_SAFE_INTEGER)
      this.#earn(owner, marketId, day, earnedRaw)
      this.#totals.push([owner, earnedRaw, 0])
    }
    for (const referral of command.referrals ?? []) {
      const [referrer, , earnedRaw] = referral
      this.#totals.push([referrer, earnedRaw, 0])
      this.#referrals.push(referral)
    }
    this.#shares.push(...(command.shares ?? []))
    if (command.isLast) this.#minute = command.minute
  }

  /** The market's payout is posted. No more parts in its shares are credited. */
  paidOut(market: PaidMarket, nowMs: TimeMs): void {
    this.#paid.push([market, nowMs])
  }

  #earn(owner: AccountId, marketId: MarketId, day: number, earnedRaw: number): void {
    for (const who of [owner, EVERYONE]) {
      for (const where of [marketId, EVERYWHERE]) this.#add(who, where, day, earnedRaw)
    }
  }

  /** The value of the market's parts in shares. The state determines what an account is owed. */
  #redeem(market: PaidMarket, nowMs: TimeMs): void {
    const { marketId } = market
    const rows = this.#sharesOf.all(marketId)
    if (rows.length === 0) return
    const owed = new Map<AccountId, [yesRaw: number, noRaw: number]>()
    for (const { owner, outcome, referred, sharesRaw } of rows) {
      const sums = owed.get(owner) ?? [0, 0]
      sums[outcome] = Math.min(sums[outcome] + sharesRaw, Number.MAX_SAFE_INTEGER)
      owed.set(owner, sums)
      const raw =
        outcome === OUTCOME.YES ? worthRaw(market, sharesRaw, 0) : worthRaw(market, 0, sharesRaw)
      if (raw === 0) continue
      if (referred === 0) this.#earn(owner, marketId, dayOf(nowMs), raw)
      else this.#referrals.push([owner, referred, raw])
    }
    for (const [owner, [yesRaw, noRaw]] of owed) {
      const raw = worthRaw(market, yesRaw, noRaw)
      if (raw > 0) this.#totals.push([owner, raw, 0])
    }
    this.#dropShares.run(marketId)
  }

  #add(owner: AccountId, marketId: MarketId, day: number, earnedRaw: number): void {
    const key = `${owner} ${marketId} ${day}`
    const known = this.#earned.get(key)
    if (known === undefined) this.#earned.set(key, [owner, marketId, day, earnedRaw])
    else known[3] = Math.min(known[3] + earnedRaw, Number.MAX_SAFE_INTEGER)
  }

  /** Runs inside the chunk's transaction, after its profiles. */
  flush(pace: Pace): void {
    eachPaced(this.#shares, pace, ([owner, marketId, outcome, sharesRaw, referred]) => {
      this.#addShares.run(marketId, owner, outcome, referred, sharesRaw)
    })
    eachPaced(this.#paid, pace, ([market, nowMs]) => this.#redeem(market, nowMs))
    eachPaced(this.#earned.values(), pace, (row) => this.#addEarned.run(...row))
    eachPaced(this.#totals, pace, (row) => this.#addTotal.run(...row))
    eachPaced(this.#referrals, pace, ([referrer, referred, earnedRaw]) => {
      this.#addOfReferred.run(earnedRaw, referred)
      this.#addOfReferrer.run(earnedRaw, referrer)
    })
    if (this.#minute !== this.#writtenMinute) this.#putMinute.run(this.#minute)
    this.#writtenMinute = this.#minute
    this.#earned.clear()
    this.#totals = []
    this.#referrals = []
    this.#shares = []
    this.#paid = []
  }
}

import type { RareCommand } from '../../../../engine/domain/command.ts'
import type { AccountId, MarketId } from '../../../../engine/domain/ids.ts'
import type { ReferralCredit } from '../../../../engine/domain/rewards/reward-command.ts'
import { dayOfMinute } from '../../../../engine/domain/rewards/reward-time.ts'
import type { Connection, Statement } from '../../../database.ts'
import { eachPaced, type Pace } from '../pace.ts'

// What accounts earned in rewards and rebates, by day, and what they were paid (rules §11.3). Owner
// 0 is all owners together; market 0 is all markets together. A sum stops at the largest exact
// number, as in the state.

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

const PUT_MINUTE =
  'INSERT INTO reward_minutes (id, minute) VALUES (1, ?) ' +
  'ON CONFLICT DO UPDATE SET minute = excluded.minute'
const MINUTE = 'SELECT minute FROM reward_minutes WHERE id = 1'

export type RewardCommand = Extract<RareCommand, { kind: 'creditRewards' | 'payRewards' }>

type EarnedRow = [owner: AccountId, marketId: MarketId, day: number, earnedRaw: number]
type TotalRow = [owner: AccountId, earnedRaw: number, paidRaw: number]

export function isOfRewards(command: RareCommand): command is RewardCommand {
  return command.kind === 'creditRewards' || command.kind === 'payRewards'
}

/** The newest minute that the tables have as credited whole; 0 before the first. */
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
  readonly #addOfReferred: Statement<[earnedRaw: number, referred: AccountId]>
  readonly #addOfReferrer: Statement<[earnedRaw: number, referrer: AccountId]>
  readonly #putMinute: Statement<[minute: number]>
  /** The newest minute that is credited whole. */
  #minute: number
  #writtenMinute: number

  constructor(connection: Connection) {
    this.#addEarned = connection.prepare(ADD_EARNED)
    this.#addTotal = connection.prepare(ADD_TOTAL)
    this.#addOfReferred = connection.prepare(ADD_OF_REFERRED)
    this.#addOfReferrer = connection.prepare(ADD_OF_REFERRER)
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
      for (const who of [owner, EVERYONE]) {
        for (const where of [marketId, EVERYWHERE]) {
          this.#add(who, where, day, earnedRaw)
        }
      }
      this.#totals.push([owner, earnedRaw, 0])
    }
    for (const referral of command.referrals ?? []) {
      const [referrer, , earnedRaw] = referral
      this.#totals.push([referrer, earnedRaw, 0])
      this.#referrals.push(referral)
    }
    if (command.isLast) this.#minute = command.minute
  }

  #add(owner: AccountId, marketId: MarketId, day: number, earnedRaw: number): void {
    const key = `${owner} ${marketId} ${day}`
    const known = this.#earned.get(key)
    if (known === undefined) this.#earned.set(key, [owner, marketId, day, earnedRaw])
    else known[3] = Math.min(known[3] + earnedRaw, Number.MAX_SAFE_INTEGER)
  }

  /** Runs inside the chunk's transaction, after its profiles. */
  flush(pace: Pace): void {
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
  }
}

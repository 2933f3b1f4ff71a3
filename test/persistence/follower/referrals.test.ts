import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CommandOf } from '../../../engine/domain/command-kinds.ts'
import { type Connection, openInMemory } from '../../../persistence/database.ts'
import { READ_SCHEMA } from '../../../persistence/follower/schema/migrations.ts'
import { ReferralsTable } from '../../../persistence/follower/tables/accounts/referrals.ts'
import { OrderNames } from '../../../persistence/follower/tables/orders/order-names.ts'
import { UNPACED } from '../../../persistence/follower/tables/pace.ts'
import { SettlementsTable } from '../../../persistence/follower/tables/settlements.ts'
import {
  friendsBoard,
  type ReferrerRow,
  referralBoard,
  referralsOf,
} from '../../../persistence/query/read/referrals/referrals.ts'
import { freshSeed, Random } from '../../support/random.ts'

// The fees of referred profiles against a plain list of their trades.

const PROFILES = 30
const STEPS = 1500
/** Markets that trade at once. */
const MARKETS = 3
const TRADE = `INSERT INTO trades (seq, market_id, taker_slot, taker_generation, taker_owner, side,
  outcome, shares_raw, collateral_raw, fee_raw, yes_ticks, traded_ms, taker_placed_seq,
  fills)
VALUES (?, ?, 0, 0, ?, ?, ?, ?, ?, ?, 500, ?, ?, '[]')`
const PROFILE = `INSERT INTO profiles (profile_id, account, client, scopes, created_ms)
VALUES (?, ?, 'eoa', '[]', 1)`

interface Trade {
  readonly seq: number
  readonly marketId: number
  readonly owner: number
  readonly outcome: number
  readonly side: number
  readonly sharesRaw: number
  readonly collateralRaw: number
  readonly feeRaw: number
  state: 'MATCHED' | 'ASIDE' | 'MINED' | 'FAILED'
}

type Unstamped<T> = T extends CommandOf<'settlement'> ? Omit<T, 'seq' | 'nowMs'> : never

interface Sums {
  feesRaw: bigint
  volumeRaw: bigint
}

/** A run of referrals, trades, blocks, trades set aside and trades taken back. */
class Run {
  readonly db: Connection = openInMemory(READ_SCHEMA.migrations)
  readonly trades: Trade[] = []
  readonly referrerOf = new Map<number, number>()
  readonly payouts = new Map<number, readonly [number, number]>()
  readonly #random: Random
  readonly #settlements = new SettlementsTable(this.db, new OrderNames(this.db))
  #referrals = new ReferralsTable(this.db)
  #seq = 0
  #height = 0
  #profiles = 0
  /** Markets up to it are paid out. */
  #lastPaid = 0

  constructor(random: Random) {
    this.#random = random
    for (let step = 0; step < STEPS; step++) this.#step()
    this.#seq++
    this.#mine()
    this.#flush()
  }

  #step(): void {
    const random = this.#random
    this.#seq++
    const dice = random.next()
    if (this.#profiles < 3 || (dice < 0.05 && this.#profiles < PROFILES)) this.#register()
    else if (dice < 0.75) this.#trade()
    else if (dice < 0.85) this.#mine()
    else if (dice < 0.94) this.#settle()
    else if (dice < 0.95) this.#payOut()
    else {
      this.#flush()
      // A process that starts again knows only what the tables say.
      if (random.chance(0.3)) this.#referrals = new ReferralsTable(this.db)
    }
  }

  #register(): void {
    const profileId = ++this.#profiles
    this.db.prepare(PROFILE).run(profileId, `0x${profileId}`)
    if (profileId === 1 || this.#random.chance(0.3)) return
    const referredBy = this.#random.between(1, profileId - 1)
    this.referrerOf.set(profileId, referredBy)
    const profile = { account: '', username: null, displayName: null, client: 'eoa' } as const
    const none = { smartWallet: null, rank: null, feeCapBps: null, scopes: [] }
    const fields = { profileId, profile: { ...profile, ...none }, token: null, referredBy }
    this.#referrals.created({ kind: 'createProfile', ...fields, seq: this.#seq, nowMs: this.#seq })
  }

  #trade(): void {
    const random = this.#random
    const sharesRaw = 1 + random.spread(10 ** 12)
    const collateralRaw = Math.max(1, Math.floor(sharesRaw * random.next()))
    const side = random.below(2)
    const most = side === 0 ? sharesRaw : collateralRaw
    const feeRaw = random.chance(0.2) ? 0 : Math.floor(most * 0.1 * random.next())
    const owner = random.between(1, this.#profiles)
    const marketId = this.#lastPaid + random.between(1, MARKETS)
    const outcome = random.below(2)
    const of = { seq: this.#seq, marketId, owner, outcome }
    this.trades.push({ ...of, side, sharesRaw, collateralRaw, feeRaw, state: 'MATCHED' })
    const what = [marketId, owner, side, outcome, sharesRaw, collateralRaw, feeRaw]
    this.db.prepare(TRADE).run(this.#seq, ...what, this.#seq, this.#seq)
  }

  #mine(): void {
    this.#apply({
      kind: 'mineBlock',
      height: ++this.#height,
      throughSeq: this.#seq - 1,
      chainId: 1,
    })
    for (const trade of this.trades) if (trade.state === 'MATCHED') trade.state = 'MINED'
  }

  /** A payout comes when blocks hold all trades of its market. */
  #payOut(): void {
    const marketId = ++this.#lastPaid
    this.#mine()
    for (const trade of this.trades) {
      if (trade.marketId !== marketId || trade.state !== 'ASIDE') continue
      trade.state = 'MINED'
      this.#apply({ kind: 'settleTrade', tradeSeq: trade.seq, height: this.#height })
    }
    const payoutNumerators = this.#random.pick([
      [1, 0],
      [0, 1],
      [1, 2],
    ] as const)
    this.payouts.set(marketId, payoutNumerators)
    this.#referrals.paidOut({ marketId, payoutNumerators })
  }

  #settle(): void {
    const open = this.trades.filter(({ state }) => state === 'MATCHED' || state === 'ASIDE')
    if (open.length === 0) return
    const trade = this.#random.pick(open)
    const tradeSeq = trade.seq
    if (trade.state === 'MATCHED') {
      const fails = this.#random.chance(0.4)
      trade.state = fails ? 'FAILED' : 'ASIDE'
      if (fails) this.#apply({ kind: 'failSettlement', tradeSeq, legs: [], conditions: [] })
      else this.#apply({ kind: 'retrySettlement', tradeSeq })
    } else {
      trade.state = 'MINED'
      this.#apply({ kind: 'settleTrade', tradeSeq, height: this.#height })
    }
  }

  #apply(body: Unstamped<CommandOf<'settlement'>>): void {
    const command: CommandOf<'settlement'> = { ...body, seq: this.#seq, nowMs: this.#seq }
    this.#settlements.applied(command)
    this.#referrals.settled(command)
  }

  #flush(): void {
    this.#settlements.flush(UNPACED)
    this.#referrals.flush(UNPACED)
  }

  /** What came of each referral, in exact arithmetic. */
  sums(): Map<number, Sums> {
    const sums = new Map<number, Sums>()
    for (const referred of this.referrerOf.keys())
      sums.set(referred, { feesRaw: 0n, volumeRaw: 0n })
    const shares = new Map<string, bigint>()
    for (const { owner, marketId, outcome, side, collateralRaw, feeRaw, state } of this.trades) {
      const sum = sums.get(owner)
      if (sum === undefined || state !== 'MINED') continue
      sum.volumeRaw += BigInt(collateralRaw)
      if (side === 1) sum.feesRaw += BigInt(feeRaw)
      const key = `${owner} ${marketId} ${outcome}`
      if (side === 0) shares.set(key, (shares.get(key) ?? 0n) + BigInt(feeRaw))
    }
    // Fees in shares are worth what the payout of their market gives, and nothing before it.
    for (const [key, raw] of shares) {
      const [owner, marketId, outcome] = key.split(' ').map(Number)
      const payout = this.payouts.get(marketId)
      const sum = sums.get(owner)
      if (payout === undefined || sum === undefined) continue
      sum.feesRaw += (raw * BigInt(payout[outcome])) / BigInt(payout[0] + payout[1])
    }
    return sums
  }
}

interface Standing {
  readonly referrer: number
  feesRaw: bigint
  count: number
  earning: number
}

/** The board, the slow way. */
function standings(run: Run): Standing[] {
  const all = new Map<number, Standing>()
  for (const [referred, { feesRaw }] of run.sums()) {
    const referrer = run.referrerOf.get(referred) ?? 0
    const known = all.get(referrer) ?? { referrer, feesRaw: 0n, count: 0, earning: 0 }
    known.feesRaw += feesRaw
    known.count++
    if (feesRaw > 0n) known.earning++
    all.set(referrer, known)
  }
  return [...all.values()].sort((a, b) => {
    return Number(b.feesRaw - a.feesRaw) || b.count - a.count || a.referrer - b.referrer
  })
}

const shownRow = ({ rank, referrer, feesRaw, referredCount }: ReferrerRow) =>
  `${rank} ${referrer} ${feesRaw} ${referredCount}`
const shown = ({ referrer, feesRaw, count }: Standing, index: number) =>
  `${index + 1} ${referrer} ${feesRaw} ${count}`

test('boards and lists are what a plain list of mined trades gives', () => {
  const random = new Random(freshSeed())
  for (let round = 0; round < 4; round++) {
    const run = new Run(random)
    const all = standings(run)
    const request = referralBoard.open(run.db)
    const whole = request({ profileId: 0, limit: 100, offset: 0 })
    assert.deepEqual(whole.rows.map(shownRow), all.map(shown))
    assert.deepEqual([whole.total, whole.own], [all.length, null])
    for (const [index, standing] of all.entries()) {
      const page = request({ profileId: standing.referrer, limit: 1, offset: index })
      assert.deepEqual(page.rows.map(shownRow), [shown(standing, index)])
      assert.deepEqual(page.own && shownRow(page.own), shown(standing, index))
    }
    const sums = run.sums()
    const listed = referralsOf.open(run.db)
    for (const { referrer, count, earning } of all) {
      const found = listed({ profileId: referrer, limit: 100, offset: 0 })
      assert.deepEqual([found.referredCount, found.earningCount], [count, earning])
      const mine = [...run.referrerOf].filter(([, by]) => by === referrer).map(([id]) => id)
      const expected = mine
        .sort((a, b) => b - a)
        .map((id) => `${id} ${sums.get(id)?.feesRaw} ${sums.get(id)?.volumeRaw}`)
      const rows = found.rows.map((row) => `${row.referred} ${row.feesRaw} ${row.volumeRaw}`)
      assert.deepEqual(rows, expected)
    }
  }
})

test('the board of friends has the caller and those whom it follows alone', () => {
  const random = new Random(freshSeed())
  const run = new Run(random)
  const caller = 1
  const followed = new Set(Array.from({ length: 12 }, () => random.between(2, PROFILES)))
  const follow = run.db.prepare('INSERT INTO follows VALUES (?, ?, 1)')
  for (const each of followed) follow.run(caller, each)
  const all = standings(run).filter(({ referrer }) => referrer === caller || followed.has(referrer))
  const request = friendsBoard.open(run.db)
  const whole = request({ profileId: caller, limit: 100, offset: 0 })
  assert.deepEqual(whole.rows.map(shownRow), all.map(shown))
  assert.equal(whole.total, all.length)
  const place = all.findIndex(({ referrer }) => referrer === caller)
  assert.equal(whole.own?.rank ?? 0, place + 1)
  const second = request({ profileId: caller, limit: 2, offset: 1 })
  assert.deepEqual(second.rows.map(shownRow), all.map(shown).slice(1, 3))
})

test('nobody referred anybody: boards are empty', () => {
  const db = openInMemory(READ_SCHEMA.migrations)
  const requested = { profileId: 1, limit: 25, offset: 0 }
  const empty = { rows: [], total: 0, own: null }
  assert.deepEqual(referralBoard.open(db)(requested), empty)
  assert.deepEqual(friendsBoard.open(db)(requested), empty)
  const none = { referredCount: 0, earningCount: 0, rows: [] }
  assert.deepEqual(referralsOf.open(db)(requested), none)
})

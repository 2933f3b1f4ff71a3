import assert from 'node:assert/strict'
import { test } from 'node:test'
import { creditedShares } from '../../../engine/core/decide/money/rewards.ts'
import { concernsBook } from '../../../engine/domain/command-kinds.ts'
import type { ShareCredit } from '../../../engine/domain/rewards/reward-command.ts'
import { dayOf } from '../../../engine/domain/rewards/reward-time.ts'
import { DAY_MS } from '../../../engine/domain/units.ts'
import { type Connection, openInMemory } from '../../../persistence/database.ts'
import { READ_SCHEMA } from '../../../persistence/follower/schema/migrations.ts'
import { isOfRewards, RewardsTable } from '../../../persistence/follower/tables/accounts/rewards.ts'
import { UNPACED } from '../../../persistence/follower/tables/pace.ts'
import { ExchangeDriver } from '../../support/exchange-driver.ts'
import { freshSeed, Random } from '../../support/random.ts'

// What the tables say that profiles earned in shares, against the state of the exchange and a plain
// list of the parts.

const PROFILES = 6
const STEPS = 400
const DAY = 20_000
const PAYOUTS = [
  [1, 0],
  [0, 1],
  [1, 2],
] as const

interface Part {
  readonly account: number
  readonly marketId: number
  readonly outcome: number
  readonly referred: number
  raw: bigint
}

/** Samples with parts in shares, payouts, flushes and starts of the follower. */
class Run {
  readonly driver = new ExchangeDriver(64)
  readonly db: Connection = openInMemory(READ_SCHEMA.migrations)
  /** Parts that wait; those of one account, market, outcome and source are one. */
  readonly waiting = new Map<string, Part>()
  /** By account and market; market 0 for the parts of referrals. */
  readonly earned = new Map<string, bigint>()
  /** By account, market and day. */
  readonly days = new Map<string, bigint>()
  readonly #random: Random
  #table = new RewardsTable(this.db)
  #minute = DAY * 1440

  constructor(random: Random) {
    this.#random = random
    const { driver } = this
    driver.nowMs = DAY * DAY_MS
    driver.onCommand = (command) => {
      if (!concernsBook(command) && isOfRewards(command)) this.#table.applied(command)
    }
    for (let each = 0; each < PROFILES; each++) driver.addAccount(0)
    for (let step = 0; step < STEPS; step++) this.#step()
    this.#flush()
  }

  #step(): void {
    const { driver } = this
    const dice = this.#random.next()
    driver.nowMs += this.#random.below(DAY_MS / 8)
    const open = driver.clearing.catalogue.all().filter(({ isPaidOut }) => !isPaidOut)
    if (open.length < 3) driver.addMarket({ rebateBps: 2500 })
    else if (dice < 0.7) this.#sample()
    else if (dice < 0.8) this.#payOut(this.#random.pick(open).marketId)
    else this.#flush()
  }

  #sample(): void {
    const { driver } = this
    const random = this.#random
    this.#minute = Math.max(this.#minute + 1, Math.floor(driver.nowMs / 60_000))
    const markets = driver.clearing.catalogue.all().slice(-5)
    const parts = Array.from({ length: random.below(5) }, (): ShareCredit => {
      const [account, { marketId }] = [random.between(1, PROFILES), random.pick(markets)]
      const referred = random.pick([0, 0, random.between(1, PROFILES)])
      return [account, marketId, random.below(2), 1 + random.spread(10 ** 9), referred]
    })
    const minute = this.#minute
    driver.control({ kind: 'rewardMinute', minute })
    const { rows, referrals, shares } = creditedShares(driver.clearing, parts)
    const credit = { kind: 'creditRewards', minute, part: 0, isLast: true } as const
    driver.control({ ...credit, rows, referrals, shares })
    for (const [account, marketId, , raw] of rows) this.#earn(account, marketId, raw, minute / 1440)
    for (const [account, , raw] of referrals) this.#earn(account, 0, raw, 0)
    for (const [account, marketId, outcome, raw, referred] of shares) {
      const key = `${account} ${marketId} ${outcome} ${referred}`
      const part = this.waiting.get(key) ?? { account, marketId, outcome, referred, raw: 0n }
      this.waiting.set(key, { ...part, raw: part.raw + BigInt(raw) })
    }
  }

  #earn(account: number, marketId: number, raw: number, day: number): void {
    const add = (to: Map<string, bigint>, key: string) =>
      to.set(key, (to.get(key) ?? 0n) + BigInt(raw))
    add(this.earned, `${account} ${marketId}`)
    if (marketId > 0) add(this.days, `${account} ${marketId} ${Math.floor(day)}`)
  }

  #payOut(marketId: number): void {
    const { driver } = this
    const payoutNumerators = this.#random.pick(PAYOUTS)
    driver.control({ kind: 'resolveMarkets', resolutions: [{ marketId, payoutNumerators }] })
    driver.control({ kind: 'postPayouts', marketIds: [marketId] })
    this.#table.paidOut({ marketId, payoutNumerators }, driver.nowMs)
    const whole = BigInt(payoutNumerators[0] + payoutNumerators[1])
    for (const [key, { account, outcome, referred, raw, ...part }] of this.waiting) {
      if (part.marketId !== marketId) continue
      const worth = Number((raw * BigInt(payoutNumerators[outcome])) / whole)
      this.#earn(account, referred === 0 ? marketId : 0, worth, dayOf(driver.nowMs))
      this.waiting.delete(key)
    }
  }

  #flush(): void {
    this.#table.flush(UNPACED)
    if (this.#random.chance(0.3)) this.#table = new RewardsTable(this.db)
  }
}

test('the tables owe what the state owes, and count parts on the day of their payout', () => {
  const random = new Random(freshSeed())
  const run = new Run(random)
  run.driver.holds()
  const { today, due } = run.driver.clearing.rewards
  const totals = run.db.prepare<[number], { raw: number }>(
    'SELECT earned_raw AS raw FROM reward_totals WHERE owner = ?',
  )
  for (let account = 1; account <= PROFILES; account++) {
    const owed = [today, due].reduce((sum, each) => sum + (each.of(account)?.rebateRaw ?? 0), 0)
    assert.equal(totals.get(account)?.raw ?? 0, owed, `account ${account}`)
    // Each account and outcome is rounded down once, and each source of it by itself.
    const keys = [...run.earned.keys()].filter((key) => key.startsWith(`${account} `))
    const parts = keys.reduce((sum, key) => sum + (run.earned.get(key) ?? 0n), 0n)
    assert.ok(BigInt(owed) >= parts && BigInt(owed) - parts < 1000n, `${owed} and ${parts}`)
  }
  const days = run.db
    .prepare<[], { owner: number; market: number; day: number; raw: number }>(
      'SELECT owner, market_id AS market, day, earned_raw AS raw FROM reward_days ' +
        'WHERE owner > 0 AND market_id > 0 AND earned_raw > 0',
    )
    .all()
  const shown = days.map(({ owner, market, day, raw }) => `${owner} ${market} ${day}: ${raw}`)
  const expected = [...run.days].filter(([, raw]) => raw > 0n).map(([key, raw]) => `${key}: ${raw}`)
  assert.deepEqual(shown.sort(), expected.sort())
  const left = run.db.prepare<[], { count: number }>('SELECT count(*) AS count FROM share_parts')
  assert.equal(left.get()?.count, run.waiting.size)
  const { shareParts } = run.driver.clearing.rewards
  const rows = new Set([...run.waiting.values()].map((part) => `${part.marketId} ${part.account}`))
  assert.equal(shareParts.size, rows.size)
})

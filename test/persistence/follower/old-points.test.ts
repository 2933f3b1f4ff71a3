import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DAY_MS } from '../../../engine/domain/units.ts'
import { type Connection, openInMemory } from '../../../persistence/database.ts'
import { BoardKeeper } from '../../../persistence/follower/boards/board-keeper.ts'
import { OldPoints } from '../../../persistence/follower/pruning/old-points.ts'
import { READ_SCHEMA } from '../../../persistence/follower/schema/migrations.ts'
import { prices } from '../../../persistence/query/read/history/prices.ts'
import { oracleCandles } from '../../../persistence/query/read/markets/oracle-candles.ts'
import { packsOf } from '../../../persistence/query/read/packs/packs.ts'
import { realised } from '../../../persistence/query/read/portfolio/realised.ts'
import { rewards } from '../../../persistence/query/read/portfolio/rewards.ts'
import { freshSeed, Random } from '../../support/random.ts'

// Reads of tables whose old points were deleted, against the same tables with all points.

const random = new Random(freshSeed())
const OWNERS = 5
const DAYS = 500
const NOW_MS = DAYS * DAY_MS
const NOW_HOUR = DAYS * 24
/** What `whole` and `pruned` were given, as rows of each table. */
const ROWS: readonly (readonly [sql: string, rows: readonly (readonly (number | string)[])[]])[] = [
  ['INSERT INTO pnl_hours VALUES (?, ?, ?, ?, ?, ?)', hours()],
  ['INSERT INTO pool_prices VALUES (?, ?, ?, ?)', poolPrices()],
  ['INSERT INTO reward_days VALUES (?, ?, ?, ?)', rewardDays()],
  ['INSERT INTO oracle_candles VALUES (?, ?, ?, 1, 1, 1, 1, 1, 1)', candles()],
  ['INSERT INTO resolutions VALUES (?, ?, ?)', counted(DAYS).map((at) => [at, at, at * DAY_MS])],
]

function counted(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1)
}

/** The last owner was active at the beginning only. */
function hours(): number[][] {
  const rows: number[][] = []
  for (let owner = 1; owner <= OWNERS; owner++) {
    const end = owner === OWNERS ? NOW_HOUR / 4 : NOW_HOUR
    let [total, volume] = [0, 0]
    for (let hour = random.between(1, 100); hour <= end; hour += random.between(1, 60)) {
      total += random.between(-1000, 1000)
      volume += random.between(0, 1000)
      rows.push([owner, hour, total, volume, total, volume])
    }
  }
  return rows
}

function poolPrices(): number[][] {
  return counted(3).flatMap((market) => {
    const end = market === 3 ? DAYS / 4 : DAYS
    return counted(end).map((day) => [market, day * DAY_MS, day, random.between(1, 999_999)])
  })
}

function rewardDays(): number[][] {
  return [0, 1, 2].flatMap((owner) => {
    return [0, 7].flatMap((market) => counted(DAYS).map((day) => [owner, market, day, day]))
  })
}

function candles(): (number | string)[][] {
  return ['BTC', 'ETH'].flatMap((symbol) => {
    return counted(DAYS * 4).map((at) => [symbol, DAY_MS / 4, (at * DAY_MS) / 4])
  })
}

function tables(): Connection {
  const db = openInMemory(READ_SCHEMA.migrations)
  for (const [sql, rows] of ROWS) {
    const insert = db.prepare<(number | string)[]>(sql)
    for (const row of rows) insert.run(...row)
  }
  return db
}

/** Counts boards up to now, as the follower does. */
function count(db: Connection): unknown[] {
  const keeper = new BoardKeeper(db, () => new Set())
  for (const _step of keeper.pass(NOW_MS, NOW_MS));
  return db.prepare('SELECT * FROM boards ORDER BY span_hours, owner').all()
}

function forget(db: Connection, days: number): void {
  const floor = { endedBeforeMs: NOW_MS - days * DAY_MS, seq: DAYS - days }
  for (const _step of new OldPoints(db).forget(floor, NOW_MS));
}

function sizeOf(db: Connection, table: string): number {
  return db.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().all()[0]
}

const SPAN = { nowMs: NOW_MS, pointsMax: 100, wantsMarkets: false }
const WINDOWS = [
  { ...SPAN, stepHours: 1, steps: 24 },
  { ...SPAN, stepHours: 6, steps: 28 },
  { ...SPAN, stepHours: 24, steps: 30 },
]

for (const days of [400, 100, 1]) {
  test(`charts, boards and rewards of the last ${days} days are as without deletion`, () => {
    const [whole, pruned] = [tables(), tables()]
    const boards = count(whole)
    assert.ok(boards.length >= OWNERS)
    assert.deepEqual(count(pruned), boards)
    forget(pruned, days)
    // Counted again from nothing.
    pruned.exec('DELETE FROM boards; DELETE FROM board_counts; DELETE FROM board_passes')
    assert.deepEqual(count(pruned), boards)
    for (const owner of counted(OWNERS)) {
      for (const span of WINDOWS) {
        const params = { ...span, owner }
        assert.deepEqual(realised.open(pruned)(params), realised.open(whole)(params))
      }
      const all = { ...SPAN, owner, stepHours: 24, steps: null }
      const last = realised.open(whole)(all).points.at(-1)
      assert.deepEqual(realised.open(pruned)(all).points.at(-1), last)
    }
    for (const accountId of [1, 2]) {
      const params = { accountId, marketIds: [7], today: DAYS }
      assert.deepEqual(rewards.open(pruned)(params), rewards.open(whole)(params))
    }
    for (const marketId of [1, 2, 3]) {
      const series = { marketId, isPool: true, untilMs: NOW_MS, stepMs: DAY_MS, pointsMax: 5000 }
      const params = { ...series, fromMs: NOW_MS - (days - 1) * DAY_MS }
      assert.deepEqual(prices.open(pruned)(params), prices.open(whole)(params))
    }
    const kept = { symbol: 'BTC', intervalMs: DAY_MS / 4, toMs: NOW_MS, limit: 5000 }
    const params = { ...kept, fromMs: NOW_MS - days * DAY_MS }
    assert.deepEqual(oracleCandles.open(pruned)(params), oracleCandles.open(whole)(params))
    const part = Math.max(days, 31) / DAYS
    for (const table of ['pnl_hours', 'reward_days']) {
      const left = sizeOf(pruned, table) / sizeOf(whole, table)
      assert.ok(left < part + 0.02 && left > part * 0.7, `${left} of ${table} is left`)
    }
    assert.equal(sizeOf(pruned, 'resolutions'), days)
    assert.equal(sizeOf(pruned, 'oracle_candles'), 2 * (days * 4 + 1))
    const ofEnded = days > DAYS * 0.75 ? days - DAYS * 0.75 + 2 : 1
    assert.equal(sizeOf(pruned, 'pool_prices'), 2 * (days + 2) + ofEnded)
  })
}

test('hours that boards have not counted stay', () => {
  const db = tables()
  const before = sizeOf(db, 'pnl_hours')
  forget(db, 1)
  assert.equal(sizeOf(db, 'pnl_hours'), before, 'nothing was counted yet')
  const late = DAYS - 200
  db.exec(`INSERT INTO board_passes VALUES (1, ${late * 24}, ${late * 24})`)
  forget(db, 1)
  const [first] = db
    .prepare<[], { hour: number }>('SELECT hour FROM pnl_hours WHERE owner = 1 LIMIT 1 OFFSET 1')
    .all()
  assert.ok(first.hour >= (late - 31) * 24 && first.hour < (late - 25) * 24, `${first.hour}`)
})

test('ended packs go with their legs, and their pages count what is left', () => {
  const db = openInMemory(READ_SCHEMA.migrations)
  const pack = db.prepare('INSERT INTO packs VALUES (?, 1, NULL, 5, 9, 1, ?, 0, 1, ?, ?)')
  const leg = db.prepare('INSERT INTO pack_legs VALUES (?, 0, 3, 0, 500, 1, 1)')
  for (const id of counted(600)) {
    const isActive = id % 10 === 0
    pack.run(id, isActive ? 0 : 2, isActive ? null : id + 50, id % 3 === 0 ? 7 : null)
    leg.run(id)
  }
  db.exec('INSERT INTO pack_counts VALUES (1, 0, 60), (1, 2, 540)')
  db.exec('INSERT INTO curated_counts VALUES (1, 200)')
  for (const _step of new OldPoints(db).forget({ endedBeforeMs: 0, seq: 450 }, 0));
  const left = counted(600).filter((id) => id % 10 === 0 || id + 50 > 450)
  assert.equal(sizeOf(db, 'pack_legs'), left.length)
  const { rows, total } = packsOf.open(db)({ owner: 1, status: null, limit: 999, offset: 0 })
  assert.deepEqual(
    rows.map(({ packId }) => packId),
    left.toReversed(),
  )
  assert.equal(total, left.length)
  const ofList = db.prepare<[], number>('SELECT count FROM curated_counts').pluck().all()
  assert.deepEqual(ofList, [left.filter((id) => id % 3 === 0).length])
})

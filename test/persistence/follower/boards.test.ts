import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { SIDE } from '../../../engine/domain/order.ts'
import { HOUR_MS } from '../../../engine/domain/units.ts'
import { BoardKeeper } from '../../../persistence/follower/boards/board-keeper.ts'
import { PagePnl } from '../../../persistence/follower/boards/page-pnl.ts'
import { openMatchingReadTables } from '../../../persistence/follower/read-database.ts'
import { PositionCosts } from '../../../persistence/follower/tables/accounts/average-cost.ts'
import { PARTY } from '../../../persistence/follower/tables/accounts/links.ts'
import { BOARD_SPANS } from '../../../persistence/follower/tables/board-spans.ts'
import { UNPACED } from '../../../persistence/follower/tables/pace.ts'
import { leaderboard } from '../../../persistence/query/read/boards/leaderboard.ts'
import { tradedVolume } from '../../../persistence/query/read/boards/owner-sums.ts'
import { tradedMarkets } from '../../../persistence/query/read/boards/traded-markets.ts'
import { positions } from '../../../persistence/query/read/positions.ts'
import { newFolder } from '../../support/data-folder.ts'
import { freshSeed, Random } from '../../support/random.ts'

// Leaderboards (rules §9.5), beside a list of all that was realised and traded.

const { connection } = openMatchingReadTables(newFolder(), () => new Uint8Array(32))
after(() => connection.close())
// One transaction for all: a commit for each row would be most of the time.
connection.exec('BEGIN')
const table = new PositionCosts(connection)
const request = leaderboard.open(connection)
const shares = positions.open(connection)
const volumeOf = tradedVolume.open(connection)
const traded = tradedMarkets.open(connection)
const START_MS = 20_000 * 24 * HOUR_MS
const OWNERS = Array.from({ length: 12 }, (_, index) => index + 1)
const MARKETS = [1, 2, 3, 4, 5]

/** Fills with a pool that took a fee: boards count all of them. */
const MET = { party: PARTY.NONE, isPaid: true } as const

interface Step {
  readonly owner: number
  readonly marketId: number
  readonly ms: number
  readonly pnlRaw: number
  readonly volumeRaw: number
}

interface Row {
  readonly owner: number
  readonly pnlRaw: number
  readonly volumeRaw: number
}

/** All that a profile realised by now, as its positions say. */
function realisedBy(owner: number): number {
  table.flush(UNPACED)
  const rows = shares({ accountId: owner, marketIds: MARKETS })
  return rows.reduce((sum, { realisedRaw }) => sum + realisedRaw, 0)
}

/** One random act of one owner; gives what it changed. */
function act(random: Random, seq: number, ms: number): Step {
  const [owner, marketId] = [random.pick(OWNERS), random.pick(MARKETS)]
  const before = realisedBy(owner)
  table.begin(ms)
  const part = { tradeSeq: seq, owner, marketId, outcome: random.below(2) }
  const sharesRaw = random.between(1, 1000)
  const collateralRaw = random.between(1, 1000)
  const feeRaw = random.below(20)
  const dice = random.next()
  let volumeRaw = 0
  if (dice < 0.8) {
    volumeRaw = collateralRaw + (dice < 0.4 ? 0 : feeRaw)
    table.met({ ...MET, owner, marketId, sharesRaw, riskRaw: volumeRaw })
  }
  if (dice < 0.4) {
    table.traded({ ...part, side: SIDE.BUY, sharesRaw, collateralRaw })
  } else if (dice < 0.8) {
    table.traded({ ...part, side: SIDE.SELL, sharesRaw, collateralRaw, feeRaw })
  } else if (dice < 0.85) table.split(owner, marketId, sharesRaw)
  else if (dice < 0.9) table.redeemed(owner, marketId, [collateralRaw, 0])
  else {
    const leg = { accountId: owner, marketId, outcome: part.outcome }
    const isBack = random.chance(0.5)
    const amounts = isBack
      ? { sharesRaw, collateralRaw: -collateralRaw }
      : { sharesRaw: -sharesRaw, collateralRaw }
    table.reversed(random.below(seq) + 1, [{ ...leg, ...amounts }])
  }
  return { owner, marketId, ms, pnlRaw: realisedBy(owner) - before, volumeRaw }
}

function sumsOf(steps: readonly Step[], isIn: (step: Step) => boolean): Row[] {
  const rows = new Map<number, { owner: number; pnlRaw: number; volumeRaw: number }>()
  for (const step of steps.filter(isIn)) {
    const row = rows.get(step.owner) ?? { owner: step.owner, pnlRaw: 0, volumeRaw: 0 }
    row.pnlRaw += step.pnlRaw
    row.volumeRaw += step.volumeRaw
    rows.set(step.owner, row)
  }
  return [...rows.values()]
    .filter(({ pnlRaw, volumeRaw }) => pnlRaw !== 0 || volumeRaw !== 0)
    .sort((a, b) => b.pnlRaw - a.pnlRaw || b.volumeRaw - a.volumeRaw || a.owner - b.owner)
}

/** The rows of a span that ends with the hour of `nowMs`. */
function slowRows(steps: readonly Step[], spanHours: number, nowMs: number): Row[] {
  const firstHour = Math.floor(nowMs / HOUR_MS) - spanHours + 1
  return sumsOf(steps, ({ ms }) => spanHours === 0 || ms >= firstHour * HOUR_MS)
}

function checkBoards(steps: readonly Step[], nowMs: number): void {
  for (const spanHours of Object.values(BOARD_SPANS)) {
    const slow = slowRows(steps, spanHours, nowMs)
    const plain = (rows: readonly Row[]) =>
      rows.map(({ owner, pnlRaw, volumeRaw }) => ({ owner, pnlRaw, volumeRaw }))
    const all = request({ board: 'pnl', spanHours, offset: 0, limit: 100 })
    assert.deepEqual(plain(all.rows), slow, `pnl of ${spanHours} hours`)
    assert.equal(all.count, slow.length)
    const part = request({ board: 'pnl', spanHours, offset: 3, limit: 4 })
    assert.deepEqual(plain(part.rows), slow.slice(3, 7))
    const byVolume = slow
      .filter(({ volumeRaw }) => volumeRaw > 0)
      .sort((a, b) => b.volumeRaw - a.volumeRaw || a.owner - b.owner)
    const volumes = request({ board: 'volume', spanHours, offset: 0, limit: 100 })
    assert.deepEqual(plain(volumes.rows), byVolume, `volume of ${spanHours} hours`)
    assert.equal(volumes.count, byVolume.length)
  }
}

function finish<T>(work: Generator<undefined, T>): T {
  for (;;) {
    const step = work.next()
    if (step.done === true) return step.value
  }
}

test('boards are the sums of their hours, whenever they are brought up to date', () => {
  const seed = freshSeed()
  const random = new Random(seed)
  const steps: Step[] = []
  let ms = START_MS
  let keeper = new BoardKeeper(connection, () => table.takeChanged())
  for (let round = 1; round <= 120; round++) {
    for (let each = 0; each < 20; each++) {
      ms += Math.floor(HOUR_MS * random.next() ** 4 * 10)
      steps.push(act(random, steps.length + 1, ms))
    }
    // Sometimes nothing is traded for a long time.
    if (random.chance(0.1)) ms += random.below(40 * 24) * HOUR_MS
    const dice = random.next()
    if (dice < 0.2) {
      // A process that ends midway: the next one knows nothing of what changed.
      const cut = keeper.pass(ms, ms)
      for (let step = random.below(30); step > 0; step--) cut.next()
      table.takeChanged()
      keeper = new BoardKeeper(connection, () => table.takeChanged())
    }
    if (dice >= 0.2 && dice < 0.6) continue
    finish(keeper.pass(ms, ms))
    checkBoards(steps, ms)
  }
  finish(keeper.pass(ms, ms))
  checkBoards(steps, ms)
  const laterMs = ms + 25 * HOUR_MS
  finish(keeper.pass(laterMs, ms))
  checkBoards(steps, laterMs)
  for (const owner of OWNERS) {
    const volumeRaw = steps.reduce((sum, step) => {
      return sum + (step.owner === owner ? step.volumeRaw : 0)
    }, 0)
    assert.equal(volumeOf(owner), volumeRaw)
  }
  const pages = new PagePnl(connection)
  for (const marketIds of [null, [1], [2, 4], [9], []]) {
    const rows = finish(pages.rows({ what: 'pnl', nowMs: ms, marketIds }))
    const fromMs = (Math.floor(ms / HOUR_MS) - 23) * HOUR_MS
    const slow = sumsOf(steps, (step) => {
      return step.ms >= fromMs && (marketIds === null || marketIds.includes(step.marketId))
    })
    const flat = slow.flatMap(({ owner, pnlRaw, volumeRaw }) => [owner, pnlRaw, volumeRaw])
    assert.deepEqual([...rows], flat, `markets ${marketIds}`)
  }
})

test('the hours of markets are gone soon after a day', () => {
  const count = connection.prepare<[number], { count: number }>(
    'SELECT count(*) AS count FROM market_hours WHERE hour <= ?',
  )
  const farMs = START_MS + 10_000 * 24 * HOUR_MS
  const part = { tradeSeq: 1, owner: 1, marketId: 3, outcome: 0, sharesRaw: 1, collateralRaw: 2 }
  let left = Number.POSITIVE_INFINITY
  for (let at = 0; left > 0 && at < 2000; at++) {
    table.begin(farMs + at)
    table.traded({ ...part, side: SIDE.BUY })
    table.flush(UNPACED)
    left = count.get(farMs / HOUR_MS - 24)?.count ?? 0
  }
  assert.equal(left, 0)
  assert.deepEqual(traded({ beforeId: 9, limit: 5 }), [3])
})

test('hours that end within one chunk are kept apart', () => {
  const keeper = new BoardKeeper(connection, () => table.takeChanged())
  const owner = 77
  const firstMs = START_MS + 20_000 * 24 * HOUR_MS
  const laterMs = firstMs + 24 * HOUR_MS
  const part = { tradeSeq: 1, owner, marketId: 1, outcome: 0, side: SIDE.BUY, sharesRaw: 1 }
  const met = { ...MET, owner, marketId: 1, sharesRaw: 1 }
  table.begin(firstMs)
  table.met({ ...met, riskRaw: 10 })
  table.traded({ ...part, collateralRaw: 10 })
  table.begin(laterMs)
  table.met({ ...met, riskRaw: 5 })
  table.traded({ ...part, collateralRaw: 5 })
  table.flush(UNPACED)
  finish(keeper.pass(laterMs, laterMs))
  for (const [spanHours, volumeRaw] of [
    [24, 5],
    [168, 15],
  ] as const) {
    const { rows } = request({ board: 'volume', spanHours, offset: 0, limit: 100 })
    assert.equal(rows.find((row) => row.owner === owner)?.volumeRaw, volumeRaw)
  }
})

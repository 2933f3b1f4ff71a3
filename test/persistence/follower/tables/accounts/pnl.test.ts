import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { SIDE } from '../../../../../engine/domain/order.ts'
import { HOUR_MS } from '../../../../../engine/domain/units.ts'
import { openMatchingReadTables } from '../../../../../persistence/follower/read-database.ts'
import { PositionCosts } from '../../../../../persistence/follower/tables/accounts/average-cost.ts'
import { UNPACED } from '../../../../../persistence/follower/tables/pace.ts'
import { realised } from '../../../../../persistence/query/read/portfolio/realised.ts'
import { positions } from '../../../../../persistence/query/read/positions.ts'
import { newFolder } from '../../../../support/data-folder.ts'
import { freshSeed, Random } from '../../../../support/random.ts'

// What profiles realised over time (rules §9.3), beside a list of all that they realised.

const { connection } = openMatchingReadTables(newFolder(), () => new Uint8Array(32))
after(() => connection.close())
const table = new PositionCosts(connection)
const request = realised.open(connection)
const shares = positions.open(connection)
const START_MS = 20_000 * 24 * HOUR_MS

/** All that a profile realised by now, as its positions say. */
function realisedBy(owner: number, marketIds: readonly number[]): number {
  table.flush(UNPACED)
  const rows = shares({ accountId: owner, marketIds })
  return rows.reduce((sum, { realisedRaw }) => sum + realisedRaw, 0)
}

test('each point of a chart is the sum of what was realised until then', () => {
  const random = new Random(freshSeed())
  const owners = [1, 2, 3]
  const marketIds = [1, 2, 3, 4]
  /** What each profile had realised from a time on. */
  const steps: { owner: number; marketId: number; ms: number; totalRaw: number }[] = []
  let ms = START_MS
  for (let seq = 1; seq <= 3000; seq++) {
    ms += Math.floor(HOUR_MS * random.next() ** 4 * 10)
    const [owner, marketId] = [random.pick(owners), random.pick(marketIds)]
    const before = realisedBy(owner, marketIds)
    table.begin(ms)
    const part = { tradeSeq: seq, owner, marketId, outcome: random.below(2) }
    const sharesRaw = random.between(1, 1000)
    const collateralRaw = random.between(1, 1000)
    const dice = random.next()
    if (dice < 0.4) table.traded({ ...part, side: SIDE.BUY, sharesRaw, collateralRaw })
    else if (dice < 0.8) table.traded({ ...part, side: SIDE.SELL, sharesRaw, collateralRaw })
    else if (dice < 0.9) table.split(owner, marketId, sharesRaw)
    else table.redeemed(owner, marketId, [collateralRaw, 0])
    const totalRaw = realisedBy(owner, marketIds)
    if (totalRaw !== before) steps.push({ owner, marketId, ms, totalRaw })
  }
  const totalAt = (owner: number, endMs: number) =>
    steps.filter((each) => each.owner === owner && each.ms < endMs).at(-1)?.totalRaw ?? 0
  for (let round = 0; round < 300; round++) {
    const owner = random.pick([...owners, 9])
    const nowMs = ms + random.below(40 * 24 * HOUR_MS)
    const stepHours = random.pick([1, 6, 24])
    const window = { stepHours, steps: random.pick([24, 28, 30, null]) }
    const found = request({ owner, nowMs, ...window, pointsMax: 400, wantsMarkets: true })
    assert(found.points.length <= 400)
    for (const [index, { atMs, totalRaw }] of found.points.entries()) {
      const isLast = index === found.points.length - 1
      assert.equal(totalRaw, totalAt(owner, isLast ? Number.MAX_SAFE_INTEGER : atMs))
      if (!isLast) assert.equal(atMs % (stepHours * HOUR_MS), 0, 'a point ends a step')
    }
    assert.equal(found.points.at(-1)?.atMs, nowMs)
    if (window.steps === null) continue
    const endMs = Math.floor(nowMs / (stepHours * HOUR_MS)) * stepHours * HOUR_MS
    const fromMs = endMs - window.steps * stepHours * HOUR_MS
    assert.equal(found.beforeRaw, totalAt(owner, fromMs))
    assert.equal(found.points.length, window.steps + 1)
    const changed = steps.filter((each) => each.owner === owner && each.ms >= fromMs)
    assert.equal(found.marketCount, new Set(changed.map(({ marketId }) => marketId)).size)
  }
})

test('a whole history of many years has no more points than a chart shows', () => {
  const owner = 50
  const years = 30
  for (let day = 0; day < years * 365; day += 5) {
    table.begin(START_MS + day * 24 * HOUR_MS)
    const part = { tradeSeq: 1, owner, marketId: 9, outcome: 0, sharesRaw: 1, collateralRaw: 2 }
    table.traded({ ...part, side: SIDE.SELL })
  }
  table.flush(UNPACED)
  const nowMs = START_MS + years * 365 * 24 * HOUR_MS
  const found = request({
    owner,
    nowMs,
    stepHours: 24,
    steps: null,
    pointsMax: 400,
    wantsMarkets: true,
  })
  assert(found.points.length > 300 && found.points.length <= 400, `${found.points.length}`)
  assert.equal(found.points.at(-1)?.totalRaw, years * 73 * 2)
  assert(found.points[0].totalRaw > 0 && found.beforeRaw === 0)
})

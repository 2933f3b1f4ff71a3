import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  DAY_BUCKET_MS,
  DAY_BUCKETS,
  dayBucketOf,
  oldestBucketOf,
} from '../../../../engine/domain/markets/day-window.ts'
import { totalOf } from '../../../../engine/domain/units.ts'
import { DayFigures } from '../../../../server/exchange/read-model/day-figures.ts'
import { freshSeed, Random } from '../../../support/random.ts'

interface Fill {
  readonly bucket: number
  readonly ticks: number
  readonly valueRaw: number
}

/** The day as computed from a plain list of fills. */
function slowDay(fills: readonly Fill[], bucket: number) {
  const day = fills.filter((fill) => fill.bucket >= oldestBucketOf(bucket))
  if (day.length === 0) return null
  const ticks = day.map((fill) => fill.ticks)
  return {
    volume: day.reduce((sum, { valueRaw }) => sum + BigInt(valueRaw), 0n),
    openTicks: ticks[0],
    highTicks: Math.max(...ticks),
    lowTicks: Math.min(...ticks),
  }
}

function shownDay(figures: DayFigures, bucket: number) {
  const view = figures.view(bucket)
  return view === null ? null : { ...view, volume: totalOf(view.volume) }
}

test('the last day is that of a plain list of fills, however buckets come and go', () => {
  const seed = freshSeed()
  const random = new Random(seed)
  for (let round = 0; round < 20; round++) {
    const figures = new DayFigures()
    const fills: Fill[] = []
    let bucket = random.between(1, 5_000_000)
    for (let step = 0; step < 1000; step++) {
      if (random.chance(0.5)) bucket += random.chance(0.02) ? random.between(1, 400) : 1
      const fill = { bucket, ticks: random.between(1, 999), valueRaw: random.spread(2 ** 51) }
      figures.traded(fill.bucket, fill.ticks, fill.valueRaw)
      fills.push(fill)
      const at = bucket + (random.chance(0.1) ? random.between(0, 2 * DAY_BUCKETS) : 0)
      assert.deepEqual(shownDay(figures, at), slowDay(fills, at), `SEED=${seed}`)
    }
  }
})

test('a day has 288 buckets of five minutes, and the current one is the last', () => {
  const figures = new DayFigures()
  const noon = Date.UTC(2026, 0, 1, 12)
  figures.traded(dayBucketOf(noon), 500, 7)
  const dayMs = DAY_BUCKETS * DAY_BUCKET_MS
  assert.notEqual(figures.view(dayBucketOf(noon + dayMs - 1)), null)
  assert.equal(figures.view(dayBucketOf(noon + dayMs)), null)
})

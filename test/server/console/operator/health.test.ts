import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  barsOf,
  bytesText,
  metadataOf,
  stepsOf,
  timeText,
  WANTED,
} from '../../../../server/console/operator/health/health-figures.ts'
import { RecentLooks } from '../../../../server/console/operator/health/recent-looks.ts'
import { Figures, seriesOf } from '../../../../server/ops/figures.ts'
import { type LiveExchange, startLive } from '../../../support/live-exchange.ts'

// What the page of operators makes of the text of the metrics.

let live: LiveExchange
before(async () => {
  live = await startLive()
})
after(() => live.stop())

const step = (fast: number, all: number) => `
outcomex_uptime_seconds 100
outcomex_step_seconds_bucket{kind="order",step="whole",le="0.001"} ${fast}
outcomex_step_seconds_bucket{kind="order",step="whole",le="0.01"} ${all}
outcomex_step_seconds_bucket{kind="order",step="whole",le="+Inf"} ${all}
outcomex_step_seconds_count{kind="order",step="whole"} ${all}
outcomex_http_seconds_count{route="/"} 5
`

test('the first look counts from the start, later ones from the oldest of the last minute', () => {
  const looks = new RecentLooks(WANTED)
  assert.equal(looks.spanMs(0), null)
  const [first] = stepsOf(looks.take(step(98, 100), 0))
  assert.deepEqual([first?.kind, first?.perSec], ['order', 1])
  assert.equal(looks.spanMs(0), null)
  const [second] = stepsOf(looks.take(step(98, 110), 2000))
  assert.deepEqual([second?.perSec, looks.spanMs(2000)], [5, 2000])
  assert.deepEqual(second?.rows, [
    { step: 'whole', count: 10, p50Sec: 0.01, p99Sec: 0.01, bars: [0, 1, 0] },
  ])
  for (let atMs = 10_000; atMs <= 100_000; atMs += 2000) looks.take(step(98, 110), atMs)
  assert.equal(looks.spanMs(100_000), 60_000)
  // Nothing came within the last minute.
  assert.deepEqual(stepsOf(looks.take(step(98, 110), 102_000)), [])
})

test('percentiles are bounds of buckets, and bars parts of the highest', () => {
  const look = (text: string) => ({ atMs: 0, series: seriesOf(text) })
  const figures = new Figures(look(''), look(step(98, 100)))
  const [orders] = stepsOf(figures)
  const [row] = orders?.rows ?? []
  assert.deepEqual([row?.p50Sec, row?.p99Sec], [0.001, 0.01])
  assert.deepEqual(row?.bars, [1, 0.04, 0])
  const buckets = figures.buckets('outcomex_step_seconds', { step: 'whole' })
  assert.deepEqual(buckets, [
    { bound: 0.001, count: 98 },
    { bound: 0.01, count: 2 },
    { bound: Number.POSITIVE_INFINITY, count: 0 },
  ])
  assert.deepEqual(barsOf([]), [])
})

test('times and bytes are shown in units that people read', () => {
  const times = [null, 0.00015, 0.0015, 0.02, 1.5, Number.POSITIVE_INFINITY].map(timeText)
  assert.deepEqual(times, ['–', '150 µs', '1.5 ms', '20 ms', '1.5 s', '> 10 s'])
  assert.deepEqual([-1, 0, 1_500_000, 229_000_000, 83_000_000_000].map(bytesText), [
    'unknown',
    '0.0 MB',
    '1.5 MB',
    '229 MB',
    '83.0 GB',
  ])
})

test('threads are shown by their part of the time, equal ones by name', () => {
  const busySec = Object.entries({ 'market-1': 1, main: 95.4, query: 0, 'market-0': 1, journal: 9 })
  const lines = busySec.map(([thread, sec]) => {
    return `outcomex_thread_busy_seconds_total{thread="${thread}"} ${sec}`
  })
  const figures = new RecentLooks(WANTED).take(
    `outcomex_uptime_seconds 100\n${lines.join('\n')}`,
    0,
  )
  const threads = metadataOf(figures).find(({ label }) => label === 'Threads at work')
  assert.deepEqual(threads?.metadata, [
    ['main', '95%', true],
    ['journal', '9.0%', false],
    ['market-0', '1.0%', false],
    ['market-1', '1.0%', false],
    ['query', '0.0%', false],
  ])
})

test('every series that the page wants is one of a running exchange', async () => {
  const market = await live.openMarket('rain')
  await live.place(await live.trader(100_000_000), market, { sizeRaw: 1_000_000 })
  const counted = 'outcomex_step_seconds_count{kind="order",step="whole"} 1'
  // The text of the metrics is made at most once a second.
  while (!(await live.metrics()).includes(counted)) await new Promise(setImmediate)
  const text = await live.metrics()
  // A counter without labels that never counted has no series, but its name is there.
  for (const name of WANTED)
    assert.ok(text.includes(name.replace(/_(bucket|sum|count)$/, '')), name)
  const figures = new RecentLooks(WANTED).take(text, 0)
  const [orders] = stepsOf(figures)
  assert.equal(orders?.kind, 'order')
  assert.deepEqual(
    orders?.rows.map((row) => row.step),
    ['read', 'intake', 'sequence', 'journal', 'match', 'settle', 'publish', 'whole'],
  )
  const groups = metadataOf(figures)
  const bad = groups.flatMap(({ metadata }) => metadata.filter(([, , isBad]) => isBad === true))
  assert.deepEqual(bad, [])
  const open = groups.flatMap(({ metadata }) => metadata).find(([label]) => label === 'Open orders')
  assert.deepEqual(open?.[1], '1')
})

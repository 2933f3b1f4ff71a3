import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Distribution } from '../../../engine/thread/distribution.ts'
import { Metrics } from '../../../server/ops/metrics.ts'
import { watchProcess } from '../../../server/ops/process-metrics.ts'

test('metrics count calls by route and status, and refusals by name, and read gauges', async () => {
  const metrics = new Metrics(0)
  const call = { method: 'GET', receivedMs: 10, readMs: 11 }
  const route = { method: 'GET', path: '/orders/:id', rateClass: 'private' }
  const round = { call, route, status: 404, refusal: 'ORDER_NOT_FOUND', endedMs: 12 }
  assert.equal(metrics.http(round), 'query')
  metrics.http({ ...round, call: { ...call, method: 'MADEUP' }, route: null, refusal: null })
  const order = { method: 'POST', path: '/orders', rateClass: 'trade' }
  assert.equal(metrics.http({ ...round, route: order, status: 0, refusal: null }), 'order')
  assert.equal(metrics.http({ ...round, route: { ...order, path: '/x' } }), 'cancel')
  assert.equal(metrics.http({ ...round, route: { ...order, rateClass: 'admin' } }), 'change')
  let size = 1
  metrics.gauge('toy_size', 'A size.', () => size)
  metrics.totals('toy_total', 'A count.', ['of'], () => [{ labels: { of: 'x' }, value: 3 }])
  const took = new Distribution([1000, 2000])
  for (const micros of [1, 1000, 1001, 5000]) took.record(micros)
  metrics.seconds('toy_seconds', 'A time.', () => [{ labels: { of: 'y' }, values: took }])
  size = 5
  // The text is read twice, because reading must not count anything.
  await metrics.text()
  const text = await metrics.text()
  for (const line of [
    'outcomex_http_requests_total{method="GET",route="/orders/:id",status="404"} 1',
    'outcomex_http_requests_total{method="other",route="none",status="404"} 1',
    'outcomex_refusals_total{code="ORDER_NOT_FOUND"} 3',
    'outcomex_http_seconds_count{method="GET",route="/orders/:id"} 1',
    'outcomex_http_seconds_sum{method="GET",route="/orders/:id"} 0.002',
    'toy_size 5',
    'toy_total{of="x"} 3',
    'toy_seconds_bucket{of="y",le="0.001"} 2',
    'toy_seconds_bucket{of="y",le="0.002"} 3',
    'toy_seconds_bucket{of="y",le="+Inf"} 4',
    'toy_seconds_sum{of="y"} 0.007002',
    'toy_seconds_count{of="y"} 4',
  ]) {
    assert.ok(text.includes(`${line}\n`), `${line}\n${text}`)
  }
})

test('the costs of the process have metrics even before the first measurement', async () => {
  const metrics = new Metrics()
  const end = watchProcess(metrics)
  const text = await metrics.text()
  end()
  for (const name of [
    'event_loop_delay_seconds_count',
    'event_loop_delay_seconds_sum',
    'resident_bytes',
    'heap_bytes',
    'uptime_seconds',
    'collection_seconds_count{thread="main"}',
    'cpu_seconds_total{mode="user"}',
    'cpu_seconds_total{mode="system"}',
  ]) {
    const line = text.split('\n').find((each) => each.startsWith(`outcomex_${name} `))
    assert.match(line ?? name, / [0-9.e-]+$/)
  }
})

test('the text is made once in an interval, however often it is read', async () => {
  const metrics = new Metrics(60_000)
  let reads = 0
  metrics.gauge('toy_reads', 'How often it was made.', () => ++reads)
  const texts = await Promise.all(Array.from({ length: 100 }, () => metrics.text()))
  assert.equal(reads, 1)
  assert.equal(new Set(texts).size, 1)
})

test('no client can add a series: unknown paths and methods share one', async () => {
  const metrics = new Metrics(0)
  const call = { method: 'GET', receivedMs: 1, readMs: 2 }
  const round = { call, route: null, status: 404, refusal: 'PATH_NOT_FOUND', endedMs: 3 }
  const seriesOf = async () => (await metrics.text()).match(/^outcomex_http/gm)?.length
  metrics.http({ ...round, call: { ...call, method: 'BREW' } })
  const before = await seriesOf()
  for (let each = 0; each < 1000; each++) {
    metrics.http({ ...round, call: { ...call, method: `BREW${each}` } })
  }
  assert.equal(await seriesOf(), before)
})

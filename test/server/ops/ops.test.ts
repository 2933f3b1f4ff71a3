import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openLog } from '../../../server/ops/log.ts'
import { Metrics } from '../../../server/ops/metrics.ts'

test('metrics count calls by route and status, refusals by name, and read gauges', async () => {
  const metrics = new Metrics()
  const turn = {
    method: 'GET',
    route: '/orders/:id',
    status: 404,
    refusal: 'ORDER_NOT_FOUND',
    tookMs: 2,
  }
  metrics.http(turn)
  metrics.http({ ...turn, method: 'MADEUP', status: 405, refusal: null })
  let size = 1
  metrics.gauge('toy_size', 'A size.', () => size)
  metrics.counter('toy_total', 'A count.')(3)
  metrics.histogram('toy_seconds', 'A time.', [1])(0.5)
  size = 5
  const text = await metrics.text()
  metrics.stop()
  for (const line of [
    'outcomex_http_requests_total{method="GET",route="/orders/:id",status="404"} 1',
    'outcomex_http_requests_total{method="other",route="/orders/:id",status="405"} 1',
    'outcomex_refusals_total{code="ORDER_NOT_FOUND"} 1',
    'outcomex_http_seconds_count{route="/orders/:id"} 2',
    'toy_size 5',
    'toy_total 3',
    'toy_seconds_bucket{le="1"} 1',
  ]) {
    assert.ok(text.includes(line), line)
  }
  assert.match(text, /outcomex_event_loop_delay_p99_seconds /)
})

test('a log holds no secrets', () => {
  let written = ''
  const log = openLog('info', { write: (line) => (written += line) })
  log.info({ secret: 'hush', request: { authorization: 'hush', path: '/x' } }, 'said')
  log.debug('not at this level')
  assert.match(written, /"path":"\/x".*"msg":"said"/)
  assert.ok(!written.includes('hush') && !written.includes('level":20'))
})

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { Distribution } from '../../../engine/thread/distribution.ts'
import { Metrics } from '../../../server/ops/metrics.ts'
import { newFolder } from '../../support/data-folder.ts'
import { exchange } from '../../support/exchange.ts'
import { rulesBroken } from '../../support/exposition-rules.ts'

// The text of /metrics keeps every rule of `promtool check metrics`.

test('metrics of an exchange with trades and refusals keep the rules of the format', async () => {
  const { live } = await exchange({ flags: ['--trace', join(newFolder(), 'trace')], limited: true })
  const market = await live.openMarket('exposed')
  const alice = await live.trader(100_000_000)
  await live.placed(alice, market, { ticks: 300 })
  assert.equal((await live.place(alice, market, { ticks: 300, sizeRaw: 1e12 })).status, 400)
  assert.equal((await live.send('BREW', '/"nowhere\\')).status, 404)
  assert.deepEqual(rulesBroken(await live.metrics()), [])
})

test('any text in a label is escaped', async () => {
  const metrics = new Metrics(0)
  const took = new Distribution([1000])
  took.record(5)
  const labels = { of: 'a "quoted"\nback\\slash, and a {brace}' }
  metrics.totals('toy_total', 'A count.', ['of'], () => [{ labels, value: 3 }])
  metrics.seconds('toy_seconds', 'A time.', () => [{ labels, values: took }])
  assert.deepEqual(rulesBroken(await metrics.text()), [])
})

test('the check finds each broken rule', () => {
  const head = (name: string, type: string) => `# HELP ${name} Some.\n# TYPE ${name} ${type}\n`
  const counter = head('a_total', 'counter')
  const whole = 's_bucket{le="1"} 1\ns_bucket{le="+Inf"} 2\ns_sum 3\ns_count 2\n'
  assert.deepEqual(rulesBroken(`${counter}a_total 1\n${head('s', 'histogram')}${whole}`), [])
  for (const [broken, why] of [
    [`${counter}a_total 1`, /the last line ends/],
    [`${counter}a_total 1\n${head('b', 'gauge')}b 1\n${counter}`, /two pieces/],
    [`${counter}a_total 1\na_total 2\n`, /twice/],
    [`${counter}a_total{x="1",x="2"} 1\n`, /no sample/],
    [`${counter}a_total{x="a"b"} 1\n`, /no sample/],
    [`${counter}a_total one\n`, /no sample/],
    [`${counter}a_total 1 trailing\n`, /no sample/],
    ['a_total 1\n', /no sample/],
    [`${head('a', 'counter')}a 1\n`, /end in _total/],
    [`${head('a_total', 'gauge')}a_total 1\n`, /end in _total/],
    [`${head('a_ms', 'gauge')}a_ms 1\n`, /units/],
    [`${head('a_count', 'gauge')}a_count 1\n`, /suffixes/],
    [`${head('a', 'gauge')}a{quantile="1"} 1\n`, /quantile/],
    [`# TYPE a gauge\na 1\n`, /help/],
    [`${head('s', 'histogram')}${whole.replace('_count 2', '_count 3')}`, /count/],
    [`${head('s', 'histogram')}${whole.replace('"+Inf"', '"0"')}`, /bounds/],
    [`${head('s', 'histogram')}${whole.replace('"1"} 1', '"1"} 5')}`, /cumulative/],
  ] as const) {
    assert.match(rulesBroken(broken).join('\n'), why, broken)
  }
})

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { aimOf, aimsOf, isReached, judge, reachOf } from '../../../bench/harness/aims.ts'
import { type Row, rowOf } from '../../../bench/harness/bench.ts'
import { pageBlock, readmeBlock } from '../../../bench/harness/documents.ts'
import { summaryOf, tableOf } from '../../../bench/harness/tables.ts'
import { bench as httpBench } from '../../../bench/http.bench.ts'
import { bench as memoryBench } from '../../../bench/memory.bench.ts'

const other = rowOf('another', 'ns/op', [40])
const row = rowOf('a case', 'ns/op', [30, 10, 20], other)

test('a ratio says how many times better a case is, for costs and for rates', () => {
  assert.equal(row.ratio, 2)
  assert.equal(rowOf('a case', 'orders/s', [30], rowOf('another', 'orders/s', [40])).ratio, 0.75)
})

test('a table shows the median, the extremes, the spread and the ratio', () => {
  assert.deepEqual([row.median, row.min, row.max], [20, 10, 30])
  const [head, line] = tableOf({ name: 'a bench', rows: [row] }, []).split('\n')
  assert.match(head, /^a bench +unit +median +min +max +spread +ratio +baseline/)
  assert.match(line, /^a case +ns\/op +20\.0 +10\.0 +30\.0 +100% +2\.00× +another$/)
})

test('a figure says when its baseline was not steady', () => {
  const aims = aimsOf('≥ 0.7×  ^1 market  orders')
  const shown = (samples: readonly number[]) => {
    const echo = rowOf('echo', 'orders/s', samples)
    const rows = [rowOf('1 market', 'orders/s', [10], echo), echo]
    return tableOf({ name: 'http', rows }, aims) + summaryOf([{ aims, rows }])
  }
  assert.equal(shown([40, 40, 61]).match(/baseline varied by 53%/g)?.length, 2)
  assert.doesNotMatch(shown([40, 40, 59]), /varied/)
})

const CASES: readonly (readonly [reach: string, median: number, ratio: number, met: boolean])[] = [
  ['≥ 60×', 1, 60, true],
  ['≥ 60×', 1, 59, false],
  ['≤ 1.25×', 1, 0.8, true],
  ['≤ 1.25×', 1, 0.79, false],
  // The baseline takes 1. A figure of 3 is more than twice that, but not more than 2 above it.
  ['≤ 2× or + 2 ms', 3, 1 / 3, true],
  ['≤ 2× or + 1 ms', 3, 1 / 3, false],
  ['≥ 2,000,000 commands/s', 2_000_000, 0, true],
  ['≥ 2,000,000 commands/s', 1_999_999, 0, false],
  ['none', 0, 0, true],
  ['none', 1, 0, false],
  ['≤ 320 bytes', 320, 0, true],
  ['≤ 320 bytes', 321, 0, false],
]

test('an aim is met at its bound', () => {
  for (const [text, median, ratio, met] of CASES) {
    assert.equal(isReached(reachOf(text), { ...row, median, ratio }), met, `${text}: ${median}`)
  }
})

test('an aim in no known form is refused', () => {
  assert.equal(reachOf('≥ 0.7×, ideally 0.8×').ideal, 0.8)
  for (const text of ['60×', '≥ many', '≤ 2× or more']) assert.throws(() => reachOf(text))
})

const against = (name: string, ratio: number): Row => {
  return { ...rowOf(name, 'orders/s', [1000]), baseline: 'echo', ratio }
}
const rows = [against('1 market', 0.9), against('4 markets', 0.75)]
const { aims } = httpBench
const measured = [
  { aims, rows },
  { aims: memoryBench.aims, rows: [] },
]

test('the worst case of an aim counts, and an aim without a measurement is not met', () => {
  const judged = judge(measured)
  assert.equal(judged.length, aims.length + memoryBench.aims.length)
  const found = judged.filter((each) => each.row !== undefined)
  assert.deepEqual(
    found.map(({ row }) => row?.case),
    ['4 markets'],
  )
  assert.equal(aimOf(aims, rows[0]), found[0].aim)
  const summary = summaryOf(measured)
  assert.match(summary, /signed orders over HTTP.* ≥ 0\.7×.* 0\.75× +met, short of 0\.8×/)
  assert.match(summary, /memory per dead order.* not measured +–/)
})

test('memory that shrank is no growth', () => {
  const grown = {
    aims: aimsOf('≤ 4 bytes  ^grown  growth'),
    rows: [rowOf('grown', 'bytes', [-37])],
  }
  assert.match(summaryOf([grown]), /^growth +≤ 4 bytes +none +met$/m)
})

const result = (name: string, ...own: Row[]) => ({ name, commit: 'abc', machine: 'M', rows: own })
const results = [
  result(
    'http',
    ...rows,
    rowOf('1 edge thread', 'orders/s', [9000]),
    rowOf('2 edge threads', 'orders/s', [15_000]),
    rowOf('p50 at 1000/s', 'ms', [0.5]),
    rowOf('p99 at 1000/s', 'ms', [1.5]),
  ),
  result(
    'book',
    rowOf('ours, 10,000 live', 'ns/op', [10], rowOf('nodejs-order-book, 10,000', 'ns/op', [20])),
    rowOf('ours, 10,000 live', 'ns/op', [10], rowOf('objects and Maps, 10,000', 'ns/op', [11])),
  ),
  result(
    'reads',
    rowOf('read: detail, p99, 5000 markets', 'ms', [3], rowOf('read: few', 'ms', [2])),
    rowOf('read: feed, p99, 5000 markets', 'ms', [5], rowOf('read: few', 'ms', [2])),
    rowOf('read: few, p99, 50 markets', 'ms', [9]),
  ),
]

test('the README has the figures that matter, and names the machine once', () => {
  const text = readmeBlock(results)
  assert.match(text, /^Measured on M\.\n/)
  assert.match(text, /^\| Signed orders over HTTP.* \| 9,000 orders\/s \|$/m)
  assert.match(text, /^\| .*99th percentile \| 1\.500 ms \|$/m)
  assert.match(text, /^\| Order book, times as fast as .* \| 2\.00× \|$/m)
  assert.match(text, /^\| Public reads, p99: .* \| 2\.50× \|$/m)
  assert.doesNotMatch(text, /abc/)
})

test('the page has summary, intake curve and latencies', () => {
  const text = pageBlock([httpBench, memoryBench], results)
  assert.match(text, /^Measured on M\.\n/)
  assert.match(text, /\| signed orders over HTTP.* \| 0\.75× \| met, short of 0\.8× \|/)
  assert.match(text, /\| edge threads \| orders\/s \|\n.*\n\| 1 \| 9,000 \|\n\| 2 \| 15,000 \|/)
  assert.match(text, /\| 1,000 \| 0\.500 \| 1\.500 \|/)
  assert.match(text, /\| memory per dead order.* \| not measured \| – \|/)
})

test('the page of benchmarks has every aim of every bench, and no other', () => {
  const folder = new URL('../../../bench/', import.meta.url)
  const files = readdirSync(folder).filter((name) => name.endsWith('.bench.ts'))
  const tables = files.map((name) => {
    const [, inline = '', table = inline] =
      /aims: '(.*)'|const AIMS = `([^`]*)`/.exec(readFileSync(new URL(name, folder), 'utf8')) ?? []
    return table
  })
  const known = aimsOf(tables.join('\n')).map(({ about, text }) => `| ${about} | ${text} |`)
  const page = readFileSync(new URL('../server/docs/benchmarks.md', folder), 'utf8')
  const [, block = ''] = page.split(/^<!-- \/?bench -->$/m)
  const [, summary = ''] = block.split('|---|---|---|---|')
  const lines = summary.split('\n\n')[0].trim().split('\n')
  const shown = lines.map((line) => `${line.split('|', 3).join('|')}|`)
  assert.ok(known.length > 40, 'aims are found')
  assert.deepEqual(shown.sort(), known.sort())
})

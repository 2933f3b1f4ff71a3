import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AIMS, aimOf, isReached, judge, type Reach } from '../../../bench/report/aims.ts'
import { rowOf } from '../../../bench/report/report.ts'
import { readmeBlock, summaryOf, tableOf } from '../../../bench/report/tables.ts'

const row = rowOf('a case', 'ns/op', [30, 10, 20], { yardstick: 'another', ratio: 2 })

test('a table shows the median, the extremes, the spread and the ratio', () => {
  assert.deepEqual([row.median, row.min, row.max], [20, 10, 30])
  const [head, line] = tableOf({ name: 'a bench', rows: [row] }).split('\n')
  assert.match(head, /^a bench +unit +median +min +max +spread +ratio +yardstick/)
  assert.match(line, /^a case +ns\/op +20\.0 +10\.0 +30\.0 +100% +2\.00× +another$/)
})

test('a figure says when its yardstick was not steady', () => {
  const figure = rowOf('1 market', 'orders/s', [10], { yardstick: 'echo', ratio: 1 })
  const shown = (echo: readonly number[]) => {
    const report = { name: 'http', rows: [figure, rowOf('echo', 'orders/s', echo)] }
    return tableOf(report) + summaryOf([report])
  }
  assert.equal(shown([40, 40, 61]).match(/yardstick varied by 53%/g)?.length, 2)
  assert.doesNotMatch(shown([40, 40, 59]), /varied/)
})

const CASES: readonly (readonly [Reach, median: number, ratio: number, met: boolean])[] = [
  [{ kind: 'times better', min: 60 }, 1, 60, true],
  [{ kind: 'times better', min: 60 }, 1, 59, false],
  [{ kind: 'times its cost', max: 1.25 }, 1, 0.8, true],
  [{ kind: 'times its cost', max: 1.25 }, 1, 0.79, false],
  // The yardstick takes 1. A figure of 3 is more than twice that, but not more than 2 above it.
  [{ kind: 'times its cost', max: 2, orMore: 2 }, 3, 1 / 3, true],
  [{ kind: 'times its cost', max: 2, orMore: 1 }, 3, 1 / 3, false],
  [{ kind: 'at least', min: 100 }, 100, 0, true],
  [{ kind: 'at least', min: 100 }, 99, 0, false],
  [{ kind: 'at most', max: 0 }, 0, 0, true],
  [{ kind: 'at most', max: 0 }, 1, 0, false],
  [{ kind: 'at most', max: 320 }, 320, 0, true],
  [{ kind: 'at most', max: 320 }, 321, 0, false],
]

test('an aim is met at its bound', () => {
  for (const [reach, median, ratio, met] of CASES) {
    const found = isReached(reach, { ...row, median, ratio })
    assert.equal(found, met, JSON.stringify({ reach, median, ratio }))
  }
})

const against = (name: string, ratio: number) =>
  rowOf(name, 'orders/s', [1000], { yardstick: 'echo', ratio })
const http = { name: 'http', rows: [against('1 market', 0.9), against('4 markets', 0.75)] }

test('the worst case of an aim counts, and an aim without a measurement is not met', () => {
  const judged = judge([http])
  assert.equal(judged.length, AIMS.length)
  const found = judged.filter((each) => each.row !== undefined)
  assert.deepEqual(
    found.map((each) => [each.row?.case, each.isMet]),
    [['4 markets', true]],
  )
  assert.equal(aimOf('http', http.rows[0]), found[0].aim)
  const summary = summaryOf([http])
  assert.match(summary, /signed orders over HTTP.* ≥ 0\.7×.* 0\.75× +met, short of 0\.8×/)
  assert.match(summary, /memory per dead order.* not measured +–/)
})

test('the README block has summary, intake curve and latencies, and their origin', () => {
  const more = [
    rowOf('1 intake thread', 'orders/s', [9000]),
    rowOf('2 intake threads', 'orders/s', [15_000]),
    rowOf('p50 at 1000/s', 'ms', [0.5]),
    rowOf('p99 at 1000/s', 'ms', [1.5]),
  ]
  const rows = [...http.rows, ...more]
  const text = readmeBlock([{ name: 'http', commit: 'abc', machine: 'a machine', rows }])
  assert.match(text, /^Measured on a machine, at abc\.\n/)
  assert.match(text, /\| signed orders over HTTP.* \| 0\.75× \| met, short of 0\.8× \|/)
  assert.match(text, /\| intake threads \| orders\/s \|\n.*\n\| 1 \| 9,000 \|\n\| 2 \| 15,000 \|/)
  assert.match(text, /\| 1,000 \| 0\.500 \| 1\.500 \|/)
})

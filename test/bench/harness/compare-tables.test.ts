import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Report, rowOf } from '../../../bench/harness/bench.ts'
import { compareTable, type Side } from '../../../bench/harness/compare-tables.ts'
import { canReport, chanceOf, changeOf, FALSE_ALARM_MAX } from '../../../bench/harness/noise.ts'
import { freshSeed, Random } from '../../support/random.ts'

const LOW = [1, 2, 3, 4, 5, 6]
/** Chances from the published tables of the test: the share of all ways that differ as much. */
const KNOWN: readonly (readonly [before: number[], now: number[], chance: number])[] = [
  [[1, 2, 3], [4, 5, 6], 2 / 20],
  [[1, 2, 3, 4], [5, 6, 7, 8], 2 / 70],
  [[5, 6, 7, 8], [1, 2, 3, 4], 2 / 70],
  [[1, 2, 3, 5], [4, 6, 7, 8], 4 / 70],
  [[1, 2, 3, 4, 7], [5, 6, 8, 9, 10], 8 / 252],
  [[1, 2, 3, 4, 8], [5, 6, 7, 9, 10], 14 / 252],
  [LOW, LOW.map((each) => each + 6), 2 / 924],
  [[1], [2], 1],
  [[7, 7, 7, 7], [7, 7, 7, 7], 1],
  [[0, 0, 0, 0], [1, 1, 1, 1], 2 / 70],
]

test('the chance of a difference agrees with the published tables', () => {
  for (const [before, now, chance] of KNOWN) {
    const found = chanceOf(before, now)
    assert.ok(Math.abs(found - chance) < 1e-12, `${before} and ${now}: ${found}, not ${chance}`)
  }
})

/** Tries every way to deal out the values and counts pairs: slow, and with another statistic. */
function slowChance(before: readonly number[], now: readonly number[]): number {
  const values = [...before, ...now]
  const shift = (isNow: (index: number) => boolean) => {
    let wins = 0
    for (const [a, low] of values.entries()) {
      for (const [b, high] of values.entries()) {
        if (!isNow(a) && isNow(b)) wins += Math.sign(high - low)
      }
    }
    return Math.abs(wins)
  }
  const seen = shift((index) => index >= before.length)
  let all = 0
  let asWide = 0
  for (let mask = 0; mask < 1 << values.length; mask++) {
    const isNow = (index: number) => (mask >> index) % 2 === 1
    if (values.filter((_, index) => isNow(index)).length !== now.length) continue
    all++
    if (shift(isNow) >= seen) asWide++
  }
  return asWide / all
}

test('ties and sides of unequal length give the chance that every deal gives', () => {
  const random = new Random(freshSeed())
  const draw = (count: number) => Array.from({ length: count }, () => random.below(6))
  for (let round = 0; round < 60; round++) {
    const [before, now] = [draw(random.between(1, 5)), draw(random.between(1, 5))]
    const [found, slow] = [chanceOf(before, now), slowChance(before, now)]
    assert.ok(Math.abs(found - slow) < 1e-12, `${before} and ${now}: ${found}, not ${slow}`)
  }
})

test('four passes of each side are the fewest that can show a difference', () => {
  assert.deepEqual(
    [canReport(1, 1), canReport(3, 3), canReport(4, 4), canReport(3, 5)],
    [false, false, true, true],
  )
  assert.equal(changeOf([1, 2, 3, 4], [5, 6, 7, 8]), 1)
  assert.equal(changeOf([5, 6, 7, 8], [1, 2, 3, 4]), -1)
  assert.equal(changeOf([1, 2, 3, 5], [4, 6, 7, 8]), 0)
})

const side = (name: string, ...passes: Report['rows'][]): Side => ({
  name,
  passes: passes.map((rows) => ({ name: 'core', rows })),
})
/** The rows of one pass: nanoseconds, commands a second, bytes. */
const rows = (ns: number, perSecond: number, bytes: number) => [
  rowOf('core', 'ns/op', [ns - 1, ns, ns + 1]),
  rowOf('core', 'commands/s', [perSecond]),
  rowOf('core', 'bytes', [bytes]),
]

test('a row shows medians, ranges and spread of the passes, and a verdict', () => {
  const before = side('abc', rows(100, 50, 8), rows(102, 70, 8), rows(104, 60, 8), rows(110, 65, 8))
  const now = side('now', rows(50, 90, 9), rows(55, 60, 9), rows(52, 68, 9), rows(60, 80, 9))
  const [head, ns, perSecond, bytes, , ...legend] = compareTable(before, now).split('\n')
  assert.match(head, /^case +unit +abc +passes +now +passes +better +spread +verdict$/)
  const nsCells = ['103.0', '100.0 to 110.0', '53.5', '50.0 to 60.0', '1.93×', '19%', 'faster']
  assert.deepEqual(ns.split(/ {2,}/).slice(2), nsCells)
  assert.match(perSecond, / 1\.18× +41% +no difference beyond noise$/)
  assert.match(bytes, / 0\.89× +0% +more$/)
  assert.match(legend.join('\n'), /exact test of Mann and Whitney on the passes.* 5%/)
  assert.doesNotMatch(legend.join('\n'), /PASSES/)
})

test('a higher rate is faster, and a case of one side alone has no verdict', () => {
  const rate = (from: number) => [0, 1, 2, 3].map((n) => [rowOf('a', 'orders/s', [from + n])])
  const [low, high] = [side('low', ...rate(10)), side('high', ...rate(20))]
  assert.match(compareTable(low, high), / faster$/m)
  assert.match(compareTable(high, low), / slower$/m)
  const other = side('other', [rowOf('b', 'ms', [1])])
  assert.doesNotMatch(compareTable(low, other), /faster|slower|beyond noise/)
})

test('a comparison of too few passes says that it can show no difference', () => {
  const [before, now] = [1, 9].map((ns) => side('x', ...[0, 1, 2].map((n) => rows(ns + n, 1, 1))))
  const text = compareTable(before, now)
  assert.match(text, /^core +ns\/op .* no difference beyond noise$/m)
  assert.match(text, /^3 and 3 passes can show no difference at all: take PASSES=4\.$/m)
})

const CASES = 3000
const ROWS = 20
/** The exact share of all deals that the test calls a difference at 5%, by passes per side. */
const ALARMS: readonly (readonly [passes: number, part: number])[] = [
  [4, 2 / 70],
  [5, 8 / 252],
  [6, 38 / 924],
]
/** The noise of a machine: even, with a long tail, or with an extreme pass now and then. */
const NOISES: Readonly<Record<string, (random: Random) => number>> = {
  even: (random) => 100 + random.next(),
  skewed: (random) => 100 - 20 * Math.log(1 - random.next()),
  wild: (random) => 100 + random.next() + (random.chance(0.1) ? 1000 : 0),
}

/** The verdicts of comparisons of `CASES` cases; `figure` draws each pass of each side. */
function verdicts(passes: number, figure: (side: 'before' | 'now') => number): string[] {
  const pass = (of: 'before' | 'now') =>
    Array.from({ length: ROWS }, (_, index) => rowOf(`case ${index}`, 'ns/op', [figure(of)]))
  const drawn = (of: 'before' | 'now') =>
    side(of, ...Array.from({ length: passes }, () => pass(of)))
  const found: string[] = []
  while (found.length < CASES) {
    const lines = compareTable(drawn('before'), drawn('now'))
      .split('\n')
      .slice(1, ROWS + 1)
    found.push(...lines.map((line) => line.split(/ {2,}/).at(-1) ?? ''))
  }
  return found
}

test('unchanged cases are called changed as often as the test allows', () => {
  const random = new Random(freshSeed())
  for (const [name, noise] of Object.entries(NOISES)) {
    for (const [passes, part] of ALARMS) {
      assert.ok(part <= FALSE_ALARM_MAX, 'the exact share is within the nominal one')
      const found = verdicts(passes, () => noise(random))
      const isQuiet = (verdict: string) => verdict === 'no difference beyond noise'
      const alarms = found.filter((verdict) => !isQuiet(verdict)).length
      // Five standard deviations: one run in two million fails by chance.
      const slack = 5 * Math.sqrt(CASES * part * (1 - part))
      const text = `${name} noise, ${passes} passes: ${alarms} of ${CASES}`
      assert.ok(Math.abs(alarms - CASES * part) <= slack, text)
    }
  }
})

test('a change wider than the noise is always reported, with its direction', () => {
  const random = new Random(freshSeed())
  const faster = verdicts(4, (of) => (of === 'now' ? 90 : 100) + random.next())
  assert.deepEqual(new Set(faster), new Set(['faster']))
  const slower = verdicts(4, (of) => (of === 'now' ? 110 : 100) + random.next())
  assert.deepEqual(new Set(slower), new Set(['slower']))
})

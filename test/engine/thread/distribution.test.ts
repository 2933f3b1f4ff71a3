import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Distribution, logLinear, MICROS } from '../../../engine/thread/distribution.ts'
import { freshSeed, Random } from '../../support/random.ts'

const random = new Random(freshSeed())

/** The index of the first bound that is not below the value, found by a look at each. */
function slowBucket(bounds: readonly number[], value: number): number {
  const found = bounds.findIndex((bound) => value <= bound)
  return found < 0 ? bounds.length : found
}

/** Values of all magnitudes, and the neighbours of every bound. */
function* valuesFor(bounds: readonly number[]): Generator<number> {
  for (const bound of [0, ...bounds]) {
    for (const by of [-1, -0.001, 0, 0.001, 1]) yield bound + by
  }
  for (let count = 0; count < 20_000; count++) yield 2 ** (random.next() * 40) - 1
  yield* [2 ** 31 - 1, 2 ** 31, 2 ** 32, 2 ** 53]
}

test('every value falls into the bucket that a look at each bound finds', () => {
  const ladders = [MICROS, [1], [7, 8, 9, 1000], logLinear(1, 10_000, [1, 2, 5])]
  for (const bounds of ladders) {
    const fast = new Distribution(bounds)
    const slow = new Float64Array(bounds.length + 1)
    let sum = 0
    for (const value of valuesFor(bounds)) {
      fast.record(value)
      slow[slowBucket(bounds, value)]++
      sum += Math.max(0, value)
    }
    assert.deepEqual(fast.counts, slow)
    assert.ok(Math.abs(fast.sum - sum) <= sum * 1e-9)
    assert.equal(
      fast.count,
      slow.reduce((total, each) => total + each, 0),
    )
  }
})

test('the bounds rise by the same steps in every decade', () => {
  assert.deepEqual(logLinear(1, 200, [1, 2, 5]), [1, 2, 5, 10, 20, 50, 100, 200])
  const ratios = MICROS.slice(1).map((bound, index) => bound / MICROS[index])
  assert.ok(ratios.every((ratio) => ratio > 1 && ratio <= 5 / 3))
  assert.throws(() => new Distribution([1.5]))
})

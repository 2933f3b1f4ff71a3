import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BestRows } from '../../../persistence/follower/boards/top-rows.ts'
import { freshSeed, Random } from '../../support/random.ts'

test('the first rows of many are those of a whole sort', () => {
  const random = new Random(freshSeed())
  for (let round = 0; round < 200; round++) {
    const max = random.between(1, 12)
    const all = Array.from({ length: random.below(60) }, (_, id) => ({ id, size: random.below(9) }))
    const order = (one: (typeof all)[0], other: (typeof all)[0]) =>
      other.size - one.size || one.id - other.id
    const best = new BestRows(max, order)
    for (const each of all) best.add(each)
    assert.deepEqual(best.rows, [...all].sort(order).slice(0, max))
  }
})

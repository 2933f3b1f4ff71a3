import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RowChains } from '../../../../engine/core/orders/row-chains.ts'
import { freshSeed, Random } from '../../../support/random.ts'

function rowsOf(chains: RowChains, key: number): number[] {
  const rows: number[] = []
  for (let row = chains.firstOf(key); row !== 0; row = chains.nextOf(row)) rows.push(row)
  return rows.sort((a, b) => a - b)
}

test('a chain holds the rows of its key that were added and not removed', () => {
  const random = new Random(freshSeed())
  const chains = new RowChains()
  const keyOf = new Map<number, number>()
  for (let step = 0; step < 6000; step++) {
    const row = random.between(1, 3000)
    const key = keyOf.get(row)
    if (key === undefined) {
      const chosen = random.below(2500)
      chains.add(chosen, row)
      keyOf.set(row, chosen)
    } else {
      chains.remove(key, row)
      keyOf.delete(row)
    }
    const looked = random.below(2500)
    const expected = [...keyOf].flatMap(([each, of]) => (of === looked ? each : []))
    if (step % 100 === 0)
      assert.deepEqual(
        rowsOf(chains, looked),
        expected.sort((a, b) => a - b),
      )
  }
  for (const key of [...new Set(keyOf.values())].slice(0, 200)) {
    const expected = [...keyOf].flatMap(([each, of]) => (of === key ? each : []))
    assert.deepEqual(
      rowsOf(chains, key),
      expected.sort((a, b) => a - b),
    )
  }
  assert.deepEqual(rowsOf(chains, 1_000_000), [], 'a key that never had a row has none')
})

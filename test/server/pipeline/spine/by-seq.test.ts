import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BySeq } from '../../../../server/pipeline/spine/by-seq.ts'
import { freshSeed, Random } from '../../../support/random.ts'

test('a waiting item is found by its seq, at any distance between oldest and newest', () => {
  const seed = freshSeed()
  const random = new Random(seed)
  const waiting = new BySeq<{ seq: number }>()
  const twin = new Map<number, { seq: number }>()
  let newest = 2 ** 31 - 2000
  for (let step = 0; step < 20_000; step++) {
    // A few items stay long, so that the table has to grow.
    if (random.chance(0.6)) {
      const item = { seq: ++newest }
      waiting.add(item)
      twin.set(item.seq, item)
    } else {
      const [oldest] = twin.keys()
      const seq = random.chance(0.9) ? newest - random.below(50) : (oldest ?? newest)
      waiting.delete(seq)
      twin.delete(seq)
    }
    assert.equal(waiting.count, twin.size, `seed ${seed}`)
    const asked = newest - random.below(3000)
    assert.equal(waiting.get(asked), twin.get(asked), `seed ${seed}`)
  }
  assert.ok(twin.size > 2048, 'the table grew twice')
  for (const [seq, item] of twin) assert.equal(waiting.get(seq), item)
})

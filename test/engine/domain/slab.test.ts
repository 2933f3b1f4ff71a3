import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Slab } from '../../../engine/domain/slab.ts'

test('an item is taken out once, and its number serves the next item', () => {
  const slab = new Slab<string>()
  const [first, second] = [slab.put('a'), slab.put('b')]
  assert.deepEqual([first, second, slab.count], [1, 2, 2])
  assert.equal(slab.take(first), 'a')
  assert.deepEqual([slab.count, slab.all()], [1, ['b']])
  assert.throws(() => slab.take(first), /an item that is removed is stored/)
  assert.throws(() => slab.take(9), /an item that is removed is stored/)
  assert.equal(slab.put('c'), first)
  assert.deepEqual(slab.all().sort(), ['b', 'c'])
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Distribution } from '../../../engine/thread/distribution.ts'
import { StretchClock, Stretches } from '../../../engine/thread/stretches.ts'

test('one thread counts, and another reads the counts and the sum', () => {
  const bounds = [10, 100]
  const shared = Distribution.allocate(bounds)
  const writer = new Distribution(bounds, shared)
  const reader = new Distribution(bounds, shared)
  writer.record(7)
  writer.record(50, 2)
  assert.deepEqual([...reader.counts], [1, 2, 0])
  assert.equal(reader.sum, 107)
  assert.equal(reader.count, 3)
  assert.throws(() => new Distribution([10], shared), /both threads count in the same buckets/)
})

test('each stretch is counted once, from its beginning to its end', () => {
  const stretches = new Stretches()
  const clock = new StretchClock(stretches.cells)
  const startedMs = performance.now()
  for (let index = 0; index < 5; index++) {
    clock.begin()
    clock.end()
  }
  const tookMicros = (performance.now() - startedMs) * 1000
  assert.equal(stretches.micros.count, 5)
  assert.ok(stretches.micros.sum <= tookMicros)
})

test('collections of garbage are counted without an event loop', () => {
  const stretches = new Stretches()
  const clock = new StretchClock(stretches.cells)
  let kept: object[] = []
  const untilMs = performance.now() + 10_000
  // The clock asks for collections once a second, so this goes on for about that long.
  while (stretches.collectionMicros.count === 0 && performance.now() < untilMs) {
    clock.begin()
    for (let index = 0; index < 10_000; index++) kept.push({ index })
    if (kept.length > 100_000) kept = []
    clock.end()
  }
  assert.ok(stretches.collectionMicros.count > 0)
  assert.ok(stretches.collectionMicros.sum > 0)
})

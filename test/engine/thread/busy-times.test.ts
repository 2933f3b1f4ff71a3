import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BusyClock, BusyTimes } from '../../../engine/thread/busy-times.ts'
import { Distribution } from '../../../engine/thread/distribution.ts'

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
  assert.throws(() => new Distribution([10], shared), /both threads use the same buckets/)
})

test('each busy time is counted once, from its beginning to its end', () => {
  const busyTimes = new BusyTimes()
  const clock = new BusyClock(busyTimes.cells)
  const startedMs = performance.now()
  for (let index = 0; index < 5; index++) {
    clock.begin()
    clock.end()
  }
  const tookMicros = (performance.now() - startedMs) * 1000
  assert.equal(busyTimes.micros.count, 5)
  assert.ok(busyTimes.micros.sum <= tookMicros)
})

test('collections of garbage are counted without an event loop', () => {
  const busyTimes = new BusyTimes()
  const clock = new BusyClock(busyTimes.cells)
  let kept: object[] = []
  const untilMs = performance.now() + 10_000
  // The clock requests collections once a second, so this goes on for about that long.
  while (busyTimes.collectionMicros.count === 0 && performance.now() < untilMs) {
    clock.begin()
    for (let index = 0; index < 10_000; index++) kept.push({ index })
    if (kept.length > 100_000) kept = []
    clock.end()
  }
  assert.ok(busyTimes.collectionMicros.count > 0)
  assert.ok(busyTimes.collectionMicros.sum > 0)
})

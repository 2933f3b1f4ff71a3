import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Heap, RestCollector } from '../../../engine/thread/rest-collector.ts'

const GROWTH_BYTES = 1000
const REST = 8

/** A heap that keeps a hundred bytes at each collection. */
class CountedHeap implements Heap {
  bytes = 5000
  collections = 0

  usedBytes(): number {
    return this.bytes
  }

  collect(): void {
    this.bytes = 100
    this.collections++
  }
}

function opened() {
  const heap = new CountedHeap()
  const collector = new RestCollector(GROWTH_BYTES, heap)
  const rest = (waits: number) => {
    for (let wait = 0; wait < waits; wait++) collector.waited(false)
  }
  return { heap, collector, rest }
}

test('a thread collects once in a rest, and never while work comes', () => {
  const { heap, collector, rest } = opened()
  for (let round = 0; round < 10; round++) {
    rest(REST - 1)
    collector.waited(true)
  }
  assert.equal(heap.collections, 0)
  rest(REST * 10)
  assert.equal(heap.collections, 1)
})

test('a rest after little work gets no collection', () => {
  const { heap, collector, rest } = opened()
  rest(REST)
  for (const [bytes, collections] of [
    [100 + GROWTH_BYTES - 1, 1],
    [100 + GROWTH_BYTES, 2],
  ]) {
    heap.bytes = bytes
    collector.waited(true)
    rest(REST)
    assert.equal(heap.collections, collections)
  }
})

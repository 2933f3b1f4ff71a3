import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SEGMENT_BYTES } from '../../../../engine/core/orders/seen-filter.ts'
import { type OrderMemory, SeenFilters } from '../../../../engine/core/orders/seen-filters.ts'
import { freshSeed, Random } from '../../../support/random.ts'

const random = new Random(freshSeed())
const word = () => random.below(2 ** 32)

interface Key {
  readonly seq: number
  readonly atMs: number
  readonly high: number
  readonly low: number
}

/** A writer and a reader, and a list of all keys. */
class Memory {
  readonly memory: OrderMemory
  writer = new SeenFilters(word())
  readonly reader = new SeenFilters()
  readonly keys: Key[] = []
  readonly live = new Set<Key>()
  seq = 0
  nowMs = 1_000_000

  constructor(memory: OrderMemory) {
    this.memory = memory
  }

  add(count: number): void {
    for (let next = 0; next < count; next++) {
      const key = { seq: ++this.seq, atMs: this.nowMs, high: word(), low: word() }
      this.writer.add(key.high, key.low)
      this.keys.push(key)
    }
  }

  advance(): void {
    const progress = { seq: this.seq, nowMs: this.nowMs, liveCount: this.live.size }
    this.writer.close(progress, this.memory)
    const dueSeq = this.writer.dueSeq(progress, this.memory)
    if (dueSeq !== null) {
      for (const { seq, high, low } of this.live) if (seq < dueSeq) this.writer.add(high, low)
      this.writer.drop(dueSeq)
    }
    this.reader.adopt(this.writer.takeUpdates())
  }

  /** How many of the keys before the oldest filter are still found. */
  check(): number {
    const { oldest } = this.reader
    assert.deepEqual(oldest, this.writer.oldest)
    let found = 0
    for (const key of this.keys) {
      const isFound = this.reader.mayHold(key.high, key.low)
      const isRemembered = key.seq >= oldest.firstSeq || this.live.has(key)
      if (isRemembered) assert.ok(isFound, `key ${key.seq} is missing`)
      else if (isFound) found++
    }
    return found
  }
}

test('keys are found for the window, live ones longer, and old ones go', () => {
  const windowMs = 80_000
  const kept = new Memory({ windowMs, bytesMax: 64 * 2 ** 20 })
  for (let second = 0; second < 300; second++) {
    kept.add(random.between(1, 200))
    const last = kept.keys.at(-1)
    if (last !== undefined && random.chance(0.05)) kept.live.add(last)
    const [first] = kept.live
    if (random.chance(0.02)) kept.live.delete(first)
    kept.advance()
    kept.nowMs += 1000
    if (second % 10 !== 0) continue
    const strays = kept.check()
    assert.ok(strays < 20, `${strays} forgotten keys are found`)
    const { firstSeq, startMs } = kept.reader.oldest
    const young = kept.keys.find(({ atMs }) => atMs > kept.nowMs - windowMs)
    assert.ok(young === undefined || young.seq >= firstSeq, 'a young key is remembered')
    assert.ok(kept.nowMs - startMs <= windowMs * 1.25 + 2000, 'old filters are dropped')
    assert.ok(kept.reader.bytes <= 10 * SEGMENT_BYTES)
  }
  assert.ok(kept.reader.oldest.firstSeq > kept.seq / 2, 'most keys were forgotten')
})

test('memory is never exceeded; under more load the window shrinks', () => {
  const bytesMax = 16 * SEGMENT_BYTES
  const kept = new Memory({ windowMs: Number.MAX_SAFE_INTEGER, bytesMax })
  let largest = 0
  for (let step = 0; step < 700; step++) {
    kept.add(8192)
    kept.advance()
    largest = Math.max(largest, kept.writer.bytes)
    assert.ok(kept.writer.bytes <= bytesMax, `${kept.writer.bytes} bytes`)
    assert.equal(kept.reader.bytes, kept.writer.bytes)
    kept.nowMs++
  }
  assert.ok(largest > bytesMax / 2, 'the memory is used')
  const { firstSeq } = kept.reader.oldest
  assert.ok(firstSeq > 1, 'the oldest keys were forgotten')
  const remembered = kept.seq - firstSeq + 1
  assert.ok(remembered > bytesMax / 8, `${remembered} keys in ${bytesMax} bytes`)
  kept.keys.splice(0, kept.keys.length - remembered - 1000)
  kept.check()
})

test('restored filters go on, also when the file of a closed one was lost', () => {
  const kept = new Memory({ windowMs: 8000, bytesMax: 64 * 2 ** 20 })
  for (let second = 0; second < 7; second++) {
    kept.add(1000)
    kept.advance()
    kept.nowMs += 1000
  }
  const captured = kept.writer.capture()
  assert.ok(captured.filters.length > 4)
  // What is captured does not change.
  kept.add(1000)
  kept.advance()
  const lost = captured.filters[2]
  const filters = captured.filters.map((each) =>
    each === lost ? { ...each, segments: null } : each,
  )
  const restored = SeenFilters.restore({ ...captured, filters })
  const ranges: unknown[] = []
  const wasMissing = restored.addMissing(({ firstSeq, endSeq }) => {
    ranges.push([firstSeq, endSeq])
    const all = kept.keys.filter(({ seq }) => seq >= firstSeq && seq < endSeq)
    return all.map(({ high, low }) => [high, low] as const)
  })
  assert.ok(wasMissing)
  assert.deepEqual(ranges, [[lost.firstSeq, captured.filters[3].firstSeq]])
  assert.equal(
    restored.addMissing(() => assert.fail('nothing is missing')),
    false,
  )
  const again = new Memory(kept.memory)
  Object.assign(again, { writer: restored, seq: 7000, nowMs: kept.nowMs })
  again.keys.push(...kept.keys.slice(0, 7000))
  again.add(1000)
  again.advance()
  assert.ok(again.check() < 20)
  const newest = captured.filters.at(-1)
  const later = kept.keys.slice(7000).filter(({ high, low }) => {
    const copy = SeenFilters.restore({ seed: captured.seed, filters: newest ? [newest] : [] })
    return copy.mayHold(high, low)
  })
  assert.ok(later.length < 20, 'a captured filter has no later key')
})

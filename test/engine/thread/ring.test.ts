import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ring } from '../../../engine/thread/ring.ts'
import { spawn } from '../../../engine/thread/spawn.ts'
import { freshSeed, Random } from '../../support/random.ts'
import { payloadOf } from '../../support/ring-frames.ts'

const CAPACITY = 1024

function newPair(capacity = CAPACITY): { writer: Ring; reader: Ring } {
  const shared = Ring.allocate(capacity)
  return { writer: new Ring(shared), reader: new Ring(shared) }
}

test('frames wrap at every offset, behind every length, and stay whole', () => {
  for (let first = 0; first <= CAPACITY - 16; first += 8) {
    for (const length of [0, 1, 7, 8, 9, 500, CAPACITY - 8]) {
      const { writer, reader } = newPair()
      // Moves both cursors to the offset under test.
      assert(writer.push(1, new Uint8Array(first)))
      writer.send()
      assert(reader.next())
      reader.free()
      const at = first + 8
      const frame = 8 + ((length + 7) & ~7)
      const fits = frame <= CAPACITY - at || frame + CAPACITY - at <= CAPACITY
      assert.equal(writer.push(2, new Uint8Array(length).fill(7)), fits)
      if (!fits) continue
      writer.send()
      assert(reader.next())
      assert.equal(reader.tag, 2)
      assert.equal(reader.byteOffset % 8, 0)
      assert.deepEqual(new Uint8Array(reader.bytes), new Uint8Array(length).fill(7))
      assert(!reader.next())
      reader.free()
      assert.equal(writer.usedBytes(), 0)
    }
  }
})

test('a full ring refuses a frame and stays unchanged; a freed frame frees its bytes', () => {
  const { writer, reader } = newPair()
  let pushed = 0
  while (writer.push(pushed, new Uint8Array(56))) pushed++
  assert.equal(pushed, CAPACITY / 64)
  assert(!writer.push(99, new Uint8Array(0)))
  assert.equal(writer.freeBytes(), 0)
  writer.send()
  for (let frame = 0; frame < pushed; frame++) {
    assert(reader.next())
    assert.equal(reader.tag, frame)
  }
  assert(!reader.next())
  // Read but not freed: the writer must not overwrite what the reader still uses.
  assert(!writer.push(99, new Uint8Array(0)))
  reader.free()
  assert(writer.push(99, new Uint8Array(0)))
})

test('frames are invisible before they are published', () => {
  const { writer, reader } = newPair()
  writer.push(1, new Uint8Array(8))
  assert(!reader.next())
  writer.send()
  assert(reader.next())
})

test('a frame of freeBytes always fits', () => {
  const random = new Random(freshSeed())
  const { writer, reader } = newPair()
  for (let step = 0; step < 50_000; step++) {
    const free = random.chance(0.5) ? writer.freeBytes() : writer.freeBytes(random.below(400))
    if (free > 0 && random.chance(0.3)) assert(writer.push(1, new Uint8Array(free)), `${free}`)
    else writer.push(2, new Uint8Array(random.below(200)))
    writer.send()
    while (random.chance(0.7) && reader.next()) if (random.chance(0.5)) reader.free()
  }
})

test('random pushes and reads equal a plain queue, also where the cursors pass 2^31', () => {
  const random = new Random(freshSeed())
  for (const start of [0, 2 ** 31 - 4096, -4096]) {
    const shared = Ring.allocate(CAPACITY)
    // Words 0 and 16 are the cursors. They are set as if so many bytes had gone through before.
    new Int32Array(shared)[0] = start
    new Int32Array(shared)[16] = start
    const writer = new Ring(shared)
    const reader = new Ring(shared)
    const hidden: [number, number][] = []
    const queue: [number, number][] = []
    for (let step = 0; step < 40_000; step++) {
      const length = random.below(random.chance(0.1) ? 500 : 60)
      if (writer.push(step, new Uint8Array(length).fill(step & 0xff))) hidden.push([step, length])
      if (random.chance(0.5)) {
        writer.send()
        queue.push(...hidden.splice(0))
      }
      while (random.chance(0.6)) {
        const expected = queue.shift()
        assert.equal(reader.next(), expected !== undefined)
        if (expected === undefined) break
        assert.deepEqual([reader.tag, reader.bytes.length], expected)
        assert(reader.bytes.every((byte) => byte === (expected[0] & 0xff)))
      }
      if (random.chance(0.4)) reader.free()
    }
  }
})

test('a mark frees the frames up to it and keeps the frames behind it', () => {
  const { writer, reader } = newPair()
  for (let frame = 0; frame < 16; frame++) assert(writer.push(frame, new Uint8Array(56)))
  writer.send()
  assert(reader.next())
  const { position } = reader
  assert(reader.next())
  reader.freeTo(position)
  assert.equal(writer.usedBytes(), 15 * 64)
  assert(writer.push(16, new Uint8Array(56)))
  assert(!writer.push(17, new Uint8Array(0)))
})

test('the writer rings main once per sleep, and never when frames came meanwhile', () => {
  const { writer, reader } = newPair()
  assert(!writer.takeWakeUp())
  assert(reader.arm())
  writer.push(1, new Uint8Array(8))
  writer.send()
  assert(writer.takeWakeUp())
  assert(!writer.takeWakeUp())
  assert(!reader.arm())
})

test('a million frames cross threads whole and in order', async () => {
  const frames = 1_000_000
  const shared = Ring.allocate(1 << 16)
  const entry = new URL('../../support/ring-writer.worker.ts', import.meta.url)
  const worker = spawn(entry, { name: 'ring-writer', workerData: { shared, frames } })
  const ended = new Promise((resolve, reject) => {
    worker.once('exit', resolve)
    worker.once('error', reject)
  })
  const reader = new Ring(shared)
  let wrong = 0
  for (let frame = 0; frame < frames; ) {
    while (reader.next()) {
      if (reader.tag !== frame || !same(reader.bytes, payloadOf(frame))) wrong++
      frame++
    }
    reader.free()
    // A thread may start late on a slow machine, so missing data proves nothing yet.
    while (frame < frames && !reader.waitForData(5000)) await new Promise(setImmediate)
  }
  assert.equal(wrong, 0)
  assert.equal(await ended, 0)
})

function same(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false
  return a.length === 0 || (a[0] === b[0] && a[a.length - 1] === b[b.length - 1])
}

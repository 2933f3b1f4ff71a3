import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ring } from '../../../engine/thread/ring.ts'
import { RingQueue } from '../../../engine/thread/ring-queue.ts'

function opened(): { readonly queue: RingQueue; readonly take: () => number[] } {
  const shared = Ring.allocate(256)
  const queue = new RingQueue(shared)
  const reader = new Ring(shared)
  const take = () => {
    const tags: number[] = []
    queue.ring.show()
    while (reader.next()) tags.push(reader.tag)
    reader.free()
    return tags
  }
  return { queue, take }
}

test('frames that find the ring full follow the others in their order', () => {
  const { queue, take } = opened()
  for (let tag = 0; tag < 20; tag++) {
    queue.wait(tag, new Uint8Array(24))
    queue.flush()
  }
  assert.ok(!queue.isFlushed && queue.waitingBytes === queue.waiting.length * 24)
  assert.equal(queue.reserve(99, 8), -1, 'no frame overtakes those that wait')
  const taken: number[] = []
  while (taken.length < 20) {
    taken.push(...take())
    queue.flush()
  }
  assert.deepEqual(taken, [...Array(20).keys()])
  assert.ok(queue.isFlushed && queue.waitingBytes === 0)
  assert.ok(queue.reserve(99, 8) >= 0)
})

test('a queue flushes later by itself, until its frames are dropped', async () => {
  const { queue, take } = opened()
  for (let tag = 0; tag < 20; tag++) queue.wait(tag, new Uint8Array(24))
  queue.flush()
  const taken = take()
  await new Promise<void>((resolve) => {
    queue.flushLater(() => {
      taken.push(...take())
      if (queue.isFlushed) resolve()
    })
  })
  taken.push(...take())
  assert.deepEqual(taken, [...Array(20).keys()])
  for (let tag = 0; tag < 20; tag++) queue.wait(tag, new Uint8Array(24))
  queue.flush()
  queue.drop()
  assert.ok(queue.isFlushed && queue.waitingBytes === 0)
})

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { Ring } from '../../../engine/thread/ring.ts'
import { spawn } from '../../../engine/thread/spawn.ts'
import { WakeUps } from '../../../engine/thread/wake-ups.ts'

const NOTHING = new Uint8Array(0)

/** A reader in a thread of its own, and its ring. */
function readerOf(wakeUps: WakeUps, place: number, frames: number) {
  const shared = Ring.allocate(1 << 12)
  const entry = new URL('../../support/wake-up-reader.worker.ts', import.meta.url)
  const workerData = { shared, wakeUps: wakeUps.shared, place, frames }
  const worker = spawn(entry, { name: `reader-${place}`, workerData })
  const sleep = wakeUps.sleepWordOf(place)
  return {
    worker,
    // Listened to from the start: a thread may end before a test waits for its end.
    ended: once(worker, 'exit'),
    ring: new Ring(shared, sleep),
    async asleep() {
      while (Atomics.load(sleep.words, sleep.at) === 0) await new Promise(setImmediate)
    },
  }
}

test('a wake-up reaches the readers that are marked, and each receives every frame', async () => {
  const wakeUps = new WakeUps(WakeUps.allocate())
  const frames = 200
  const readers = [0, 1, 63].map((place) => readerOf(wakeUps, place, frames))
  const received: number[][] = readers.map(() => [])
  for (const [index, { worker }] of readers.entries()) {
    worker.on('message', (tag: number) => received[index].push(tag))
  }
  for (let frame = 0; frame < frames; frame++) {
    // Now and then the readers sleep for sure; mostly they are on their way to it.
    if (frame % 20 === 0) for (const reader of readers) await reader.asleep()
    for (const [index, { ring }] of readers.entries()) {
      while (!ring.push(frame, NOTHING)) await new Promise(setImmediate)
      if (ring.show()) wakeUps.mark([0, 1, 63][index])
    }
    wakeUps.ring()
  }
  await Promise.all(readers.map(({ ended }) => ended))
  const all = Array.from({ length: frames }, (_each, frame) => frame)
  assert.deepEqual(received, [all, all, all])
})

test('a wake-up without marked readers wakes nobody, and a sign of life needs none', async () => {
  const wakeUps = new WakeUps(WakeUps.allocate())
  const reader = readerOf(wakeUps, 5, 1)
  await reader.asleep()
  wakeUps.ring()
  const { words, at } = wakeUps.sleepWordOf(5)
  assert.equal(Atomics.load(words, at), 1, 'it sleeps on')
  reader.ring.request()
  while (!reader.ring.isAnswered) await new Promise(setImmediate)
  await reader.asleep()
  const received = once(reader.worker, 'message')
  reader.ring.push(7, NOTHING)
  reader.ring.send()
  assert.deepEqual(await received, [7], 'so does `send`')
  await reader.ended
})

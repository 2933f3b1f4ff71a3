import assert from 'node:assert/strict'
import { test } from 'node:test'
import { KeptProjections, type Projected } from '../../../../server/api/boards/services.ts'

const MINUTE_MS = 60_000

function made(atMs: number, value = atMs): Projected {
  return { rows: Float64Array.of(value), atMs }
}

test('a page is made once for all who ask, and again when two minutes have passed', async () => {
  const kept = new KeptProjections(2)
  let makes = 0
  const read = (nowMs: number) =>
    kept.read('a', nowMs, async () => {
      makes++
      return made(nowMs)
    })
  const [one, other] = await Promise.all([read(0), read(0)])
  assert.deepEqual([one, other, makes], [made(0), made(0), 1])
  assert.deepEqual(await read(MINUTE_MS - 1), made(0))
  assert.equal(makes, 1)
  assert.deepEqual(await read(2 * MINUTE_MS), made(2 * MINUTE_MS))
  assert.equal(makes, 2)
})

test('behind a minute the kept answer is given at once, and a new one is made', async () => {
  const kept = new KeptProjections(2)
  await kept.read('a', 0, async () => made(0))
  let done: (made: Projected) => void = () => {}
  const slow = () => new Promise<Projected>((resolve) => (done = resolve))
  assert.deepEqual(await kept.read('a', MINUTE_MS, slow), made(0))
  assert.deepEqual(await kept.read('a', MINUTE_MS + 1, slow), made(0))
  done(made(MINUTE_MS))
  await new Promise(setImmediate)
  assert.deepEqual(await kept.read('a', MINUTE_MS + 2, slow), made(MINUTE_MS))
  const broken = async () => {
    throw new Error('a broken question')
  }
  assert.deepEqual(await kept.read('a', 2 * MINUTE_MS, broken), made(MINUTE_MS))
})

test('pages are made one at a time, and the least recently requested one is dropped', async () => {
  const kept = new KeptProjections(2)
  const making: string[] = []
  let isMaking = false
  const read = (name: string, nowMs = 0) =>
    kept.read(name, nowMs, async () => {
      assert.ok(!isMaking)
      isMaking = true
      await new Promise(setImmediate)
      isMaking = false
      making.push(name)
      return made(nowMs)
    })
  await Promise.all([read('a'), read('b')])
  await read('a')
  await read('c')
  await read('a')
  await read('b')
  assert.deepEqual(making, ['a', 'b', 'c', 'b'])
})

test('an older answer is better than none, and a fault fails its requests alone', async () => {
  const kept = new KeptProjections(2)
  await kept.read('a', 0, async () => made(0))
  const none = async () => undefined
  assert.deepEqual(await kept.read('a', 2 * MINUTE_MS, none), made(0))
  assert.equal(await kept.read('a', 6 * MINUTE_MS, none), undefined)
  await assert.rejects(
    kept.read('a', 6 * MINUTE_MS, async () => {
      throw new Error('a broken question')
    }),
  )
  const now = made(6 * MINUTE_MS)
  assert.deepEqual(await kept.read('a', 6 * MINUTE_MS, async () => now), now)
})

test('more pages than are kept do not wait at once', async () => {
  const kept = new KeptProjections(1)
  let done: (made: Projected) => void = () => {}
  const first = kept.read(
    'a',
    0,
    () =>
      new Promise((resolve) => {
        done = resolve
      }),
  )
  await new Promise(setImmediate)
  assert.equal(await kept.read('b', 0, async () => made(0)), undefined)
  done(made(0))
  assert.deepEqual(await first, made(0))
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { CompressedReplies } from '../../../../../server/edge/http/caching/compressed.ts'

const BOUNDS = { bytesMax: 1 << 20, entriesMax: 100, atOnceMax: 2 }
const faults: unknown[] = []
const store = (bounds = BOUNDS) => new CompressedReplies(bounds, (error) => faults.push(error))
const textOf = (seed: number) => Buffer.from(`{"levels":"${`0.5${seed},`.repeat(500)}"}`)

/** Waits until so many compressions were made. */
async function made(replies: CompressedReplies, count: number): Promise<void> {
  while (replies.madeCount < count) await new Promise(setImmediate)
}

test('a version is compressed at its second request, and once for all', async () => {
  const replies = store()
  const text = textOf(1)
  assert.equal(replies.find('"a-gzip"', 'gzip', text), null)
  assert.equal(replies.find('"a-gzip"', 'gzip', text), null)
  for (let more = 0; more < 100; more++) replies.find('"a-gzip"', 'gzip', text)
  await made(replies, 1)
  const small = replies.find('"a-gzip"', 'gzip', text)
  assert.ok(small !== null && small.length < text.length / 5)
  assert.deepEqual(gunzipSync(small), text)
  assert.equal(replies.find('"a-gzip"', 'gzip', Buffer.from(text)), small)
  assert.equal(replies.madeCount, 1)
  replies.find('"a-br"', 'br', text.toString())
  replies.find('"a-br"', 'br', text.toString())
  await made(replies, 2)
  assert.deepEqual(brotliDecompressSync(replies.find('"a-br"', 'br', text) ?? ''), text)
})

test('versions that are requested once are never compressed', async () => {
  const replies = store()
  for (let version = 0; version < 50; version++) replies.find(`"${version}"`, 'br', textOf(version))
  for (let round = 0; round < 10; round++) await new Promise(setImmediate)
  assert.equal(replies.madeCount, 0)
})

test('short replies, and those that do not shrink, stay plain', async () => {
  const replies = store()
  for (let send = 0; send < 3; send++) {
    assert.equal(replies.find('"short"', 'gzip', Buffer.alloc(1023)), null)
  }
  assert.equal(replies.entries, 0)
  const { randomBytes } = await import('node:crypto')
  const noise = randomBytes(2000)
  for (let send = 0; send < 3; send++) assert.equal(replies.find('"n"', 'gzip', noise), null)
  await made(replies, 1)
  for (let send = 0; send < 3; send++) assert.equal(replies.find('"n"', 'gzip', noise), null)
  assert.equal(replies.madeCount, 1)
})

test('any number of versions stays within the bounds, and those in use stay', async () => {
  const replies = store({ bytesMax: 20_000, entriesMax: 50, atOnceMax: 2 })
  const hot = textOf(0)
  replies.find('"hot"', 'gzip', hot)
  replies.find('"hot"', 'gzip', hot)
  await made(replies, 1)
  for (let version = 1; version <= 2000; version++) {
    const text = textOf(version)
    replies.find(`"${version}"`, 'gzip', text)
    if (version % 10 === 0) replies.find(`"${version}"`, 'gzip', text)
    assert.ok(replies.find('"hot"', 'gzip', hot) !== null, `version ${version}`)
    assert.ok(replies.bytes <= 20_000)
    assert.ok(replies.entries <= 50)
    if (version % 100 === 0) await new Promise(setImmediate)
  }
})

test('the bytes have a bound of their own, whatever the number', () => {
  const replies = store({ bytesMax: 3000, entriesMax: 1000, atOnceMax: 2 })
  for (let version = 0; version < 500; version++) {
    replies.find(`"${version}"`, 'gzip', textOf(version))
    assert.ok(replies.bytes <= 3000, `${replies.bytes}`)
  }
  assert.ok(replies.entries > 5)
})

test('no more than its share of threads is at work, whatever is requested', async () => {
  const replies = store()
  for (let send = 0; send < 2; send++) {
    for (let version = 0; version < 20; version++)
      replies.find(`"${version}"`, 'br', textOf(version))
  }
  await made(replies, 2)
  for (let round = 0; round < 10; round++) await new Promise(setImmediate)
  assert.equal(replies.madeCount, 2)
  assert.deepEqual(faults, [])
})

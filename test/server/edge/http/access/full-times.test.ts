import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OwnTimes, SharedTimes } from '../../../../../server/edge/http/access/full-times.ts'
import { Buckets } from '../../../../../server/edge/http/access/rate-limit.ts'
import { fromEnv, Random } from '../../../../support/random.ts'

const RATE = { perSecond: 10, burst: 20 }
const KEYS_MAX = 1 << 16

function shared(tables = 1): SharedArrayBuffer {
  return SharedTimes.allocate(tables)
}

test('two threads draw from one bucket, and each table has buckets of its own', () => {
  const memory = shared(2)
  const [one, other] = [0, 0].map((table) => new Buckets(RATE, new SharedTimes(memory, table)))
  const apart = new Buckets(RATE, new SharedTimes(memory, 1))
  for (let token = 0; token < 10; token++) {
    assert.equal(one.take('a', 1000), 0)
    assert.equal(other.take('a', 1000), 0)
  }
  assert.equal(one.take('a', 1000), 100)
  assert.equal(other.take('a', 1000), 100)
  assert.equal(other.leftOf('a', 1500), 5)
  assert.equal(apart.leftOf('a', 1000), 20)
  assert.equal(other.take('b', 1000), 0)
})

test('a time that another thread changed meanwhile is not replaced', () => {
  const memory = shared()
  const [one, other] = [0, 0].map(() => new SharedTimes(memory, 0))
  assert.equal(one.of('a', 0), 0)
  assert.equal(other.of('a', 0), 0)
  assert.ok(other.put('a', 7))
  assert.equal(one.put('a', 5), false)
  assert.equal(one.of('a', 0), 7)
  assert.ok(one.put('a', 9))
  assert.equal(other.of('a', 0), 9)
})

test('shared buckets refuse like those of one thread', () => {
  const seed = fromEnv('SEED', Math.floor(Math.random() * 2 ** 31))
  const random = new Random(seed)
  const own = new Buckets<string>(RATE, new OwnTimes())
  const both = new Buckets<string>(RATE, new SharedTimes(shared(), 0))
  let nowMs = 0
  for (let call = 0; call < 20_000; call++) {
    nowMs += random.between(0, 10)
    const key = `10.0.0.${random.between(0, 40)}`
    const tokens = random.between(1, 5)
    if (random.chance(0.2)) {
      own.charge(key, nowMs, tokens)
      both.charge(key, nowMs, tokens)
    } else assert.equal(both.take(key, nowMs, tokens), own.take(key, nowMs, tokens), `${seed}`)
    assert.equal(both.linesOf(key, nowMs), own.linesOf(key, nowMs), `${seed}`)
  }
  assert.equal(both.refusedCount, own.refusedCount)
  assert.ok(own.refusedCount > 0)
})

test('a flood of keys displaces some, and a new key always has its whole burst', () => {
  const times = new SharedTimes(shared(), 0)
  const buckets = new Buckets(RATE, times)
  for (let key = 0; key < 2 * KEYS_MAX; key++) {
    assert.equal(buckets.take(`k${key}`, 1000, RATE.burst), 0)
  }
  assert.ok(times.keys(1000) <= KEYS_MAX && times.keys(1000) > 0.9 * KEYS_MAX)
  assert.equal(buckets.take('last', 1000, RATE.burst), 0)
  assert.equal(buckets.take('last', 1000), 100)
  // The buckets are full again, so they count for nothing.
  assert.equal(times.keys(4000), 0)
})

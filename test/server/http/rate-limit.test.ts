import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressKey, LANES, RateLimiter, type Rates } from '../../../server/http/rate-limit.ts'
import { fromEnv, Random } from '../../support/random.ts'

const RATE = { perSecond: 10, burst: 5 }
const RATES: Rates = { public: RATE, private: RATE, trade: RATE, auth: RATE, admin: RATE }

test('a key with a full bucket may call in a burst, and then at its rate', () => {
  const limiter = new RateLimiter<string>(RATES)
  for (let call = 0; call < 5; call++) assert.equal(limiter.take('a', 'trade', 1000), 0)
  assert.equal(limiter.take('a', 'trade', 1000), 1)
  assert.equal(limiter.take('a', 'trade', 1099), 1)
  assert.equal(limiter.take('a', 'trade', 1100), 0)
  assert.equal(limiter.take('a', 'trade', 1100), 1)
})

test('a refused call costs no token, and its wait is in whole seconds', () => {
  const slow = { perSecond: 0.25, burst: 1 }
  const limiter = new RateLimiter<string>({ ...RATES, auth: slow })
  assert.equal(limiter.take('a', 'auth', 0), 0)
  for (let again = 0; again < 100; again++) assert.equal(limiter.take('a', 'auth', 500), 4)
  assert.equal(limiter.take('a', 'auth', 3999), 1)
  assert.equal(limiter.take('a', 'auth', 4000), 0)
})

test('in any span of time a key gets at most its burst and its rate', () => {
  const limiter = new RateLimiter<string>(RATES)
  let taken = 0
  for (let nowMs = 0; nowMs < 60_000; nowMs += 7) {
    if (limiter.take('a', 'public', nowMs) === 0) taken++
  }
  assert.ok(taken <= 5 + 600 && taken >= 600, `${taken}`)
})

test('each key has a bucket of its own in each lane', () => {
  const limiter = new RateLimiter<number>(RATES)
  for (const lane of LANES) {
    for (const key of [1, 2]) {
      for (let call = 0; call < 5; call++) assert.equal(limiter.take(key, lane, 0), 0)
      assert.equal(limiter.take(key, lane, 0), 1)
    }
  }
})

test('a call may cost several tokens, and at most a whole bucket', () => {
  const limiter = new RateLimiter<string>({ ...RATES, private: { perSecond: 10, burst: 20 } })
  assert.equal(limiter.take('a', 'private', 0, 19), 0)
  assert.equal(limiter.take('a', 'private', 0, 2), 1)
  assert.equal(limiter.take('a', 'private', 0, 1), 0)
  assert.equal(limiter.take('b', 'private', 0, 1000), 0)
  assert.equal(limiter.take('b', 'private', 0, 1), 1)
  assert.equal(limiter.take('b', 'private', 2000, 1000), 0)
})

test('full buckets are forgotten, and a flood of keys stays within a bound', () => {
  const limiter = new RateLimiter<number>(RATES, 1000)
  for (let key = 0; key < 50_000; key++) {
    limiter.take(key, 'public', 0)
    assert.ok(limiter.keys <= 1000)
  }
  for (let call = 0; call < 2000; call++) limiter.take(-1, 'public', 10_000 + call * 1000)
  assert.equal(limiter.keys, 1)
})

test('a caller that waits the seconds it was told goes through', () => {
  const seed = fromEnv('SEED', Math.floor(Math.random() * 2 ** 31))
  const random = new Random(seed)
  for (let round = 0; round < 300; round++) {
    const perSecond = random.chance(0.5) ? random.between(1, 9_999_999) : random.between(1, 20)
    const rate = { perSecond, burst: random.between(1, 50) }
    const limiter = new RateLimiter<string>({ ...RATES, trade: rate })
    let nowMs = random.between(0, 1e9) + random.between(0, 999) / 1000
    for (let call = 0; call < 200; call++) {
      nowMs += random.chance(0.9) ? 0 : random.between(0, 3000) / 1000
      const waitSec = limiter.take('a', 'trade', nowMs)
      assert.ok(Number.isSafeInteger(waitSec) && waitSec >= 0, `seed ${seed}`)
      if (waitSec === 0) continue
      nowMs += waitSec * 1000
      assert.equal(limiter.take('a', 'trade', nowMs), 0, `seed ${seed}, round ${round}`)
    }
  }
})

test('an IPv6 subscriber is one key, an IPv4 address is one', () => {
  assert.equal(addressKey('2001:0db8:0001:0002:aaaa:0000:0000:0001'), '2001:0db8:0001:0002')
  assert.equal(addressKey('10.0.0.1'), '10.0.0.1')
  const mapped = '0000:0000:0000:0000:0000:ffff:0a00:0001'
  assert.equal(addressKey(mapped), mapped)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressKey } from '../../../../../server/auth/networks.ts'
import { OwnTimes } from '../../../../../server/edge/http/access/full-times.ts'
import {
  openLimits,
  RATE_CLASSES,
  RateLimiter,
  type Rates,
} from '../../../../../server/edge/http/access/rate-limit.ts'
import { fromEnv, Random } from '../../../../support/random.ts'

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

test('the headers of a reply state the burst, the tokens left, and when the bucket is full', () => {
  const limiter = new RateLimiter<string>(RATES)
  const stated = (nowMs: number) => {
    const [first, ...lines] = limiter.linesOf('a', 'trade', nowMs).split('\r\n')
    assert.equal(first, '', 'a head stands before the lines')
    const [limit, remaining, reset] = lines.map((line) => line.split(': '))
    assert.deepEqual(
      [limit[0], remaining[0], reset[0], lines.length],
      ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset', 3],
    )
    return [limit[1], remaining[1], reset[1]].map(Number)
  }
  assert.deepEqual(stated(1000), [5, 5, 0])
  for (let call = 1; call <= 5; call++) {
    limiter.take('a', 'trade', 1000)
    assert.deepEqual(stated(1000), [5, 5 - call, 1])
  }
  limiter.take('a', 'trade', 1000)
  assert.deepEqual(stated(1000), [5, 0, 1], 'a refused call takes none')
  assert.deepEqual(stated(900), [5, 0, 1], 'a call that came before, and is answered later')
  assert.deepEqual(stated(1099), [5, 0, 1])
  assert.deepEqual(stated(1100), [5, 1, 1])
  assert.deepEqual(stated(1500), [5, 5, 0])
})

test('what the lines say is left may be taken at once, and no more', () => {
  const random = new Random(fromEnv('SEED', 7))
  const uneven = { perSecond: 7, burst: 9 }
  const limiter = new RateLimiter<string>({ ...RATES, public: uneven })
  let nowMs = 0
  for (let round = 0; round < 500; round++) {
    nowMs += random.between(0, 900)
    const left = Number(/remaining: (\d+)/.exec(limiter.linesOf('a', 'public', nowMs))?.[1])
    const want = random.between(0, left)
    for (let call = 0; call < want; call++) assert.equal(limiter.take('a', 'public', nowMs), 0)
    if (want === left) assert.ok(limiter.take('a', 'public', nowMs) > 0)
  }
})

test('in any span of time a key gets at most its burst and its rate', () => {
  const limiter = new RateLimiter<string>(RATES)
  let taken = 0
  for (let nowMs = 0; nowMs < 60_000; nowMs += 7) {
    if (limiter.take('a', 'public', nowMs) === 0) taken++
  }
  assert.ok(taken <= 5 + 600 && taken >= 600, `${taken}`)
})

test('each key has a bucket of its own in each rate class', () => {
  const limiter = new RateLimiter<number>(RATES)
  for (const rateClass of RATE_CLASSES) {
    for (const key of [1, 2]) {
      for (let call = 0; call < 5; call++) assert.equal(limiter.take(key, rateClass, 0), 0)
      assert.equal(limiter.take(key, rateClass, 0), 1)
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
  const limiter = new RateLimiter<number>(RATES, { newTimes: () => new OwnTimes(1000) })
  for (let key = 0; key < 50_000; key++) {
    limiter.take(key, 'public', 0)
    assert.ok(limiter.keys(0) <= 1000)
  }
  for (let call = 0; call < 2000; call++) limiter.take(-1, 'public', 10_000 + call * 1000)
  assert.equal(limiter.keys(0), 1)
})

test('a caller that waits the stated seconds goes through', () => {
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

test('the first 48 bits of IPv6 have the rates of eight addresses', () => {
  const { addresses } = openLimits({ address: RATES, profile: RATES })
  const keyOf = (site: number, subnet: number) =>
    `2001:0db8:${String(site).padStart(4, '0')}:${subnet.toString(16).padStart(4, '0')}`
  let taken = 0
  for (let subnet = 0; subnet < 5000; subnet++) {
    if (addresses.take(keyOf(1, subnet), 'public', 1000) === 0) taken++
  }
  assert.equal(taken, 8 * RATE.burst)
  assert.equal(addresses.refusedOf('public'), 5000 - taken)
  assert.equal(addresses.take(keyOf(2, 0), 'public', 1000), 0)
  for (let host = 0; host < 100; host++) {
    assert.equal(addresses.take(`10.0.0.${host}`, 'public', 1000), 0, 'IPv4 has no such networks')
  }
})

test('the lines of an address show its network when that has less left', () => {
  const narrow = { ...RATES, trade: { perSecond: 1, burst: 2 } }
  const limiter = new RateLimiter<string>(narrow, { siteOf: () => 'site' })
  const limitOf = (key: string) =>
    /ratelimit-limit: ([0-9]+)/.exec(limiter.linesOf(key, 'trade', 0))?.[1]
  assert.equal(limitOf('a'), '2')
  for (let address = 0; address < 100; address++) limiter.take(`a${address}`, 'trade', 0, 2)
  assert.notEqual(limitOf('fresh'), '2', 'its network has nothing left')
  assert.match(limiter.linesOf('fresh', 'trade', 0), /ratelimit-remaining: 0/)
})

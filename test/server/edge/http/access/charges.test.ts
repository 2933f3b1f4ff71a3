import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Charges, TOKEN } from '../../../../../server/edge/http/access/charges.ts'
import { eachRateClass, RateLimiter } from '../../../../../server/edge/http/access/rate-limit.ts'

// What a call costs beyond the token that it took when it came.

const RATES = eachRateClass(() => ({ perSecond: 10, burst: 20 }))

function desk() {
  const time = { nowMs: 0 }
  const limiters = {
    addressLimiter: new RateLimiter<string>(RATES),
    profileLimiter: new RateLimiter<number>(RATES),
    clock: () => time.nowMs,
  }
  const charges = new Charges(limiters, { rateClass: 'private', address: 'a', key: 7 })
  const left = (lines: string) => Number(/remaining: (\d+)/.exec(lines)?.[1])
  const leftOf = () => [
    left(limiters.addressLimiter.linesOf('a', 'private', time.nowMs)),
    left(limiters.profileLimiter.linesOf(7, 'private', time.nowMs)),
  ]
  return { time, limiters, charges, leftOf }
}

test('each cost takes its tokens, of the address and of the profile alike', () => {
  const { charges, leftOf } = desk()
  const costs: [name: string, tokens: number, run: () => void][] = [
    ['a read of seven units of the query thread', 7, () => charges.queryTook(7 * TOKEN.queryMs)],
    ['two units of main', 2, () => charges.mainTook(2 * TOKEN.mainMs)],
    ['a reply of three units', 3, () => charges.replied(3 * TOKEN.replyBytes)],
    ['a batch of eight messages, one of which is paid', 7, () => charges.messages(8)],
  ]
  let left = 20
  for (const [name, tokens, run] of costs) {
    run()
    left -= tokens
    assert.deepEqual(leftOf(), [left, left], name)
  }
})

test('a call that costs little costs nothing more, and many small costs add up', () => {
  const { charges, leftOf } = desk()
  charges.queryTook(0.6 * TOKEN.queryMs)
  charges.replied(0.3 * TOKEN.replyBytes)
  assert.deepEqual(leftOf(), [20, 20])
  charges.mainTook(0.2 * TOKEN.mainMs)
  assert.deepEqual(leftOf(), [19, 19])
})

test('a caller in debt is refused until the debt is paid, which is at most one burst', () => {
  const { time, limiters, charges, leftOf } = desk()
  charges.queryTook(1_000_000 * TOKEN.queryMs)
  assert.deepEqual(leftOf(), [0, 0])
  // Twenty tokens of debt and one for the call, at ten a second.
  assert.equal(limiters.profileLimiter.take(7, 'private', time.nowMs), 3)
  assert.equal(limiters.profileLimiter.take(7, 'trade', time.nowMs), 0, 'other classes are free')
  assert.equal(limiters.profileLimiter.take(8, 'private', time.nowMs), 0, 'and another profile')
  time.nowMs = 2099
  assert.equal(limiters.addressLimiter.take('a', 'private', time.nowMs), 1)
  time.nowMs = 2100
  assert.equal(limiters.addressLimiter.take('a', 'private', time.nowMs), 0)
})

test('a charge never makes a bucket fuller', () => {
  const { time, limiters } = desk()
  const { profileLimiter } = limiters
  for (let again = 0; again < 5; again++) profileLimiter.charge(7, 'private', time.nowMs, 30)
  time.nowMs = -1000
  profileLimiter.charge(7, 'private', time.nowMs, 1)
  assert.equal(profileLimiter.take(7, 'private', 0), 3)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { feeRatesOf, rebateRaw, referralRaw } from '../../../../engine/core/rewards/rebates.ts'
import { freshSeed, Random } from '../../../support/random.ts'

// What makers get back of a taker's fee, and who referred the taker (rules §3.2).

const SHARE = 1_000_000
const MAX = Number.MAX_SAFE_INTEGER

test('a part has the unit of its fee: no price of the trade values it', () => {
  // 100 NO @ 0.51 cost a fee of 2.882352 NO; half of it goes back in NO.
  const bought = { sharesRaw: 100 * SHARE, feeRaw: 2_882_352 }
  assert.equal(rebateRaw(bought, 100 * SHARE, feeRatesOf(5000, 0)), 1_441_176)
  assert.equal(referralRaw(bought, feeRatesOf(5000, 2000)), 576_470)
})

test('the worked day: fees of 12.00 and 10.40 go to A, of 5.50 to B', () => {
  const back = (feeRaw: number) => {
    return rebateRaw({ sharesRaw: 700 * SHARE, feeRaw }, 700 * SHARE, feeRatesOf(10_000, 0))
  }
  assert.equal(back(12_000_000) + back(10_400_000), 22_400_000)
  assert.equal(back(5_500_000), 5_500_000)
})

test('the rates of one market are the whole fee at most, and makers come first', () => {
  const rows: [rebateBps: number, referralBps: number, referralCounts: number][] = [
    [0, 10_000, 10_000],
    [2500, 2000, 2000],
    [8000, 2000, 2000],
    [8000, 2001, 2000],
    [10_000, 10_000, 0],
  ]
  for (const [rebateBps, given, referralBps] of rows) {
    assert.deepEqual(feeRatesOf(rebateBps, given), { rebateBps, referralBps })
  }
})

test('a sale fee of 600 is given once when both rates are the whole fee, not 1,200', () => {
  const fee = { sharesRaw: 40_000 * SHARE, feeRaw: 600 * SHARE }
  const rates = feeRatesOf(10_000, 10_000)
  const given = rebateRaw(fee, fee.sharesRaw, rates) + referralRaw(fee, rates)
  assert.equal(given, 600 * SHARE)
})

test('all parts of a fee together are never more than the fee, also at the extremes', () => {
  const random = new Random(freshSeed())
  for (let round = 0; round < 2000; round++) {
    const most = round % 2 === 0 ? MAX : 1000
    const sharesRaw = random.between(3, most)
    const feeRaw = random.between(0, sharesRaw)
    const fee = { sharesRaw, feeRaw }
    const rates = feeRatesOf(random.between(0, 10_000), random.between(0, 10_000))
    const first = random.between(1, sharesRaw - 1)
    const back = [first, sharesRaw - first].map((raw) => rebateRaw(fee, raw, rates))
    const parts = BigInt(feeRaw) * BigInt(rates.rebateBps) * BigInt(first)
    assert.equal(BigInt(back[0]), parts / (10_000n * BigInt(sharesRaw)))
    const referral = referralRaw(fee, rates)
    assert.equal(BigInt(referral), (BigInt(feeRaw) * BigInt(rates.referralBps)) / 10_000n)
    assert.ok(BigInt(back[0]) + BigInt(back[1]) + BigInt(referral) <= BigInt(feeRaw))
  }
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { feeValueRaw, rebateRaw } from '../../../../engine/core/rewards/rebates.ts'
import { freshSeed, Random } from '../../../support/random.ts'

// What makers get back of a taker's fee (rules §3.2).

const SHARE = 1_000_000
const MAX = Number.MAX_SAFE_INTEGER

test('a fee in shares is worth the price of the trade, and a fee in collateral itself', () => {
  const bought = { takerBuys: true, sharesRaw: 100 * SHARE, collateralRaw: 51 * SHARE }
  assert.equal(feeValueRaw({ ...bought, feeRaw: 2_882_352 }), 1_469_999)
  assert.equal(feeValueRaw({ ...bought, takerBuys: false, feeRaw: 1_200_000 }), 1_200_000)
})

test('the worked day: fees of 12.00 and 10.40 go to A, of 5.50 to B', () => {
  const back = (feeRaw: number) => {
    const trade = { takerBuys: false, sharesRaw: 700 * SHARE, collateralRaw: 400 * SHARE, feeRaw }
    return rebateRaw(trade, 700 * SHARE, 10_000)
  }
  assert.equal(back(12_000_000) + back(10_400_000), 22_400_000)
  assert.equal(back(5_500_000), 5_500_000)
})

test('makers share a fee by their shares, and never get more than it, also at the extremes', () => {
  const random = new Random(freshSeed())
  for (let turn = 0; turn < 2000; turn++) {
    const most = turn % 2 === 0 ? MAX : 1000
    const sharesRaw = random.between(3, most)
    const collateralRaw = random.between(1, sharesRaw)
    const takerBuys = random.between(0, 1) === 1
    const feeRaw = random.between(0, takerBuys ? sharesRaw : collateralRaw)
    const trade = { takerBuys, sharesRaw, collateralRaw, feeRaw }
    const bps = random.between(0, 10_000)
    const first = random.between(1, sharesRaw - 1)
    const back = [first, sharesRaw - first].map((raw) => rebateRaw(trade, raw, bps))
    const worth = takerBuys
      ? (BigInt(feeRaw) * BigInt(collateralRaw)) / BigInt(sharesRaw)
      : BigInt(feeRaw)
    const due = (worth * BigInt(bps) * BigInt(first)) / (10_000n * BigInt(sharesRaw))
    assert.equal(BigInt(back[0]), due)
    assert.ok(BigInt(back[0]) + BigInt(back[1]) <= worth)
  }
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buyFeeSharesRaw, sellFeeCollateralRaw } from '../../../../engine/core/money/taker-fee.ts'
import { LIMITS } from '../../../../engine/domain/limits.ts'
import {
  addTo,
  compareSums,
  costCeilRaw,
  costFloorRaw,
  mulDivFloor,
  sharesForSpendRaw,
  totalOf,
} from '../../../../engine/domain/units.ts'
import { freshSeed, Random } from '../../../support/random.ts'

// Compares each function of arithmetic with a bigint reference model, at the extremes and at
// random.

const MAX = Number.MAX_SAFE_INTEGER
const random = new Random(freshSeed())

function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}

function mulDivModel(a: number, b: number, divisor: number): bigint {
  return (BigInt(a) * BigInt(b)) / BigInt(divisor)
}

/** Compares only safe integers, because the function promises no other results. */
function checkMulDiv(a: number, b: number, divisor: number): void {
  const exact = mulDivModel(a, b, divisor)
  if (exact > BigInt(MAX)) return
  const got = mulDivFloor(a, b, divisor)
  if (BigInt(got) !== exact) assert.fail(`${a} · ${b} / ${divisor} is ${exact}, not ${got}`)
}

test('mulDivFloor is exact at every pair of extremes', () => {
  const edges = [0, 1, 2, 3, 999, 1000, 10_000, 2 ** 26, 2 ** 27 + 1, 2 ** 52, 2 ** 52 + 1]
  const values = [...edges, LIMITS.orderSizeRawMax, 94_906_265, 94_906_266, MAX - 2, MAX - 1, MAX]
  for (const a of values) {
    for (const b of values) {
      for (const divisor of values) if (divisor > 0) checkMulDiv(a, b, divisor)
    }
  }
})

test('mulDivFloor is exact at random, near whole quotients and at the end of its range', () => {
  for (let index = 0; index < 300_000; index++) {
    const a = random.spread(MAX)
    const divisor = Math.max(1, random.spread(MAX))
    checkMulDiv(a, random.spread(MAX), divisor)
    // A product next to a multiple of the divisor, where an estimate rounds to the wrong side.
    const quotient = random.spread(MAX)
    const multiple = BigInt(quotient) * BigInt(divisor)
    const b = a === 0 ? 0n : multiple / BigInt(a)
    for (const near of [b - 1n, b, b + 1n]) {
      if (near >= 0n && near <= BigInt(MAX)) checkMulDiv(a, Number(near), divisor)
    }
    checkMulDiv(divisor, quotient, divisor)
    checkMulDiv(MAX - random.below(1000), MAX - random.below(1000), MAX - random.below(2000))
  }
})

test('costs are exact, and round down or up by the odd part only', () => {
  const check = (ticks: number, sizeRaw: number) => {
    const product = BigInt(ticks) * BigInt(sizeRaw)
    assert.equal(BigInt(costFloorRaw(ticks, sizeRaw)), product / 1000n)
    assert.equal(BigInt(costCeilRaw(ticks, sizeRaw)), (product + 999n) / 1000n)
  }
  for (const ticks of [1, 2, 499, 500, 501, 998, 999]) {
    for (const sizeRaw of [0, 1, 999, 1000, 1001, LIMITS.orderSizeRawMax, MAX - 1, MAX]) {
      check(ticks, sizeRaw)
    }
  }
  for (let index = 0; index < 100_000; index++) check(random.between(1, 999), random.spread(MAX))
})

test('a spend buys the most shares it can pay for', () => {
  const check = (ticks: number, spendRaw: number) => {
    const exact = (BigInt(spendRaw) * 1000n) / BigInt(ticks)
    if (exact > BigInt(MAX)) return
    const shares = sharesForSpendRaw(ticks, spendRaw)
    assert.equal(BigInt(shares), exact)
    // The cost, rounded up, is the whole spend: a level that absorbs the spend also ends it.
    assert.equal(costCeilRaw(ticks, shares), spendRaw)
  }
  for (const ticks of [1, 2, 3, 499, 500, 501, 998, 999]) {
    for (const spendRaw of [1, 2, 999, 1000, 1001, LIMITS.orderSizeRawMax]) check(ticks, spendRaw)
  }
  for (let index = 0; index < 100_000; index++) {
    check(random.between(1, 999), random.spread(LIMITS.orderSizeRawMax))
  }
})

test('a spend too large for exact shares still needs more than any order holds', () => {
  const shares = sharesForSpendRaw(1, LIMITS.orderSizeRawMax)
  assert(shares > LIMITS.orderSizeRawMax)
})

test('fees equal the table of the rules', () => {
  const rows = [
    [0.001, 3_000_000, 3000],
    [0.5, 3_000_000, 1_500_000],
    [0.6, 2_000_000, 1_200_000],
    [0.9, 333_333, 300_000],
    [0.999, 3003, 3000],
  ]
  for (const [price, buyFee, sellFee] of rows) {
    const collateralRaw = Math.round(price * 100_000_000)
    assert.equal(buyFeeSharesRaw(300, collateralRaw, 100_000_000), buyFee)
    assert.equal(sellFeeCollateralRaw(300, collateralRaw, 100_000_000), sellFee)
  }
})

test('fees of the worked fills are exact to the raw unit', () => {
  assert.equal(buyFeeSharesRaw(300, 79_500_000, 150_000_000), 3_990_566)
  assert.equal(buyFeeSharesRaw(300, 1_000_000, 3_333_333), 99_999)
  assert.equal(sellFeeCollateralRaw(300, 4_567_900, 12_345_678), 137_037)
})

test('no fee is taken without a rate, without value, or where the price is one', () => {
  assert.equal(buyFeeSharesRaw(0, 50, 100), 0)
  assert.equal(buyFeeSharesRaw(300, 100, 100), 0)
  assert.equal(sellFeeCollateralRaw(300, 0, 100), 0)
  assert.equal(sellFeeCollateralRaw(0, 50, 100), 0)
})

test('fees equal the bigint reference model up to the largest trades', () => {
  const check = (bps: number, collateralRaw: number, sharesRaw: number) => {
    const c = BigInt(collateralRaw)
    const n = BigInt(sharesRaw)
    const part = least(c, n - c)
    const scaled = BigInt(bps) * part
    const buy = c === 0n || part <= 0n ? 0n : (scaled * n) / (c * 10_000n)
    const sell = part <= 0n ? 0n : scaled / 10_000n
    assert.equal(BigInt(buyFeeSharesRaw(bps, collateralRaw, sharesRaw)), buy)
    assert.equal(BigInt(sellFeeCollateralRaw(bps, collateralRaw, sharesRaw)), sell)
  }
  for (const bps of [0, 1, 300, 999, 1000]) {
    for (const shares of [1, 2, 1000, LIMITS.orderSizeRawMax, MAX]) {
      const half = Math.floor(shares / 2)
      for (const collateral of [0, 1, half, half + 1, shares - 1, shares]) {
        if (collateral <= shares) check(bps, collateral, shares)
      }
    }
  }
  for (let index = 0; index < 100_000; index++) {
    const shares = Math.max(1, random.spread(MAX))
    const collateral = random.chance(0.5)
      ? random.spread(shares)
      : shares - random.spread(Math.floor(shares / 2) + 1)
    if (collateral >= 0) check(random.below(1001), Math.min(collateral, shares), shares)
  }
})

test('a growing sum stays exact past 2^53, and orders as a bigint does', () => {
  const sum = { raw: 0, carries: 0 }
  let model = 0n
  const parts = [LIMITS.orderSizeRawMax, 2 ** 52 - 1, 1, 2 ** 52, 7, 2 ** 52 - 3]
  for (let round = 0; round < 1000; round++) {
    const partRaw = parts[round % parts.length]
    const before = { ...sum }
    addTo(sum, partRaw)
    model += BigInt(partRaw)
    assert.equal(totalOf(sum), model)
    assert.ok(compareSums(sum, before) > 0 && compareSums(before, sum) < 0)
  }
  assert.ok(model > 2n ** 60n)
})

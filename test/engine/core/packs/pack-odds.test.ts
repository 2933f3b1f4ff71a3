import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type AskLevel,
  legPrice,
  multipliersOf,
  payoutRaw,
  payoutWithoutRaw,
  windowOf,
} from '../../../../engine/core/packs/pack-odds.ts'
import { PACK_LIMITS } from '../../../../engine/domain/packs/pack-limits.ts'
import { freshSeed, Random } from '../../../support/random.ts'

// The worked numbers of rules §8.2 and §8.3, and a slow reference model.

const UNIT = 1_000_000

test('the worked packs pay what the rules say', () => {
  const rows = [
    { prices: [500, 400], fair: 5, net: 4.5, pays: 45_000_000 },
    { prices: [620, 550, 710], fair: 4.1304, net: 3.7173, pays: 37_173_185 },
    { prices: [300, 300, 500], fair: 22.2222, net: 20, pays: 200_000_000 },
    { prices: [900, 900], fair: 1.2346, net: 1.1111, pays: 11_111_111 },
  ]
  for (const { prices, fair, net, pays } of rows) {
    assert.equal(payoutRaw(10 * UNIT, prices), pays)
    const wanted = { fair, net, isTooHigh: false, isTooLow: false }
    assert.deepEqual(multipliersOf(prices), wanted, prices.join())
  }
  assert.equal(multipliersOf([300, 300, 400]).isTooHigh, true, 'net 25 is above the ceiling')
  assert.equal(multipliersOf([900]).isTooLow, true, 'net 1 wins nothing')
  assert.equal(multipliersOf([300, 300, 499]).isTooHigh, true, 'just above the ceiling')
})

test('only asks inside the range price a leg, and those near the best of them', () => {
  const asks = [50, 99, 100, 150, 200, 201, 900].map((ticks) => ({ ticks, sizeRaw: UNIT }))
  assert.deepEqual(
    windowOf(asks).map(({ ticks }) => ticks),
    [100, 150, 200],
  )
  assert.deepEqual(windowOf([{ ticks: 901, sizeRaw: UNIT }]), [])
  assert.deepEqual(
    windowOf([850, 900, 901, 950].map((ticks) => ({ ticks, sizeRaw: 1 }))).map(
      (each) => each.ticks,
    ),
    [850, 900],
  )
})

test('a leg costs the best ask while that is enough, and then the average, rounded up', () => {
  const window = [
    { ticks: 400, sizeRaw: 10 * UNIT },
    { ticks: 450, sizeRaw: 20 * UNIT },
  ]
  assert.equal(legPrice(window, 10 * UNIT).priceTicks, 400)
  // (10 · 0.4 + 5 · 0.45) / 15 = 0.41666…
  assert.equal(legPrice(window, 15 * UNIT).priceTicks, 417)
  const whole = legPrice(window, 30 * UNIT)
  const depth = { depthRaw: 30 * UNIT, depthCostRaw: 13 * UNIT }
  assert.deepEqual(whole, { priceTicks: 434, ...depth, isDeep: true })
  assert.deepEqual(legPrice(window, 30 * UNIT + 1), { priceTicks: 434, ...depth, isDeep: false })
})

/** The same by fractions of whole numbers, leg by leg. */
function slowPayout(stakeRaw: number, prices: readonly number[]): bigint {
  let [top, bottom] = [BigInt(stakeRaw) * 9n, 10n]
  for (const ticks of prices) {
    top *= 1_000_000n
    bottom *= BigInt(ticks) * 1000n
  }
  return top / bottom
}

test('payouts equal those of the reference model, also with void legs', () => {
  const seed = freshSeed()
  const random = new Random(seed)
  const { legsMax, stakeMinRaw, offerStakeMaxRaw } = PACK_LIMITS
  for (let round = 0; round < 20_000; round++) {
    const price = () => random.between(100, 900)
    const prices = Array.from({ length: random.between(1, legsMax) }, price)
    const stakeRaw = random.between(stakeMinRaw, offerStakeMaxRaw)
    const fullRaw = payoutRaw(stakeRaw, prices)
    assert.equal(BigInt(fullRaw), slowPayout(stakeRaw, prices), `SEED=${seed} ${prices.join()}`)
    const left = prices.filter(() => random.chance(0.6))
    const voided = prices.slice(left.length)
    const pack = { stakeRaw, payoutRaw: Math.max(stakeRaw, fullRaw) }
    const paidRaw = payoutWithoutRaw(pack, voided, left)
    assert.ok(paidRaw >= stakeRaw && paidRaw <= pack.payoutRaw, `SEED=${seed} ${prices.join()}`)
    if (voided.length === 0) assert.equal(paidRaw, pack.payoutRaw)
    else if (left.length === 0) assert.equal(paidRaw, stakeRaw)
  }
})

test('a void leg never pays more than the whole pack, nor less than the stake', () => {
  const quoted = { stakeRaw: 10_000_000, payoutRaw: 20_000_000 }
  // The books were dearer when the pack was quoted: it pays what was quoted, with and without legs.
  assert.equal(payoutWithoutRaw(quoted, [800], [400]), 20_000_000)
  assert.equal(payoutWithoutRaw(quoted, [500], [600]), 15_000_000)
  assert.equal(payoutWithoutRaw(quoted, [500], [950]), 10_000_000)
})

test('the average of a window is that of its shares one by one', () => {
  const seed = freshSeed()
  const random = new Random(seed)
  for (let round = 0; round < 2000; round++) {
    const window: AskLevel[] = []
    for (let ticks = 100; window.length < 5; ticks += random.between(1, 20)) {
      window.push({ ticks, sizeRaw: random.between(1, 9) })
    }
    const shares = window.flatMap(({ ticks, sizeRaw }) => Array<number>(sizeRaw).fill(ticks))
    const needRaw = random.between(1, shares.length)
    const sum = shares.slice(0, needRaw).reduce((before, ticks) => before + ticks, 0)
    const { priceTicks, isDeep } = legPrice(window, needRaw)
    assert.equal(priceTicks, Math.ceil(sum / needRaw), `SEED=${seed}`)
    assert.ok(isDeep)
  }
})

test('a payout that no number holds is the largest exact number', () => {
  const legs = Array.from({ length: 10 }, () => 100)
  assert.equal(payoutRaw(10 ** 15 - 1, legs), Number.MAX_SAFE_INTEGER)
})

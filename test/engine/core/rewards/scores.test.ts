import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  earnedOf,
  isEarning,
  type MarketSample,
  poolOfMinute,
  spreadHalfTicks,
} from '../../../../engine/core/rewards/scores.ts'
import { freshSeed, Random } from '../../../support/random.ts'

// Who earns how much of a minute (rules §11.3).

interface Order {
  readonly owner: number
  /** Bids are positive, asks negative. */
  readonly signedTicks: number
  readonly leftRaw: number
}

const SHARE = 1_000_000

function sample(orders: readonly Order[], midHalfTicks: number, more = {}): MarketSample {
  return {
    marketId: 1,
    poolRaw: 1_000_000,
    spreadHalfTicks: spreadHalfTicks(0.035),
    midHalfTicks,
    signedTicks: Int32Array.from(orders, ({ signedTicks }) => signedTicks),
    owners: Int32Array.from(orders, ({ owner }) => owner),
    leftsRaw: Float64Array.from(orders, ({ leftRaw }) => leftRaw),
    ...more,
  }
}

function earned(of: MarketSample): ReadonlyMap<number, number> {
  const work = earnedOf(of)
  for (;;) {
    const step = work.next()
    if (step.done === true) return step.value
  }
}

/** The rule word for word, in fractions of whole numbers: S and V in half-ticks, scores in raw. */
function slowlyEarned(orders: readonly Order[], of: MarketSample): ReadonlyMap<number, number> {
  const V = BigInt(of.spreadHalfTicks)
  const scoreOf = (owner: number, isBid: boolean) => {
    let sum = 0n
    for (const order of orders) {
      if (order.owner !== owner || order.signedTicks > 0 !== isBid) continue
      const distance = BigInt(2 * Math.abs(order.signedTicks) - of.midHalfTicks)
      const S = distance < 0n ? -distance : distance
      if (S < V) sum += (V - S) * (V - S) * BigInt(order.leftRaw)
    }
    return sum
  }
  const owners = [...new Set(orders.map(({ owner }) => owner))].sort((a, b) => a - b)
  const isInside = of.midHalfTicks >= 100 && of.midHalfTicks <= 1900
  // Thirds, so that max(A, B)/3 is whole.
  const thirds = owners.map((owner) => {
    const [bids, asks] = [scoreOf(owner, true), scoreOf(owner, false)]
    const [least, most] = bids < asks ? [bids, asks] : [asks, bids]
    return isInside && most > 3n * least ? most : 3n * least
  })
  const all = thirds.reduce((sum, each) => sum + each, 0n)
  const rows = owners.map((owner, index) => {
    const raw = all === 0n ? 0n : (BigInt(of.poolRaw) * thirds[index]) / all
    return [owner, Number(raw)] as const
  })
  return new Map(rows.filter(([, raw]) => raw > 0))
}

test('the worked weights and the worked score', () => {
  // v = 0.035: s 0 → 1, 0.01 → 0.5102, 0.02 → 0.1837, 0.03 → 0.0204.
  const weights = [0, 10, 20, 30].map((ticks) => ((70 - 2 * ticks) / 70) ** 2)
  assert.deepEqual(
    weights.map((weight) => weight.toFixed(4)),
    ['1.0000', '0.5102', '0.1837', '0.0204'],
  )
  // Middle 0.50: bids 200 @ 0.49 give 102.04, asks 100 @ 0.52 give 18.37, so Q is 34.01. Another
  // owner with 34.01 on both sides gets as much.
  const maker = [
    { owner: 1, signedTicks: 490, leftRaw: 200 * SHARE },
    { owner: 1, signedTicks: -520, leftRaw: 100 * SHARE },
  ]
  const both = Math.round(((200 * 50 * 50) / 3 / (70 * 70)) * SHARE)
  const model = [
    { owner: 2, signedTicks: 500, leftRaw: both },
    { owner: 2, signedTicks: -500, leftRaw: both },
  ]
  assert.equal(Math.round(both / 10_000), 3401)
  const shares = earned(sample([...maker, ...model], 1000))
  assert.deepEqual(
    [...shares],
    [
      [1, 500_000],
      [2, 499_999],
    ],
  )
})

test('quotes of one side count for a third in the middle, and not at all near 0 and 1', () => {
  const orders = (at: number) => [
    { owner: 1, signedTicks: at, leftRaw: 100 * SHARE },
    { owner: 2, signedTicks: at, leftRaw: 100 * SHARE },
    { owner: 2, signedTicks: -at, leftRaw: 100 * SHARE },
  ]
  for (const [mid, expected] of [
    [100, [250_000, 750_000]],
    [1900, [250_000, 750_000]],
    [99, [undefined, 1_000_000]],
    [1901, [undefined, 1_000_000]],
  ] as const) {
    const shares = earned(sample(orders(mid / 2), mid))
    assert.deepEqual([shares.get(1), shares.get(2)], expected, `middle at ${mid / 2000}`)
  }
})

test('an order earns nearer than the spread, and not at it; what nobody earns is not paid', () => {
  const at = (signedTicks: number) => earned(sample([{ owner: 1, signedTicks, leftRaw: 1 }], 1000))
  assert.equal(at(466).get(1), 1_000_000)
  assert.equal(at(465).size, 0)
  assert.equal(at(-534).get(1), 1_000_000)
  assert.equal(at(-535).size, 0)
  const terms = { minSizeRaw: 50 * SHARE, spreadHalfTicks: 70, midHalfTicks: 1000 }
  assert.equal(isEarning({ yesTicks: 466, leftRaw: 50 * SHARE }, terms), true)
  assert.equal(isEarning({ yesTicks: 465, leftRaw: 50 * SHARE }, terms), false)
  assert.equal(isEarning({ yesTicks: 500, leftRaw: 50 * SHARE - 1 }, terms), false)
})

test('the minutes of a day give its whole reward, however large it is', () => {
  for (const dailyRaw of [0, 1, 1439, 1440, 100 * SHARE, Number.MAX_SAFE_INTEGER]) {
    const day = 20_000 * 1440
    let sum = 0n
    for (let minute = 0; minute < 1440; minute++) {
      sum += BigInt(poolOfMinute(dailyRaw, day + minute))
    }
    assert.equal(sum, BigInt(dailyRaw))
  }
  // 0.069444… a minute is 100 a day (rules §11.2).
  assert.equal(poolOfMinute(100 * SHARE, 1440), 69_444)
})

test('the amounts are those of the rule, also at the extremes', () => {
  const random = new Random(freshSeed())
  for (let round = 0; round < 400; round++) {
    const isLarge = round % 2 === 0
    const orders = Array.from({ length: random.between(0, 40) }, () => ({
      owner: random.between(1, 8),
      signedTicks: random.between(1, 999) * (random.between(0, 1) === 0 ? 1 : -1),
      leftRaw: isLarge ? Number.MAX_SAFE_INTEGER - random.between(0, 9) : random.between(1, 5000),
    }))
    const of = sample(orders, random.between(1, 1999), {
      poolRaw: isLarge ? Number.MAX_SAFE_INTEGER : random.between(0, 100),
      spreadHalfTicks: random.between(1, 2000),
    })
    const found = earned(of)
    assert.deepEqual(found, slowlyEarned(orders, of))
    const paid = [...found.values()].reduce((sum, raw) => sum + BigInt(raw), 0n)
    assert.ok(paid <= BigInt(of.poolRaw), 'no more is given than there is')
  }
})

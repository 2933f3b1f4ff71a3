import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  drainedRaw,
  firstKept,
  mintedRaw,
  nextKept,
} from '../../../../engine/core/amm/pool-parts.ts'
import {
  buyQuote,
  exitRaw,
  poolValueRaw,
  sellQuote,
  yesPriceOf,
} from '../../../../engine/core/amm/pool-price.ts'
import { maxSharesRaw, minSharesRaw } from '../../../../engine/core/decide/money/pool-shares.ts'
import type { BothRaw } from '../../../../engine/domain/moves/move-command.ts'
import { freshSeed, Random } from '../../../support/random.ts'

// What a pool gives and takes (rules §7.1 to §7.4).

const WHOLE: BothRaw = [1_000_000_000, 1_000_000_000]
const FEE = 40

/** A slow reference model: exact fractions, and one rounding at the end. */
function slowBuy([own, other]: readonly [bigint, bigint], spent: bigint, bps: bigint) {
  const fee = (spent * bps) / 10_000n
  const net = spent - fee
  const kept = (own * other + (other + net) - 1n) / (other + net)
  return { sharesRaw: own + net - kept, feeRaw: fee }
}

function slowSell([own, other]: readonly [bigint, bigint], wanted: bigint, bps: bigint) {
  const gross = (wanted * 10_000n) / (10_000n - bps)
  if (gross >= other) return null
  const left = other - gross
  const kept = (own * other + left - 1n) / left
  return { sharesRaw: gross + kept - own, feeRaw: gross - wanted }
}

test('10 of collateral buy 19.821776 YES of a pool of 1,000 pairs (rules §7.3)', () => {
  const quote = buyQuote(WHOLE, 0, 10_000_000, FEE)
  assert.deepEqual(quote, { sharesRaw: 19_821_776, feeRaw: 40_000 })
  assert.equal(minSharesRaw(quote.sharesRaw, 100), 19_623_558)
  const after: BothRaw = [1_000_000_000 + 9_960_000 - quote.sharesRaw, 1_009_960_000]
  assert.deepEqual(after, [990_138_224, 1_009_960_000])
  assert.equal(yesPriceOf(after, 1_000_000), 504_955)
})

test('then 9.966220 YES give 5 of collateral (rules §7.3)', () => {
  const quote = sellQuote([990_138_224, 1_009_960_000], 0, 5_000_000, FEE)
  assert(quote !== null)
  assert.deepEqual(quote, { sharesRaw: 9_966_220, feeRaw: 20_080 })
  assert.equal(maxSharesRaw(quote.sharesRaw, 100), 10_065_883n)
  const merged = 5_000_000 + quote.feeRaw
  const after = [990_138_224 + quote.sharesRaw - merged, 1_009_960_000 - merged]
  assert.deepEqual(after, [995_084_364, 1_004_939_920])
})

test('1 of collateral there and back is 0.992015 (rules §7.3)', () => {
  const { sharesRaw, feeRaw } = buyQuote(WHOLE, 0, 1_000_000, FEE)
  assert.equal(sharesRaw, 1_991_008)
  const net = 1_000_000 - feeRaw
  const reserves: BothRaw = [1_000_000_000 + net - sharesRaw, 1_000_000_000 + net]
  assert.equal(exitRaw(reserves, 0, sharesRaw, FEE), 992_015)
  const costs = (wanted: number) => sellQuote(reserves, 0, wanted, FEE)?.sharesRaw ?? 0
  assert(costs(992_015) <= sharesRaw && costs(992_016) > sharesRaw)
  assert.equal(exitRaw(reserves, 0, 0, FEE), 0)
  assert(exitRaw(reserves, 0, Number.MAX_SAFE_INTEGER, FEE) < reserves[1], 'not all of a pool')
})

test('a hint of 300 to 700 keeps 428.571428 YES and a YES price of 0.70 (rules §7.4)', () => {
  const kept = firstKept(1_000_000_000, [300, 700])
  assert.deepEqual(kept, [428_571_428, 1_000_000_000])
  assert.equal(1_000_000_000 - kept[0], 571_428_572)
  assert.equal(yesPriceOf(kept, 1_000_000), 700_000)
})

test('a quote at any size is the one of exact fractions', () => {
  const random = new Random(freshSeed())
  for (let round = 0; round < 20_000; round++) {
    const max = 2 ** 52
    const reserves: BothRaw = [1 + random.spread(max - 1), 1 + random.spread(max - 1)]
    const outcome = random.below(2)
    const raw = 1 + random.spread(max - 1)
    const bps = random.pick([0, 40, 1000, random.below(1001)])
    const pair = reserves.map(BigInt)
    const sides = [pair[outcome], pair[1 - outcome]] as const
    const bought = buyQuote(reserves, outcome, raw, bps)
    const slow = slowBuy(sides, BigInt(raw), BigInt(bps))
    assert.deepEqual([BigInt(bought.sharesRaw), BigInt(bought.feeRaw)], Object.values(slow))
    const sold = sellQuote(reserves, outcome, raw, bps)
    const slowSold = slowSell(sides, BigInt(raw), BigInt(bps))
    const isSafe = slowSold !== null && slowSold.sharesRaw <= BigInt(Number.MAX_SAFE_INTEGER)
    assert.equal(sold !== null, isSafe)
    if (sold === null || slowSold === null) continue
    assert.deepEqual([BigInt(sold.sharesRaw), BigInt(sold.feeRaw)], Object.values(slowSold))
  }
})

test('no trade lowers the product of the reserves, nor takes the last share', () => {
  const random = new Random(freshSeed())
  for (let round = 0; round < 20_000; round++) {
    const max = random.pick([10, 1_000_000, 2 ** 51])
    const reserves: BothRaw = [1 + random.spread(max), 1 + random.spread(max)]
    const outcome = random.below(2)
    const raw = 1 + random.spread(max)
    const [own, other] = [BigInt(reserves[outcome]), BigInt(reserves[1 - outcome])]
    /** Checks the reserves behind a trade that changes them by this. */
    const holds = (ownBy: number, otherBy: number) => {
      const left = [own + BigInt(ownBy), other + BigInt(otherBy)]
      assert(left[0] * left[1] >= own * other && left[0] > 0n && left[1] > 0n)
    }
    const { sharesRaw, feeRaw } = buyQuote(reserves, outcome, raw, FEE)
    holds(raw - feeRaw - sharesRaw, raw - feeRaw)
    const sale = sellQuote(reserves, outcome, raw, FEE)
    if (sale !== null) holds(sale.sharesRaw - raw - sale.feeRaw, -raw - sale.feeRaw)
  }
})

test('a later provider takes out no more than it brought', () => {
  const random = new Random(freshSeed())
  for (let round = 0; round < 20_000; round++) {
    const reserves: BothRaw = [1 + random.spread(2 ** 51), 1 + random.spread(2 ** 51)]
    const wholeRaw = 1 + random.spread(2 ** 51)
    const gaveRaw = 1 + random.spread(2 ** 40)
    const kept = nextKept(gaveRaw, reserves)
    const minted = mintedRaw(gaveRaw, wholeRaw, reserves)
    assert(Math.max(...kept) <= gaveRaw)
    const after: BothRaw = [reserves[0] + kept[0], reserves[1] + kept[1]]
    const back = drainedRaw(after, minted, wholeRaw + minted)
    // With the shares that came back at once.
    for (const side of [0, 1]) assert(back[side] + gaveRaw - kept[side] <= gaveRaw)
  }
})

test('a pool is worth what its shares are worth at its price', () => {
  assert.equal(poolValueRaw([0, 0]), 0)
  assert.equal(poolValueRaw(WHOLE), 1_000_000_000)
  assert.equal(poolValueRaw([428_571_428, 1_000_000_000]), 599_999_999)
  assert.equal(yesPriceOf([0, 0], 1_000_000), 500_000)
})

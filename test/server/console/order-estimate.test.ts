import assert from 'node:assert/strict'
import { test } from 'node:test'
import { amountsOf, type OrderRequest } from '../../../server/console/exchange/order-amounts.ts'
import {
  type Estimate,
  estimateOf,
  type Offer,
  offersOf,
  reserveOf,
} from '../../../server/console/market/own/estimate.ts'

// The estimate of an order before it is signed, against the worked fills of rules §2.6 and §3.1.

const FEE_BPS = 300
const BUY: OrderRequest = {
  isBuy: true,
  outcome: 0,
  type: 'GTC',
  flags: {},
  priceTicks: 500,
  amountRaw: 150_000_000,
}
const SELL: OrderRequest = { ...BUY, isBuy: false }
const at = (ticks: number, sizeRaw: number): Offer => ({ ticks, sizeRaw })

interface Worked {
  readonly case: string
  readonly request: OrderRequest
  readonly offers: readonly Offer[]
  readonly got: Estimate
}

const WORKED: readonly Worked[] = [
  {
    case: 'complementary: 100 of 150 fill, the rest waits',
    request: BUY,
    offers: [at(450, 100_000_000)],
    got: {
      sharesRaw: 100_000_000,
      collateralRaw: 45_000_000,
      feeRaw: 3_000_000,
      worstTicks: 450,
      leftRaw: 50_000_000,
    },
  },
  {
    case: 'mint: the price of the maker counts, not the limit',
    request: { ...BUY, priceTicks: 650 },
    offers: [at(600, 200_000_000)],
    got: {
      sharesRaw: 150_000_000,
      collateralRaw: 90_000_000,
      feeRaw: 3_000_000,
      worstTicks: 600,
      leftRaw: 0,
    },
  },
  {
    case: 'merge: a sale pays its fee in collateral',
    request: { ...SELL, priceTicks: 600, amountRaw: 100_000_000 },
    offers: [at(650, 80_000_000)],
    got: {
      sharesRaw: 80_000_000,
      collateralRaw: 52_000_000,
      feeRaw: 840_000,
      worstTicks: 650,
      leftRaw: 20_000_000,
    },
  },
  {
    case: 'two levels: one fee on the average price',
    request: { ...BUY, type: 'FAK', priceTicks: 550, amountRaw: 200_000_000 },
    offers: [at(520, 100_000_000), at(550, 50_000_000), at(560, 900_000_000)],
    got: {
      sharesRaw: 150_000_000,
      collateralRaw: 79_500_000,
      feeRaw: 3_990_566,
      worstTicks: 550,
      leftRaw: 50_000_000,
    },
  },
  {
    case: 'a market buy walks by its spend',
    request: { ...BUY, type: 'FOK', priceTicks: null, amountRaw: 1_000_000 },
    offers: [at(300, 900_000_000)],
    got: {
      sharesRaw: 3_333_333,
      collateralRaw: 1_000_000,
      feeRaw: 99_999,
      worstTicks: 300,
      leftRaw: 0,
    },
  },
  {
    case: 'a market sale of odd shares rounds down',
    request: { ...SELL, type: 'FOK', priceTicks: null, amountRaw: 12_345_678 },
    offers: [at(370, 900_000_000)],
    got: {
      sharesRaw: 12_345_678,
      collateralRaw: 4_567_900,
      feeRaw: 137_037,
      worstTicks: 370,
      leftRaw: 0,
    },
  },
]

for (const { case: name, request, offers, got } of WORKED) {
  test(`an estimate is the worked fill: ${name}`, () => {
    assert.deepEqual(estimateOf(request, offers, FEE_BPS), got)
  })
}

test('a fee follows the smaller side of the price, as in the table of rules §3.1', () => {
  const table = [
    [1, 3_000_000, 3_000],
    [500, 3_000_000, 1_500_000],
    [600, 2_000_000, 1_200_000],
    [900, 333_333, 300_000],
    [999, 3_003, 3_000],
  ] as const
  for (const [ticks, buyFeeRaw, sellFeeRaw] of table) {
    const offers = [at(ticks, 100_000_000)]
    const request = { ...BUY, priceTicks: ticks, amountRaw: 100_000_000 }
    assert.equal(estimateOf(request, offers, FEE_BPS).feeRaw, buyFeeRaw)
    assert.equal(estimateOf({ ...request, isBuy: false }, offers, FEE_BPS).feeRaw, sellFeeRaw)
    assert.equal(estimateOf(request, offers, 0).feeRaw, 0)
  }
})

test('a market buy that the book cannot serve leaves what it could not spend', () => {
  const request: OrderRequest = { ...BUY, type: 'FOK', priceTicks: null, amountRaw: 9_000_000 }
  const { sharesRaw, leftRaw } = estimateOf(request, [at(500, 10_000_000)], 0)
  assert.deepEqual({ sharesRaw, leftRaw }, { sharesRaw: 10_000_000, leftRaw: 4_000_000 })
})

test('a limit order takes whole steps of a level of an odd size', () => {
  const { sharesRaw } = estimateOf(BUY, [at(400, 999), at(450, 5_001_999)], 0)
  assert.equal(sharesRaw, 5_001_000)
})

test('one YES book serves both outcomes and both sides', () => {
  const book = {
    bids: [{ price: 0.48, size: 160_000_000 }],
    asks: [
      { price: 0.55, size: 70_000_000 },
      { price: 0.6, size: 30_000_000 },
    ],
  }
  const offers = (isBuy: boolean, outcome: 0 | 1) => offersOf(book, { isBuy, outcome })
  assert.deepEqual(offers(true, 0), [at(550, 70_000_000), at(600, 30_000_000)])
  assert.deepEqual(offers(false, 0), [at(480, 160_000_000)])
  assert.deepEqual(offers(true, 1), [at(520, 160_000_000)])
  assert.deepEqual(offers(false, 1), [at(450, 70_000_000), at(400, 30_000_000)])
})

test('a buy reserves its limit, a market buy its spend, a sale its shares', () => {
  assert.equal(reserveOf(BUY), 75_000_000)
  assert.equal(reserveOf({ ...BUY, priceTicks: null, amountRaw: 7 }), 7)
  assert.equal(reserveOf(SELL), 150_000_000)
})

test('amounts of limit orders are exact, as in the table of rules §1.5', () => {
  const amounts = (isBuy: boolean, priceTicks: number, amountRaw: number) =>
    amountsOf({ ...BUY, isBuy, priceTicks, amountRaw })
  const rows = [
    [true, 650, 10_000_000, 6_500_000, 10_000_000],
    [true, 381, 22_123_000, 8_428_863, 22_123_000],
    [false, 750, 5_000_000, 5_000_000, 3_750_000],
    [false, 381, 1_234_000, 1_234_000, 470_154],
  ] as const
  for (const [isBuy, ticks, amountRaw, makerAmount, takerAmount] of rows) {
    assert.deepEqual(amounts(isBuy, ticks, amountRaw), { makerAmount, takerAmount })
  }
  assert.equal(typeof amounts(true, 380, 22_123_400), 'string')
  assert.equal(typeof amounts(true, 380, 0), 'string')
  assert.equal(typeof amounts(true, 380, 10_000_000_001_000), 'string')
})

test('a market order says 1 for what it takes', () => {
  const request: OrderRequest = { ...BUY, type: 'FOK', priceTicks: null, amountRaw: 1_234_567 }
  assert.deepEqual(amountsOf(request), { makerAmount: 1_234_567, takerAmount: 1 })
})

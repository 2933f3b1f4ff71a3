import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Mark, markOf, shareE6, valueRaw } from '../../../engine/domain/markets/mark.ts'
import { PRICE_ONE_TICKS } from '../../../engine/domain/units.ts'

// What marks a share, and what does not (rules §9.1).

const SHARE = 1_000_000
const TRADED_AT = 500
const UNMARKED = { minSizeRaw: 0, payoutNumerators: null, markYesTicks: 0 }
const AT_LAST_TRADE: Mark = { source: 'lastTrade', yesE6: TRADED_AT * 1000 }

type Level = readonly [ticks: number, shares: number]

function column(bids: readonly Level[], asks: readonly Level[]): Float64Array {
  const signedRaw = new Float64Array(PRICE_ONE_TICKS)
  for (const [ticks, shares] of bids) signedRaw[ticks] = shares * SHARE
  for (const [ticks, shares] of asks) signedRaw[ticks] = -shares * SHARE
  return signedRaw
}

const midpoint = (ticks: number): Mark => ({ source: 'midpoint', yesE6: ticks * 1000 })

const BOOKS: readonly [string, minShares: number, readonly Level[], readonly Level[], Mark][] = [
  ['ten shares on both sides', 0, [[480, 10]], [[531, 10]], midpoint(505.5)],
  ['the smallest prices', 0, [[1, 10]], [[2, 10]], midpoint(1.5)],
  ['the largest prices', 0, [[998, 10]], [[999, 10]], midpoint(998.5)],
  [
    'levels that have ten shares together',
    0,
    [
      [480, 9],
      [470, 1],
    ],
    [[520, 10]],
    midpoint(495),
  ],
  [
    'dust before the size',
    0,
    [
      [480, 0.001],
      [300, 10],
    ],
    [[520, 10]],
    midpoint(410),
  ],
  [
    'the minimum size of the market',
    50,
    [
      [480, 49],
      [470, 1],
    ],
    [[520, 50]],
    midpoint(495),
  ],
  ['less than ten shares of bids', 0, [[480, 9.999]], [[520, 10]], AT_LAST_TRADE],
  ['less than ten shares of asks', 0, [[480, 10]], [[520, 9.999]], AT_LAST_TRADE],
  ['less than the minimum size', 50, [[480, 49]], [[520, 50]], AT_LAST_TRADE],
  ['bids alone', 0, [[990, 1000]], [], AT_LAST_TRADE],
  ['asks alone', 0, [], [[10, 1000]], AT_LAST_TRADE],
  ['an empty book', 0, [], [], AT_LAST_TRADE],
]

test('a book marks where both sides have the least size; otherwise the last trade does', () => {
  for (const [name, minShares, bids, asks, mark] of BOOKS) {
    const market = { ...UNMARKED, minSizeRaw: minShares * SHARE, markYesTicks: TRADED_AT }
    assert.deepEqual(markOf(market, column(bids, asks)), mark, name)
  }
})

test('a payout is before a book, and cost is what is left', () => {
  const book = column([[480, 10]], [[520, 10]])
  const paid = { ...UNMARKED, payoutNumerators: [1, 3] as const }
  assert.deepEqual(markOf(paid, book), { source: 'payout', yesE6: 250_000 })
  assert.deepEqual(markOf(UNMARKED, column([], [])), { source: 'cost', yesE6: null })
})

test('a pool marks when the product of its reserves is that of ten shares each', () => {
  const yesE6 = 990_000
  const marked = (yes: number, no: number) =>
    markOf(UNMARKED, { reservesRaw: [yes * SHARE, no * SHARE], yesE6 })
  for (const [yes, no] of [
    [10, 10],
    [1, 100],
    [0.01, 10_000],
  ] as const) {
    assert.deepEqual(marked(yes, no), { source: 'pool', yesE6 }, `${yes} and ${no}`)
  }
  for (const [yes, no] of [
    [0, 0],
    [9.999999, 10],
    [0.01, 9999],
  ] as const) {
    assert.deepEqual(marked(yes, no), { source: 'cost', yesE6: null }, `${yes} and ${no}`)
  }
})

test('worth is rounded down, and shares at cost neither gain nor lose', () => {
  const mark = midpoint(333.5)
  const [yes, no] = [0, 1].map((outcome) => ({ outcome, sizeRaw: 1_000_001, costRaw: 450_000 }))
  assert.deepEqual([valueRaw(yes, mark), valueRaw(no, mark)], [333_500, 666_500])
  const atCost: Mark = { source: 'cost', yesE6: null }
  for (const position of [yes, no]) {
    assert.deepEqual([valueRaw(position, atCost), shareE6(position, atCost)], [450_000, 450_000])
  }
  for (const each of [mark, atCost]) assert.equal(valueRaw({ ...yes, sizeRaw: -5 }, each), 0)
})

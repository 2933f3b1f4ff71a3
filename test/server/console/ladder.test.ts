import assert from 'node:assert/strict'
import { test } from 'node:test'
import { depthOf, ladderOf, sharesNear } from '../../../server/console/market/shown/ladder-rows.ts'
import { pointsOf, withTrade, wordsOf } from '../../../server/console/market/shown/price-format.ts'

// What the ladder and the charts of a market show.

const BIDS = [
  { price: 0.48, size: 100_000_000 },
  { price: 0.4, size: 300_000_000 },
]
const ASKS = [{ price: 0.55, size: 200_000_000 }]

test('rows add up from the best price, and bars share one scale', () => {
  const { bids, asks } = ladderOf(BIDS, ASKS, 10)
  assert.deepEqual(bids, [
    { price: 0.48, sizeRaw: 100_000_000, totalRaw: 100_000_000, part: 0.25 },
    { price: 0.4, sizeRaw: 300_000_000, totalRaw: 400_000_000, part: 1 },
  ])
  assert.deepEqual(asks, [{ price: 0.55, sizeRaw: 200_000_000, totalRaw: 200_000_000, part: 0.5 }])
  assert.deepEqual(ladderOf([], [], 10), { bids: [], asks: [] })
})

test('rows that are not shown do not count', () => {
  assert.equal(ladderOf(BIDS, [], 1).bids[0]?.part, 1)
})

test('a depth chart rises to both sides of the middle', () => {
  assert.deepEqual(depthOf(BIDS, ASKS, 1), {
    cents: [40, 48, 55],
    bids: [400, 100, null],
    asks: [null, null, 200],
  })
})

test('a level far from the best of its side does not press the chart together', () => {
  assert.deepEqual(depthOf(BIDS, ASKS, 0.05).cents, [48, 55])
  assert.deepEqual(depthOf(BIDS, ASKS, 0.08).cents, [40, 48, 55])
})

test('shares near the middle include the edge', () => {
  assert.equal(sharesNear(BIDS, 0.45, 0.05), 400_000_000)
  assert.equal(sharesNear(BIDS, 0.45, 0.049), 100_000_000)
})

test('a price history reads oldest first, and in words', () => {
  const points = pointsOf([
    { price: 0.3, timestamp: '2026-03-01T12:00:10.000Z' },
    { price: 0.52, timestamp: '2026-03-01T12:00:05.000Z' },
  ])
  const [first, last] = points
  assert.deepEqual([first?.price, last?.price], [0.52, 0.3])
  assert.equal((last?.atSec ?? 0) - (first?.atSec ?? 0), 5)
  assert.equal(wordsOf(points), 'From 52¢ to 30¢, lowest 30¢, highest 52¢.')
  assert.equal(wordsOf([]), 'No trades in this period.')
})

test('a trade goes behind the newest point, and never before it', () => {
  const points = [{ atSec: 10, price: 0.5 }]
  assert.deepEqual(withTrade(points, { atSec: 11, price: 0.6 }).at(-1)?.price, 0.6)
  assert.deepEqual(withTrade(points, { atSec: 10, price: 0.6 }), points)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  estimateOf,
  mostRaw,
  movedTo,
  type Pool,
  poolLinesOf,
  poolShortageOf,
} from '../../../server/console/market/pool/pool-estimate.ts'

// What the ticket of a pool says before a trade (rules §7).

const UNIT = 1_000_000
/** The worked pool of rules §7.3. */
const POOL: Pool = { reservesRaw: [1000 * UNIT, 1000 * UNIT], feeBps: 40 }
const BUY = { isBuy: true, outcome: 0, collateralRaw: 10 * UNIT } as const
const SELL = { isBuy: false, outcome: 0, collateralRaw: 5 * UNIT } as const
const MEANS = { collateralRaw: 8 * UNIT, sharesRaw: 9 * UNIT }

test('a purchase and a sale are estimated as the worked pool gives them', () => {
  const bought = estimateOf(POOL, BUY)
  assert.deepEqual([bought?.sharesRaw, bought?.feeRaw], [19_821_776, 40_000])
  assert.equal(bought?.worst.toFixed(6), '0.504955')
  const after: Pool = { ...POOL, reservesRaw: [990_138_224, 1_009_960_000] }
  const sold = estimateOf(after, SELL)
  assert.deepEqual([sold?.sharesRaw, sold?.feeRaw], [9_966_220, 20_080])
  assert(bought !== null)
  assert.deepEqual(poolLinesOf(BUY, bought, POOL), [
    ['You give', '$10.00'],
    ['You get', '19.82 YES'],
    ['Average price', '50.2¢'],
    ['Worst price', '50.5¢'],
    ['Fee', '$0.04 (rate 0.4%)'],
  ])
})

test('a pool at another price has the reserves that trades would have left', () => {
  const { reservesRaw } = movedTo(POOL, 504_955)
  for (const [index, raw] of [990_138_224, 1_009_960_000].entries()) {
    assert(Math.abs(reservesRaw[index] - raw) < 1000, String(reservesRaw))
  }
  assert.deepEqual(movedTo(POOL, 0), POOL, 'a price of zero moves nothing')
})

test('nothing is estimated that the pool does not have', () => {
  assert.equal(estimateOf(POOL, { ...SELL, collateralRaw: 1000 * UNIT }), null)
  assert.equal(estimateOf({ reservesRaw: [0, 0], feeBps: 40 }, BUY), null)
})

test('the ticket says what is missing, and fills in the most', () => {
  assert.equal(poolShortageOf(BUY, estimateOf(POOL, BUY), MEANS), '$8.00 is free.')
  const short = poolShortageOf(SELL, estimateOf(POOL, SELL), MEANS)
  assert.equal(short, 'It takes 10.07 YES, and you have 9.')
  assert.equal(poolShortageOf(SELL, null, MEANS), 'The pool does not hold that much.')
  assert.equal(mostRaw(POOL, BUY, MEANS), 8 * UNIT)
  const most = mostRaw(POOL, SELL, MEANS)
  const all = estimateOf(POOL, { ...SELL, collateralRaw: most })
  assert(all !== null && all.sharesRaw <= MEANS.sharesRaw)
  const more = estimateOf(POOL, { ...SELL, collateralRaw: most + 1 })
  assert(more !== null && more.sharesRaw > MEANS.sharesRaw)
})

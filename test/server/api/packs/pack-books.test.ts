import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OUTCOME, SIDE } from '../../../../engine/domain/order.ts'
import { PACK_LIMITS } from '../../../../engine/domain/packs/pack-limits.ts'
import { allSteps, PackBooks } from '../../../../server/api/packs/pack-books.ts'
import { StampTimes } from '../../../../server/exchange/sequencer/stamp-times.ts'
import { ExchangeDriver, type OrderRef } from '../../../support/exchange-driver.ts'

// The orders that price packs (rules §8.2).

const UNIT = 1_000_000
const REST_MS = 30_000

class Stage {
  readonly driver = new ExchangeDriver(8192)
  readonly maker = this.driver.addAccount(10 ** 6 * UNIT)
  readonly buyer = this.driver.addAccount(1000 * UNIT)
  readonly marketId = this.driver.addMarket()
  readonly #stamps = new StampTimes()
  books: PackBooks

  constructor() {
    this.#stamps.begin(this.driver.clearing.lastSeq, this.driver.nowMs)
    this.driver.onCommand = ({ seq, nowMs }) => this.#stamps.note(seq, nowMs)
    this.books = this.#fresh()
  }

  #fresh(): PackBooks {
    const { clearing } = this.driver
    const seqAt = (atMs: number) => this.#stamps.seqAt(atMs)
    return new PackBooks({ clearing, seqAt, restMs: REST_MS })
  }

  restart(): void {
    this.#stamps.begin(this.driver.clearing.lastSeq, this.driver.nowMs)
    this.books = this.#fresh()
  }

  /** An order that buys YES, or one that sells YES by buying NO. */
  rest(isBid: boolean, ticks: number, shares: number, account = this.maker): OrderRef {
    const token = isBid
      ? { outcome: OUTCOME.YES, priceTicks: ticks }
      : { outcome: OUTCOME.NO, priceTicks: 1000 - ticks }
    const order = { account, marketId: this.marketId, side: SIDE.BUY, type: 'GTC' as const }
    const placed = this.driver.place({ ...order, ...token, sizeRaw: shares * UNIT })
    assert.equal(placed.result, 'RESTED')
    return placed
  }

  pass(ms: number): void {
    this.driver.nowMs += ms
  }

  /** The levels of YES in whole shares, after a read. */
  book(buyerId: number | null = this.buyer, outcome: number = OUTCOME.YES) {
    const { marketId } = this
    allSteps(this.books.read([marketId], this.driver.nowMs))
    const { asks, bids } = this.books.bookFor({ marketId, outcome, buyerId })
    const reported = ({ ticks, sizeRaw }: (typeof asks)[number]) => [ticks, sizeRaw / UNIT]
    return { asks: asks.map(reported), bids: bids.map(reported) }
  }

  use(shares: number): void {
    const { marketId, buyer: buyerId } = this
    this.books.use({ marketId, outcome: OUTCOME.YES, buyerId }, shares * UNIT)
  }
}

test('orders count once they have rested, for both tokens and best first', () => {
  const stage = new Stage()
  for (const [ticks, shares] of [
    [520, 5],
    [510, 3],
    [510, 4],
  ] as const) {
    stage.rest(false, ticks, shares)
  }
  stage.rest(true, 490, 7)
  stage.rest(true, 480, 8)
  stage.pass(REST_MS - 1)
  assert.deepEqual(stage.book(), { asks: [], bids: [] })
  stage.pass(1001)
  const asks = [
    [510, 7],
    [520, 5],
  ]
  const bids = [
    [490, 7],
    [480, 8],
  ]
  assert.deepEqual(stage.book(), { asks, bids })
  const mirrored = (levels: number[][]) => levels.map(([ticks, shares]) => [1000 - ticks, shares])
  assert.deepEqual(stage.book(stage.buyer, OUTCOME.NO), {
    asks: mirrored(bids),
    bids: mirrored(asks),
  })
  assert.deepEqual(stage.book(stage.maker), { asks: [], bids: [] }, 'own orders do not count')
})

test('levels that are too far from the best ask to price anything are left out', () => {
  const stage = new Stage()
  for (const ticks of [500, 600, 601]) stage.rest(false, ticks, 1)
  for (const ticks of [450, 400, 399]) stage.rest(true, ticks, 1)
  stage.pass(REST_MS)
  assert.deepEqual(stage.book(), {
    asks: [
      [500, 1],
      [600, 1],
    ],
    bids: [
      [450, 1],
      [400, 1],
    ],
  })
})

test('a bid far from the best ask still makes two sides', () => {
  const stage = new Stage()
  stage.rest(false, 850, 1)
  stage.rest(true, 200, 1)
  stage.pass(REST_MS)
  assert.deepEqual(stage.book(), { asks: [[850, 1]], bids: [[200, 1]] })
})

test('an order that left, or has less than a share, does not count, also since the read', () => {
  const stage = new Stage()
  const first = stage.rest(false, 500, 10)
  stage.rest(false, 510, 10)
  stage.rest(false, 520, 0.5)
  stage.pass(REST_MS)
  assert.deepEqual(stage.book().asks, [
    [500, 10],
    [510, 10],
  ])
  assert.equal(stage.driver.cancel(stage.maker, first), null)
  assert.deepEqual(stage.book().asks, [[510, 10]])
  const take = { account: stage.buyer, marketId: stage.marketId, side: SIDE.BUY, outcome: 0 }
  stage.driver.place({ ...take, type: 'FAK', priceTicks: 510, sizeRaw: 9.5 * UNIT })
  assert.deepEqual(stage.book().asks, [])
})

test('what priced packs is used from the best on, and new orders are not', () => {
  const stage = new Stage()
  const ended: OrderRef[] = [stage.rest(false, 500, 10), stage.rest(false, 510, 10)]
  stage.pass(REST_MS)
  stage.book()
  stage.use(12)
  assert.deepEqual(stage.book().asks, [[510, 8]])
  stage.rest(false, 500, 4)
  assert.deepEqual(stage.book().asks, [[510, 8]])
  stage.pass(REST_MS)
  assert.deepEqual(stage.book().asks, [
    [500, 4],
    [510, 8],
  ])
  for (const order of ended) assert.equal(stage.driver.cancel(stage.maker, order), null)
  const again = stage.rest(false, 510, 10)
  assert.ok(
    ended.some(({ slot }) => slot === again.slot),
    'an order took the slot of one that was used',
  )
  stage.pass(REST_MS)
  assert.deepEqual(stage.book().asks, [
    [500, 4],
    [510, 10],
  ])
})

test('only the best orders of a side are read, whatever dust rests', () => {
  const stage = new Stage()
  // One account has an eighth of the orders at most.
  const makers = Array.from({ length: 4 }, () => stage.driver.addAccount(10 ** 6 * UNIT))
  for (let made = 0; made < PACK_LIMITS.ordersOfSideMax; made++) {
    stage.rest(false, 600, 1, makers[made % makers.length])
  }
  stage.rest(false, 610, 10)
  for (let made = 0; made < 100; made++) stage.rest(false, 500, 0.9)
  stage.pass(REST_MS)
  assert.deepEqual(stage.book().asks, [[600, PACK_LIMITS.ordersOfSideMax]])
  stage.use(5)
  stage.pass(REST_MS)
  const [first, second] = stage.book().asks
  assert.deepEqual(
    [first, second],
    [
      [600, PACK_LIMITS.ordersOfSideMax - 5],
      [610, 10],
    ],
  )
})

test('after a start nothing has rested, and then the open packs use what does', () => {
  const stage = new Stage()
  stage.rest(false, 500, 10)
  stage.rest(false, 510, 10)
  stage.pass(REST_MS)
  stage.driver.control({ kind: 'fundHouse', collateralRaw: 1000 * UNIT })
  const legs = [stage.marketId, stage.driver.addMarket()].map((marketId) => {
    return { marketId, outcome: 0, priceTicks: 500 }
  })
  const terms = { profileId: stage.buyer, stakeRaw: 4 * UNIT, payoutRaw: 12 * UNIT, legs }
  stage.driver.control({ kind: 'createPack', ...terms })
  stage.restart()
  assert.deepEqual(stage.book().asks, [])
  stage.pass(REST_MS)
  assert.deepEqual(stage.book().asks, [[510, 8]])
  stage.pass(REST_MS)
  assert.deepEqual(stage.book().asks, [[510, 8]], 'they use it once')
})

test('a read in steps survives orders that end meanwhile', () => {
  const stage = new Stage()
  const orders = Array.from({ length: 700 }, () => stage.rest(false, 600, 1))
  const other = stage.driver.addAccount(1000 * UNIT)
  stage.rest(false, 590, 3, other)
  stage.pass(REST_MS)
  const steps = stage.books.read([stage.marketId], stage.driver.nowMs)
  steps.next()
  for (const order of orders) assert.equal(stage.driver.cancel(stage.maker, order), null)
  allSteps(steps)
  const { marketId, buyer: buyerId } = stage
  const { asks } = stage.books.bookFor({ marketId, outcome: OUTCOME.YES, buyerId })
  assert.deepEqual(asks, [{ ticks: 590, sizeRaw: 3 * UNIT }])
})

test('of very many orders the best price packs, and among equal prices the oldest', () => {
  const stage = new Stage()
  const most = PACK_LIMITS.ordersOfSideMax
  const makers = Array.from({ length: 16 }, () => stage.driver.addAccount(10 ** 6 * UNIT))
  // Whichever end of the book is read first, a best order is read last.
  stage.rest(false, 590, 3)
  for (let each = 0; each < 2 * most; each++) stage.rest(false, 600, 1, makers[each % 16])
  stage.rest(false, 591, 2)
  stage.rest(false, 600, 2)
  stage.pass(REST_MS)
  assert.deepEqual(stage.book().asks, [
    [590, 3],
    [591, 2],
    [600, most - 2],
  ])
})

test('a clock that is set back does not keep what was read', () => {
  const stage = new Stage()
  stage.rest(false, 510, 3)
  stage.pass(REST_MS)
  stage.rest(false, 520, 5)
  const early = stage.book().asks
  assert.deepEqual(early, [[510, 3]])
  stage.pass(REST_MS + 1000)
  assert.equal(stage.book().asks.length, 2)
  stage.pass(-REST_MS)
  assert.deepEqual(stage.book().asks, early)
})

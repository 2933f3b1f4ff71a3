import assert from 'node:assert/strict'
import { test } from 'node:test'
import { REJECT } from '../../../engine/domain/reject-precedence.ts'
import { encodeControl } from '../../../engine/wire/codec.ts'
import { newFolder } from '../../support/data-folder.ts'
import { fillJournal } from '../../support/journal-fill.ts'
import { buy, fill, makeMarket, openForTest } from '../../support/open-pipeline.ts'

const ORDER = { priceTicks: 500, sizeRaw: 1_000_000 }
const COST_RAW = 500_000
const START_MS = 1_800_000_000_000
const START_SEC = START_MS / 1000

for (const threads of [0, 2] as const) {
  test(`full rings refuse orders as OVERLOADED, without effect (${threads} threads)`, async () => {
    const exchange = await openForTest(newFolder(), { nowMs: START_MS }, threads)
    await fill(exchange, 100_000 * COST_RAW)
    const { ledger, orders } = exchange.pipeline.clearing
    // The event loop never ticks here, so nothing drains the rings and they fill.
    let accepted = 0
    while (buy(exchange, accepted + 1, ORDER) === null) accepted++
    assert.equal(buy(exchange, accepted + 1, ORDER), REJECT.OVERLOADED)
    assert.ok(accepted > 1000 && accepted < 100_000, `${accepted} orders filled the rings`)
    assert.equal(ledger.collateralReservedRaw[1], accepted * COST_RAW)
    assert.equal(orders.live.all, accepted)
    const refusedSeq = exchange.pipeline.clearing.lastSeq
    await exchange.pipeline.whenIdle()
    assert.equal(exchange.pipeline.durableSeq, refusedSeq)
    assert.equal(buy(exchange, accepted + 1, ORDER), null, 'the rings have free space again')
    await exchange.pipeline.whenIdle()
    const book = exchange.pipeline.published.byId(1)
    assert.deepEqual(book?.depth.bids(), [{ ticks: 500, sizeRaw: (accepted + 1) * ORDER.sizeRaw }])
    await exchange.stop()
  })
}

test('an order is open through its expiration second and is canceled after it', async () => {
  const clock = { nowMs: START_MS }
  const exchange = await openForTest(newFolder(), clock)
  await fill(exchange, 10 * COST_RAW)
  const { ledger, orders } = exchange.pipeline.clearing
  assert.equal(buy(exchange, 1, { ...ORDER, expirationSec: START_SEC - 1 }), REJECT.ORDER_EXPIRED)
  assert.equal(buy(exchange, 2, { ...ORDER, expirationSec: START_SEC + 5 }), null)
  assert.equal(buy(exchange, 3, { ...ORDER, expirationSec: START_SEC + 9 }), null)
  await exchange.pipeline.whenIdle()
  clock.nowMs = START_MS + 5_999
  exchange.pipeline.tick()
  await exchange.pipeline.whenIdle()
  assert.equal(orders.live.all, 2)
  clock.nowMs = START_MS + 6_000
  exchange.pipeline.tick()
  await exchange.pipeline.whenIdle()
  assert.equal(orders.live.all, 1)
  assert.equal(ledger.collateralReservedRaw[1], COST_RAW)
})

test('deadlines survive a restart, and time never goes back across a restart', async () => {
  const dataDir = newFolder()
  const clock = { nowMs: START_MS }
  const first = await openForTest(dataDir, clock)
  await fill(first, 10 * COST_RAW, START_MS + 20_000)
  assert.equal(buy(first, 1, { ...ORDER, expirationSec: START_SEC + 5 }), null)
  await first.pipeline.whenIdle()
  await first.stop()
  clock.nowMs = START_MS - 60_000
  const second = await openForTest(dataDir, clock)
  assert.equal(second.pipeline.sequencer.nowMs(), START_MS)
  clock.nowMs = START_MS + 6_000
  second.pipeline.tick()
  await second.pipeline.whenIdle()
  assert.equal(second.pipeline.clearing.orders.live.all, 0)
  assert.equal(second.pipeline.published.byId(1)?.status, 'FUNDED')
  clock.nowMs = START_MS + 20_000
  second.pipeline.tick()
  await second.pipeline.whenIdle()
  assert.equal(second.pipeline.published.byId(1)?.status, 'LOCKED')
})

test('a market locks at its deadline and cancels every order', async () => {
  const dataDir = newFolder()
  const clock = { nowMs: START_MS }
  const exchange = await openForTest(dataDir, clock)
  await fill(exchange, 4000 * COST_RAW, START_MS + 1000)
  const COUNT = 2500
  for (let each = 1; each <= COUNT; each++) assert.equal(buy(exchange, each, ORDER), null)
  await exchange.pipeline.whenIdle()
  clock.nowMs = START_MS + 1000
  assert.equal(buy(exchange, COUNT + 1, ORDER), REJECT.MARKET_NOT_TRADABLE)
  await exchange.pipeline.whenIdle()
  const { clearing, published } = exchange.pipeline
  assert.equal(clearing.orders.live.all, 0)
  assert.equal(clearing.ledger.collateralReservedRaw[1], 0)
  assert.equal(published.byId(1)?.status, 'LOCKED')
  const last = await exchange.stop()
  const again = await openForTest(dataDir, clock)
  assert.equal(again.recovered.stateHash, last.stateHash)
})

test('after a crash between a lock and its cancels the next start cancels', async () => {
  const dataDir = newFolder()
  const clock = { nowMs: START_MS }
  const first = await openForTest(dataDir, clock)
  await fill(first, 10 * COST_RAW)
  assert.equal(buy(first, 1, ORDER), null)
  const { seq } = await first.stop()
  // Writes only the lock, as in a journal that was cut right after it.
  const lock = { kind: 'lockMarket' as const, marketId: 1, seq: seq + 1, nowMs: START_MS }
  fillJournal(dataDir, [encodeControl(lock)])
  const second = await openForTest(dataDir, clock)
  assert.equal(second.pipeline.clearing.orders.live.all, 1)
  second.pipeline.tick()
  await second.pipeline.whenIdle()
  assert.equal(second.pipeline.clearing.orders.live.all, 0)
  assert.equal(second.pipeline.clearing.ledger.collateralReservedRaw[1], 0)
})

test('a start with `each` refuses a folder with more markets than it may have', async () => {
  const dataDir = newFolder()
  const first = await openForTest(dataDir, { nowMs: START_MS })
  for (let marketId = 1; marketId <= 65; marketId++) await makeMarket(first, marketId)
  await first.stop()
  const second = openForTest(dataDir, { nowMs: START_MS }, 'each')
  await assert.rejects(
    second,
    /holds a market with book 65, and --market-threads each allows at most 64 books/,
  )
})

test('one command resolves a group, and the orders of all its children are canceled', async () => {
  const dataDir = newFolder()
  const exchange = await openForTest(dataDir, { nowMs: START_MS }, 2)
  await fill(exchange, 4 * COST_RAW)
  const { pipeline } = exchange
  for (const marketId of [2, 3]) await makeMarket(exchange, marketId)
  for (const marketId of [1, 2, 3]) {
    assert.equal(buy(exchange, marketId, { ...ORDER, marketId }), null)
  }
  await pipeline.whenIdle()
  const resolutions = [1, 2].map((marketId) => {
    return { marketId, payoutNumerators: [0, 1] as const }
  })
  assert.equal(await pipeline.change(() => ({ kind: 'resolveMarkets', resolutions })), null)
  await pipeline.whenIdle()
  const { catalogue, orders, ledger } = pipeline.clearing
  assert.deepEqual([orders.live.all, ledger.collateralReservedRaw[1]], [1, COST_RAW])
  assert.deepEqual(
    catalogue.all().map(({ book }) => book),
    [0, 0, 3],
    'a child gives its book back with its last order',
  )
  const last = await exchange.stop()
  const again = await openForTest(dataDir, { nowMs: START_MS }, 2)
  assert.equal(again.recovered.stateHash, last.stateHash)
})

test('a cancel that waited while its market came to its end is answered', async () => {
  const exchange = await openForTest(newFolder(), { nowMs: START_MS }, 2)
  await fill(exchange, 4 * COST_RAW)
  const { pipeline } = exchange
  assert.equal(buy(exchange, 1, ORDER), null)
  await pipeline.whenIdle()
  const orders = pipeline.cancels.live(1, 1)
  assert.equal(buy(exchange, 2, ORDER), null)
  pipeline.quiescentPoint.begin(() => {})
  assert(pipeline.quiescentPoint.isOn, 'an order is under way')
  const canceled = pipeline.cancels.cancel(1, orders)
  const resolutions = [{ marketId: 1, payoutNumerators: [1, 0] as const }]
  assert.equal(await pipeline.change(() => ({ kind: 'resolveMarkets', resolutions })), null)
  const notOpen = orders.map((each) => ({ ...each, isMatched: false }))
  assert.deepEqual(await canceled, { releasing: [], bound: [], canceled: [], notOpen })
  assert.equal(pipeline.clearing.catalogue.existing(1).book, 0)
})

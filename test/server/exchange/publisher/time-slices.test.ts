import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expiresAtMs } from '../../../../engine/core/decide/decide.ts'
import { REJECT } from '../../../../engine/domain/reject-precedence.ts'
import { CancelEverywhere, Cancels } from '../../../../server/api/orders/cancels.ts'
import { HeartbeatChanges } from '../../../../server/api/orders/services.ts'
import { AheadOfTables } from '../../../../server/exchange/sequencer/ahead-of-tables.ts'
import { DEADLINES_FIRST } from '../../../../server/exchange/sequencer/sequencer.ts'
import type { OpenOptions, RunningExchange } from '../../../../server/start/open.ts'
import { newFolder } from '../../../support/data-folder.ts'
import { recoverAll } from '../../../support/journal-records.ts'
import {
  addProfile,
  buy,
  fill,
  makeMarket,
  openForTest,
  sleepUntilTaken,
} from '../../../support/open-pipeline.ts'

// Main stamps what is due in time slices. Here each look at the time ends the slice, so that a
// slice stamps one command; and the event loop never ticks before the test lets it.

const START_MS = 1_800_000_000_000
const ORDER = { priceTicks: 1, sizeRaw: 1_000_000 }
const RICH_RAW = 1e12

let hashes = 0

async function opened(markets: number, marketThreads = 1, changes: Partial<OpenOptions> = {}) {
  const dataDir = newFolder()
  const clock = { nowMs: START_MS }
  const slices = { stepMs: 0, nowMs: 0 }
  const exchange = await openForTest(dataDir, clock, marketThreads, {
    monotonicMs: () => {
      slices.nowMs += slices.stepMs
      return slices.nowMs
    },
    ...changes,
  })
  await fill(exchange, RICH_RAW)
  for (let marketId = 2; marketId <= markets; marketId++) {
    exchange.shards.of(marketId)
    await makeMarket(exchange, marketId)
  }
  return { dataDir, clock, slices, exchange }
}

const order = (exchange: RunningExchange, terms: object) =>
  buy(exchange, ++hashes, { ...ORDER, ...terms })

async function rest(exchange: RunningExchange, count: number, terms: object): Promise<void> {
  for (let each = 0; each < count; each++) {
    const hash = ++hashes
    for (;;) {
      const refusal = buy(exchange, hash, { ...ORDER, ...terms })
      if (refusal === null) break
      assert.equal(refusal, REJECT.OVERLOADED)
      await new Promise(setImmediate)
    }
  }
  await exchange.pipeline.whenIdle()
}

const kindsAfter = (dataDir: string, seq: number) =>
  recoverAll(dataDir)
    .commands.slice(seq)
    .map((command) => command.kind)

test('one slice fires a part of the heartbeats, and no order comes before the others', async () => {
  const { dataDir, clock, slices, exchange } = await opened(2)
  const { pipeline } = exchange
  const beats = new HeartbeatChanges(pipeline)
  const dueMs = START_MS + 10_000
  const profiles = 1100
  await Promise.all(
    Array.from({ length: profiles - 1 }, (_, at) => addProfile(exchange, at + 2, 1e9)),
  )
  await Promise.all(Array.from({ length: profiles }, (_, at) => beats.beat(at + 1, dueMs)))
  await rest(exchange, 1, { accountId: profiles, marketId: 2 })
  const fromSeq = pipeline.clearing.lastSeq
  slices.stepMs = 5
  clock.nowMs = dueMs
  pipeline.tick()
  assert.equal(pipeline.clearing.lastSeq, fromSeq + 1, 'a slice stamps one command of 512')
  assert.equal(order(exchange, { marketId: 1 }), DEADLINES_FIRST)
  assert.equal(pipeline.clearing.lastSeq, fromSeq + 1, 'an order does not lengthen the slice')
  const renewed = await beats.beat(profiles, dueMs + 9000)
  assert.equal(renewed, REJECT.HEARTBEAT_CANCELING, 'a deadline that passed cannot be called off')
  await pipeline.whenIdle()
  while (pipeline.sequencer.isCut) await new Promise(setImmediate)
  assert.equal(order(exchange, { marketId: 1 }), null)
  await pipeline.whenIdle()
  assert.equal(pipeline.clearing.orders.live.of(profiles), 0)
  await exchange.stop()
  const fires = ['fireHeartbeats', 'fireHeartbeats', 'fireHeartbeats', 'cancelOrders']
  assert.deepEqual(kindsAfter(dataDir, fromSeq), [...fires, 'placeOrder'])
})

test('orders of one expiration end in slices; only their own market waits', async () => {
  const { clock, slices, exchange } = await opened(2)
  const { pipeline } = exchange
  const expirationSec = START_MS / 1000 + 10
  await rest(exchange, 3500, { marketId: 1, expirationSec })
  const fromSeq = pipeline.clearing.lastSeq
  slices.stepMs = 5
  clock.nowMs = expiresAtMs(expirationSec)
  pipeline.tick()
  assert.equal(pipeline.clearing.lastSeq, fromSeq + 1, 'a slice stamps one cancel of 1,000')
  assert.equal(order(exchange, { marketId: 1 }), DEADLINES_FIRST)
  assert.equal(order(exchange, { marketId: 2 }), null, 'another market trades on')
  while (pipeline.sequencer.isCut) await new Promise(setImmediate)
  assert.equal(order(exchange, { marketId: 1 }), null)
  await pipeline.whenIdle()
  assert.equal(pipeline.clearing.orders.live.all, 2)
})

test('cancels of a frozen profile come in slices; only their markets wait', async () => {
  const markets = 6
  const { slices, exchange } = await opened(markets)
  const { pipeline } = exchange
  await addProfile(exchange, 2, 1e9)
  for (let marketId = 1; marketId < markets; marketId++) {
    await rest(exchange, 2, { accountId: 2, marketId })
  }
  slices.stepMs = 5
  const frozen = pipeline.change(() => ({ kind: 'freezeProfile', profileId: 2, reason: '' }))
  const marketIds = Array.from({ length: markets }, (_, at) => at + 1)
  const answers = marketIds.map((marketId) => order(exchange, { marketId }))
  const waits = answers.filter((answer) => answer === DEADLINES_FIRST).length
  assert.equal(waits, markets - 2, 'one market is clear already, and one has no order of it')
  assert.equal(answers.filter((answer) => answer === null).length, 2)
  await frozen
  while (pipeline.sequencer.isCut) await new Promise(setImmediate)
  await pipeline.whenIdle()
  assert.equal(pipeline.clearing.orders.live.of(2), 0)
  for (const marketId of marketIds) {
    assert.equal(order(exchange, { marketId }), null)
  }
  await pipeline.whenIdle()
})

test('a market that locks cancels its orders in slices, and no later order', async () => {
  const { slices, exchange } = await opened(1)
  const { pipeline } = exchange
  await addProfile(exchange, 2, 1e9)
  await rest(exchange, 1500, {})
  await rest(exchange, 1500, { accountId: 2 })
  slices.stepMs = 5
  const locked = pipeline.change(() => ({ kind: 'lockMarket', marketId: 1 }))
  const unlocked = pipeline.change(() => ({ kind: 'unlockMarket', marketId: 1 }))
  assert.equal(order(exchange, {}), DEADLINES_FIRST)
  await locked
  await unlocked
  while (pipeline.sequencer.isCut) await new Promise(setImmediate)
  assert.equal(order(exchange, {}), null)
  await pipeline.whenIdle()
  assert.equal(pipeline.clearing.orders.live.all, 1)
})

test('the orders of a locked market end in bursts, as the read tables follow', async () => {
  let tablesSeq = 0
  const burst = new AheadOfTables(() => tablesSeq, 1000)
  const { exchange } = await opened(1, 1, { burst })
  const { pipeline } = exchange
  const { live } = pipeline.clearing.orders
  await rest(exchange, 2500, {})
  await pipeline.change(() => ({ kind: 'lockMarket', marketId: 1 }))
  for (const left of [1500, 500, 0]) {
    for (const round of ['the burst', 'nothing before the tables follow']) {
      pipeline.tick()
      await pipeline.whenIdle()
      assert.equal(live.all, left, round)
    }
    tablesSeq = pipeline.clearing.lastSeq
  }
})

test('the orders of a frozen profile do not wait for the read tables', async () => {
  const { exchange } = await opened(1, 1, { burst: new AheadOfTables(() => 0, 1000) })
  const { pipeline } = exchange
  await rest(exchange, 2500, {})
  await pipeline.change(() => ({ kind: 'freezeProfile', profileId: 1, reason: '' }))
  await pipeline.whenIdle()
  assert.equal(pipeline.clearing.orders.live.all, 0)
})

test('one slice settles a part of a wide answer', async () => {
  const { slices, exchange } = await opened(1)
  const { pipeline } = exchange
  const { orders } = pipeline.clearing
  await rest(exchange, 4000, {})
  const live = pipeline.cancels.live(1, 1)
  slices.stepMs = 5
  const canceled = pipeline.cancels.cancel(1, live)
  sleepUntilTaken(exchange)
  pipeline.drain()
  assert.ok(orders.live.all > 0 && orders.live.all < live.length, `${orders.live.all} are left`)
  await canceled
  assert.equal(orders.live.all, 0)
})

test('replies of one commit leave in slices, and later ones after them', async () => {
  const { slices, exchange } = await opened(1)
  const { pipeline } = exchange
  const { publisher } = pipeline
  slices.stepMs = 5
  pipeline.sequencer.change(() => ({ kind: 'lockMarket', marketId: 1 }))
  const seq = pipeline.clearing.lastSeq
  const replies = 100
  const left: number[] = []
  for (let each = 0; each < replies; each++) publisher.whenDurable(seq, () => left.push(each))
  while (left.length === 0) await new Promise(setImmediate)
  assert.ok(left.length < replies, `${left.length} left in one slice`)
  publisher.whenDurable(seq, () => left.push(replies))
  while (left.length <= replies) await new Promise(setImmediate)
  assert.deepEqual(
    left,
    Array.from({ length: replies + 1 }, (_, at) => at),
  )
})

test('a cancel of all orders in a market ends more than the rings hold', async () => {
  const { exchange } = await opened(1)
  const { pipeline } = exchange
  const orders = 80_000
  await rest(exchange, orders, {})
  const noReads = { order: async () => undefined, orderByClientId: async () => undefined }
  const everywhere = new CancelEverywhere(pipeline, new Cancels(pipeline, noReads))
  const outcome = await everywhere.run(1, [1])
  assert.ok('orderIds' in outcome)
  assert.deepEqual([outcome.orderIds.length, outcome.failed.length], [orders, 0])
  assert.equal(pipeline.clearing.orders.live.all, 0)
})

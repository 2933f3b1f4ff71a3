import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CANCEL_REASONS } from '../../../engine/domain/event.ts'
import { LIMITS } from '../../../engine/domain/limits.ts'
import { REJECT, Reject } from '../../../engine/domain/reject-precedence.ts'
import { CancelEverywhere, Cancels } from '../../../server/api/orders/cancels.ts'
import { HeartbeatChanges } from '../../../server/api/orders/services.ts'
import { TradingModeChanges } from '../../../server/api/system/services.ts'
import type { Receipt } from '../../../server/exchange/publisher/durable-publisher.ts'
import type { RunningExchange } from '../../../server/start/open.ts'
import { newFolder } from '../../support/data-folder.ts'
import { recoverAll } from '../../support/journal-records.ts'
import {
  addProfile,
  buy,
  fill,
  makeMarket,
  openForTest,
  sleepUntilTaken,
} from '../../support/open-pipeline.ts'

// Wide acts: they reach every order, and other work runs meanwhile.

const START_MS = 1_800_000_000_000
const SHARE = 1_000_000
const noReads = {
  order: () => Promise.resolve(undefined),
  orderByClientId: () => Promise.resolve(undefined),
}

let hashes = 0

/** Places orders, each as soon as the rings have free space. */
async function placeMany(exchange: RunningExchange, count: number, order: object): Promise<void> {
  for (let each = 0; each < count; each++) {
    const hash = ++hashes
    for (;;) {
      const refusal = buy(exchange, hash, order)
      if (refusal === null) break
      assert.equal(refusal, REJECT.OVERLOADED)
      await new Promise(setImmediate)
    }
  }
  await exchange.pipeline.whenIdle()
}

/** The number of event-loop ticks that other work got until `done`. */
async function roundsUntil(done: Promise<unknown>): Promise<number> {
  let rounds = 0
  let isOver = false
  const count = () => {
    if (isOver) return
    rounds++
    setImmediate(count)
  }
  count()
  await done
  isOver = true
  return rounds
}

test('a cancel of all orders in a market names each, and other work runs in between', async () => {
  const exchange = await openForTest(newFolder(), { nowMs: START_MS }, 1)
  await fill(exchange, 1e12)
  const orders = 6000
  await placeMany(exchange, orders, { priceTicks: 1, sizeRaw: SHARE })
  const { pipeline } = exchange
  const ids = new Set(
    pipeline.cancels.live(1, 1).map(({ slot, generation }) => pipeline.ids.text(slot, generation)),
  )
  const all = new CancelEverywhere(pipeline, new Cancels(pipeline, noReads)).run(1, [1])
  const rounds = await roundsUntil(all)
  const outcome = await all
  assert.ok(!(outcome instanceof Reject))
  assert.deepEqual(new Set(outcome.orderIds), ids)
  assert.equal(outcome.orderIds.length, orders)
  assert.deepEqual(outcome.failed, [])
  assert.ok(rounds >= orders / 1000, `${rounds} event-loop ticks`)
})

/** The number of orders in each cancel of the journal. */
function canceledCounts(dataDir: string): number[] {
  return recoverAll(dataDir).commands.flatMap((each) =>
    each.kind === 'cancelOrders' ? each.count : [],
  )
}

/** Lets promises go on while the loop stands still: no thread reports, and nothing is durable. */
async function withinTick(): Promise<void> {
  for (let step = 0; step < 100; step++) await null
}

test('a flood of cancels over all markets cancels each order once, in parts', async () => {
  const dataDir = newFolder()
  const exchange = await openForTest(dataDir, { nowMs: START_MS }, 1)
  await fill(exchange, 1e12)
  await addProfile(exchange, 2, 1e9)
  const markets = 70
  for (let marketId = 2; marketId <= markets; marketId++) {
    exchange.shards.of(marketId)
    await makeMarket(exchange, marketId)
  }
  for (let marketId = 1; marketId <= markets; marketId++) {
    await placeMany(exchange, 2, { marketId, priceTicks: 1, sizeRaw: SHARE })
  }
  const wide = 4500
  await placeMany(exchange, wide, { marketId: 3, priceTicks: 1, sizeRaw: SHARE })
  await placeMany(exchange, 1, { accountId: 2, priceTicks: 1, sizeRaw: SHARE })
  const { pipeline } = exchange
  const { orders } = pipeline.clearing
  const everywhere = new CancelEverywhere(pipeline, new Cancels(pipeline, noReads))
  const flood = Array.from({ length: 40 }, () => everywhere.run(1))
  const fromSeq = pipeline.clearing.lastSeq
  await withinTick()
  const stamped = pipeline.clearing.lastSeq - fromSeq
  assert.ok(stamped > 0 && stamped < markets, `${stamped} commands are stamped at once`)
  assert.equal(buy(exchange, ++hashes, { priceTicks: 2, sizeRaw: SHARE }), null)
  const [first, ...others] = await Promise.all(flood)
  assert.ok(!(first instanceof Reject))
  assert.equal(new Set(first.orderIds).size, wide + 2 * markets)
  assert.deepEqual(first.failed, [])
  const reported = others.map((each) => (each instanceof Reject ? -1 : each.orderIds.length))
  assert.equal(
    reported.reduce((sum, count) => sum + count, 0),
    1,
    'the order that came meanwhile is for the next call',
  )
  assert.deepEqual([orders.live.of(1), orders.live.of(2)], [0, 1])
  await exchange.stop()
  const counts = canceledCounts(dataDir)
  assert.equal(
    counts.reduce((sum, count) => sum + count, 0),
    wide + 2 * markets + 1,
  )
  assert.ok(Math.max(...counts) <= LIMITS.cancelItemsMax)
  assert.ok(counts.length <= markets + Math.ceil(wide / LIMITS.cancelItemsMax) + 3)
})

test('a cancel over all markets that is refused midway names what is still open', async () => {
  const exchange = await openForTest(newFolder(), { nowMs: START_MS }, 1)
  await fill(exchange, 1e12)
  const orders = 5000
  await placeMany(exchange, orders, { priceTicks: 1, sizeRaw: SHARE })
  const { pipeline } = exchange
  const cancels = new Cancels(pipeline, noReads)
  const everywhere = new CancelEverywhere(pipeline, cancels)
  const run = everywhere.run(1)
  // The first part is stamped; the mode begins before the second one.
  await withinTick()
  const always = { startsAtMs: null, endsAtMs: null, publicMessage: '' }
  await new TradingModeChanges(pipeline).put({ mode: 'disabled', ...always })
  const outcome = await run
  assert.ok(!(outcome instanceof Reject))
  const { orderIds, failed } = outcome
  assert.ok(orderIds.length > 0 && failed.length > 0, `${orderIds.length} ${failed.length}`)
  assert.equal(orderIds.length + failed.length, orders)
  assert.ok(failed.every(({ reason, retryable }) => reason === 'UNKNOWN_ERROR' && retryable))
  assert.equal(pipeline.clearing.orders.live.of(1), failed.length)
  const refused = await everywhere.run(1)
  assert.ok(refused instanceof Reject)
  assert.equal(refused.name, 'TRADING_DISABLED')
})

test('a sweep settles every maker, and its reply names only the first makers', async () => {
  const exchange = await openForTest(newFolder(), { nowMs: START_MS }, 1)
  await fill(exchange, 1e12)
  await addProfile(exchange, 2, 1e9)
  const makers = LIMITS.replyOrdersMax + 500
  await placeMany(exchange, makers, { accountId: 2, outcome: 1, priceTicks: 500, sizeRaw: 1000 })
  const { pipeline } = exchange
  assert.equal(buy(exchange, ++hashes, { priceTicks: 600, sizeRaw: makers * 1000 }), null)
  const receipt = await new Promise<Receipt>((resolve) => {
    pipeline.publisher.whenReceipt(pipeline.clearing.lastSeq, START_MS, resolve)
  })
  assert.equal(receipt.makers.length, LIMITS.replyOrdersMax)
  assert.equal(receipt.filledSharesRaw, makers * 1000)
  assert.equal(pipeline.clearing.orders.live.all, 0)
})

/** The seqs of orders, in the order in which their replies went out. */
function repliesTo({ pipeline }: RunningExchange, seqs: readonly number[]): Promise<number[]> {
  const reported: number[] = []
  return new Promise((resolve) => {
    for (const seq of seqs) {
      pipeline.publisher.whenReceipt(seq, START_MS, () => {
        reported.push(seq)
        if (reported.length === seqs.length) resolve(reported)
      })
    }
  })
}

test('a market does not wait for the many results of another', async () => {
  const exchange = await openForTest(newFolder(), { nowMs: START_MS }, 2)
  await fill(exchange, 1e12)
  for (const marketId of [1, 2]) exchange.shards.of(marketId)
  await makeMarket(exchange, 2)
  await exchange.pipeline.whenIdle()
  const { clearing } = exchange.pipeline
  const seqs: number[] = []
  const place = (marketId: number) => {
    assert.equal(buy(exchange, ++hashes, { marketId, priceTicks: 1, sizeRaw: SHARE }), null)
    seqs.push(clearing.lastSeq)
  }
  const busy = 1500
  // The quiet order goes first, so that it is durable as soon as any other.
  place(2)
  const quietSeq = clearing.lastSeq
  for (let each = 0; each < busy; each++) place(1)
  const replies = repliesTo(exchange, seqs)
  sleepUntilTaken(exchange)
  const reported = await replies
  await exchange.stop()
  assert.ok(
    reported.indexOf(quietSeq) < busy / 2,
    `${reported.indexOf(quietSeq)} replies came earlier`,
  )
})

test('the reply to a trade mined at once waits for its block, even in a flood', async () => {
  const exchange = await openForTest(newFolder(), { nowMs: START_MS }, 0, { blockMs: 0 })
  await fill(exchange, 1e12)
  await addProfile(exchange, 2, 1e9)
  const trades = 600
  await placeMany(exchange, 1, {
    accountId: 2,
    outcome: 1,
    priceTicks: 500,
    sizeRaw: trades * 1000,
  })
  const { pipeline } = exchange
  const { mining } = pipeline
  assert.ok(mining !== null)
  const seqs = Array.from({ length: trades }, () => {
    assert.equal(buy(exchange, ++hashes, { priceTicks: 500, sizeRaw: 1000 }), null)
    return pipeline.clearing.lastSeq
  })
  const events = await Promise.all(
    seqs.map((seq) => {
      return new Promise<unknown>((resolve) => {
        pipeline.publisher.whenReceipt(seq, START_MS, () => {
          mining.whenMined(seq, (event) => resolve(event?.status))
        })
      })
    }),
  )
  await exchange.stop()
  assert.deepEqual(new Set(events), new Set(['MINED']))
})

test('heartbeats of one instant share one cancel per market, and each one ends', async () => {
  const dataDir = newFolder()
  const clock = { nowMs: START_MS }
  const exchange = await openForTest(dataDir, clock, 1)
  await fill(exchange, 1e9)
  for (const marketId of [2, 3]) {
    exchange.shards.of(marketId)
    await makeMarket(exchange, marketId)
  }
  const profiles = 40
  const { pipeline } = exchange
  const beats = new HeartbeatChanges(pipeline)
  const dueMs = START_MS + 10_000
  for (let profileId = 2; profileId <= profiles; profileId++)
    await addProfile(exchange, profileId, 1e9)
  for (let accountId = 1; accountId <= profiles; accountId++) {
    await beats.beat(accountId, dueMs)
    // The last profile has no orders.
    if (accountId === profiles) continue
    for (const marketId of [1, 2, 3]) {
      await placeMany(exchange, 2, { accountId, marketId, priceTicks: 1, sizeRaw: SHARE })
    }
  }
  clock.nowMs = dueMs
  pipeline.tick()
  assert(pipeline.underWay <= 4, `${pipeline.underWay} wait, the other places are for orders`)
  await pipeline.whenIdle()
  assert.equal(pipeline.clearing.orders.live.all, 0)
  for (let profileId = 1; profileId <= profiles; profileId++) {
    assert.equal(pipeline.sequencer.heartbeats.isCanceling(profileId, clock.nowMs), false)
    assert.equal(pipeline.clearing.ledger.collateralReservedRaw[profileId], 0)
  }
  await exchange.stop()
  const cancels = recoverAll(dataDir).commands.flatMap((each) => {
    return each.kind === 'cancelOrders' ? each : []
  })
  assert.deepEqual(
    cancels.map(({ marketId, reason, count }) => [marketId, CANCEL_REASONS[reason], count]).sort(),
    [1, 2, 3].map((marketId) => [marketId, 'HEARTBEAT', 2 * (profiles - 1)]),
  )
})

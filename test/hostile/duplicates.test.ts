import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { doubtEverything } from '../support/doubtful-filter.ts'
import { exchange } from '../support/exchange.ts'
import { at, textAt } from '../support/json-path.ts'
import { type LiveExchange, startLive, type Trader } from '../support/live-exchange.ts'
import { type LiveMarket, orderBody } from '../support/live-orders.ts'
import { accepted, type Reply } from '../support/replies.ts'

// An order is accepted once within the window of remembered orders, and while it lives. Main knows
// the newest orders, and the filters and the tables know the older ones. A restart forgets none.

const CAUGHT_UP_MS = 10_000
const HOUR_MS = 3_600_000

function send(live: LiveExchange, trader: Trader, body: object): Promise<Reply> {
  return live.call(trader, 'POST', '/orders', body)
}

function codesOf(replies: readonly Reply[]): string[] {
  return replies.map(({ status, body }) => `${status} ${at(body, 'code') ?? ''}`.trim()).sort()
}

/** Waits until main has dropped every order that it may drop. */
async function forgotten({ exchange }: LiveExchange): Promise<void> {
  const { pipeline, follower } = exchange
  await pipeline.durable()
  assert.ok(await follower.whenApplied(pipeline.clearing.lastSeq, CAUGHT_UP_MS))
}

async function assertKnown(
  live: LiveExchange,
  trader: Trader,
  market: LiveMarket,
  placed: Record<string, unknown>,
): Promise<void> {
  const { clientOrderId } = placed
  assert.equal((await send(live, trader, placed)).status, 409)
  assert.deepEqual(codesOf([await send(live, trader, placed)]), ['409 DUPLICATE_ORDER'])
  const sameId = { ...orderBody(trader, market, { ticks: 100 }), clientOrderId }
  assert.deepEqual(codesOf([await send(live, trader, sameId)]), ['409 DUPLICATE_CLIENT_ORDER_ID'])
  const other = { ...sameId, clientOrderId: randomUUID() }
  assert.equal((await send(live, trader, other)).status, 201)
}

test('an order stays known after main forgets it, and after any start', async () => {
  const { live, rain: market, trader } = await exchange({ markets: ['rain'], traders: ['trader'] })
  const placed = [1, 2, 3].map((number) => ({
    ...orderBody(trader, market, { ticks: 100 + number }),
    clientOrderId: `mine-${number}`,
  }))
  for (const body of placed) assert.equal((await send(live, trader, body)).status, 201)
  await assertKnown(live, trader, market, placed[0])
  await forgotten(live)
  const { clearing } = live.exchange.pipeline
  assert.ok(clearing.seen.forgottenSeq > 0, 'main keeps only the newer orders')
  await assertKnown(live, trader, market, placed[0])
  await accepted(live.call(trader, 'DELETE', '/orders/all/rain'))
  await forgotten(live)
  await assertKnown(live, trader, market, placed[1])
  const cancel = { clientOrderId: 'mine-1' }
  const late = await live.call(trader, 'POST', '/orders/cancel', cancel)
  assert.equal(late.status, 400, late.text)
  const never = await live.call(trader, 'POST', '/orders/cancel', { clientOrderId: 'never' })
  assert.equal(never.status, 404, never.text)
  await live.restart()
  assert.ok(live.exchange.recovered.snapshotSeq > 0)
  await assertKnown(live, trader, market, placed[2])
  await live.restart({}, (dataDir) => rmSync(join(dataDir, 'snapshots'), { recursive: true }))
  assert.equal(live.exchange.recovered.snapshotSeq, 0)
  await assertKnown(live, trader, market, { ...placed[2], clientOrderId: 'mine-2' })
})

test('an order may be repeated after its end and the window, and never before', async () => {
  const {
    live,
    rain: market,
    trader,
  } = await exchange({
    markets: ['rain'],
    traders: ['trader'],
    flags: ['--order-memory-days', '1'],
  })
  const ofId = (clientOrderId: string) => {
    return { ...orderBody(trader, market, { ticks: 100 }), clientOrderId }
  }
  const [ended, resting] = [ofId('ended'), ofId('resting')]
  const repeated = async () => codesOf([await send(live, trader, ended)])
  const memory = async () => at((await live.read('/exchange-info')).body, 'orderMemory')
  for (const body of [ended, resting]) assert.equal((await send(live, trader, body)).status, 201)
  await accepted(live.call(trader, 'POST', '/orders/cancel', { clientOrderId: 'ended' }))
  const startMs = live.nowMs()
  const hours = async (count: number) => {
    for (let hour = 0; hour < count; hour += 4) {
      live.shiftClock(4 * HOUR_MS)
      assert.equal((await send(live, trader, ofId(randomUUID()))).status, 201)
      await forgotten(live)
    }
  }
  await hours(20)
  assert.deepEqual(await repeated(), ['409 DUPLICATE_ORDER'])
  assert.deepEqual(await memory(), { days: 1, since: null })
  await hours(12)
  const sinceMs = Date.parse(textAt(await memory(), 'since'))
  assert.ok(sinceMs > startMs && sinceMs <= live.nowMs() - 24 * HOUR_MS)
  assert.ok((await live.gauge('outcomex_order_memory_oldest_seq')) > 1)
  assert.deepEqual(codesOf([await send(live, trader, resting)]), ['409 DUPLICATE_ORDER'])
  const gone = await live.call(trader, 'POST', '/orders/cancel', { clientOrderId: 'ended' })
  assert.equal(gone.status, 404, gone.text)
  // A doubtful filter costs a lookup, which finds the old order and lets the new one pass.
  doubtEverything(live)
  assert.deepEqual(await repeated(), ['201'])
  assert.deepEqual(await repeated(), ['409 DUPLICATE_ORDER'])
  assert.deepEqual(codesOf([await send(live, trader, resting)]), ['409 DUPLICATE_ORDER'])
  await live.restart()
  for (const body of [ended, resting]) {
    assert.deepEqual(codesOf([await send(live, trader, body)]), ['409 DUPLICATE_ORDER'])
  }
  await accepted(live.call(trader, 'POST', '/orders/cancel', { clientOrderId: 'ended' }))
  assert.deepEqual(await repeated(), ['409 DUPLICATE_ORDER'])
})

test('a post-only order that would cross leaves no trace, not even in the filter', async () => {
  const {
    live,
    rain: market,
    alice,
    bob,
  } = await exchange({ markets: ['rain'], traders: ['alice', 'bob'] })
  const request = orderBody(bob, market, { outcome: 1, ticks: 500 })
  assert.equal((await send(live, bob, request)).status, 201)
  const order = { ...orderBody(alice, market), postOnly: true, clientOrderId: 'again' }
  for (let round = 0; round < 2; round++) {
    assert.deepEqual(codesOf([await send(live, alice, order)]), ['400 POST_ONLY_WOULD_MATCH'])
    await forgotten(live)
  }
  assert.equal((await live.call(bob, 'DELETE', '/orders/all/rain')).status, 200)
  assert.equal((await send(live, alice, order)).status, 201)
})

test('of equal orders that wait for a lookup in the tables one is accepted', async () => {
  const { live, rain: market, trader } = await exchange({ markets: ['rain'], traders: ['trader'] })
  doubtEverything(live)
  const { seen } = live.exchange.pipeline.clearing
  for (let round = 0; round < 5; round++) {
    const body = orderBody(trader, market, { ticks: 100 })
    const same = await Promise.all([1, 2, 3].map(() => send(live, trader, body)))
    assert.deepEqual(codesOf(same), ['201', '409 DUPLICATE_ORDER', '409 DUPLICATE_ORDER'])
    const named = [1, 2].map(() => {
      return { ...orderBody(trader, market, { ticks: 100 }), clientOrderId: `id-${round}` }
    })
    const two = await Promise.all(named.map((each) => send(live, trader, each)))
    assert.deepEqual(codesOf(two), ['201', '409 DUPLICATE_CLIENT_ORDER_ID'])
    const poor = orderBody(trader, market, { ticks: 900, sizeRaw: 9_000_000_000 })
    assert.deepEqual(codesOf([await send(live, trader, poor)]), ['400 INSUFFICIENT_COLLATERAL'])
  }
  assert.equal(seen.count, 10)
  await forgotten(live)
  assert.equal(live.exchange.lookups.count, 0)
})

test('an order whose lookup gets no answer is not placed, and its client may retry', async (t) => {
  const live = await startLive()
  // Its query thread is dead then.
  t.after(() => live.stop().catch(() => {}))
  const market = await live.openMarket('rain')
  const trader = await live.trader(1_000_000_000)
  doubtEverything(live)
  await live.exchange.query.kill()
  live.isHasty = true
  const reply = await send(live, trader, orderBody(trader, market, { ticks: 100 }))
  assert.equal(reply.status, 503, reply.text)
  assert.ok(Number(reply.headers.get('retry-after')) > 0)
  assert.equal(live.exchange.pipeline.clearing.seen.count, 0)
})

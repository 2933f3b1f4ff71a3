import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newFolder } from '../../support/data-folder.ts'
import { ExchangeClient, SHARE, type TestMarket } from '../../support/exchange-client.ts'
import {
  at,
  type LiveExchange,
  type Reply,
  startLive,
  type Trader,
} from '../../support/live-exchange.ts'
import { type LiveMarket, openMarket, place } from '../../support/live-orders.ts'
import { ServerProcess } from '../../support/server-process.ts'

// Taker delay over HTTP (domain §4.3); the clock of the exchange is the test's.

const DELAY_MS = 60_000
let live: LiveExchange
let slow: LiveMarket
let maker: Trader
let taker: Trader

before(async () => {
  live = await startLive()
  slow = await openMarket(live, 'slow', { takerDelayMs: DELAY_MS })
  maker = await live.trader(1_000_000_000)
  taker = await live.trader(1_000_000_000)
})
after(async () => {
  await live.stop()
})

const ask = { outcome: 1 as const }

async function taken(trader: Trader, wish: object, fields: object = {}): Promise<Reply> {
  const reply = await place(live, trader, slow, wish, fields)
  assert.equal(reply.status, 201, reply.text)
  return reply
}

async function statusOf(orderId: string): Promise<unknown> {
  const body = { items: [{ orderId }] }
  const reply = await live.call(taker, 'POST', '/orders/status/batch', body)
  assert.equal(reply.status, 200, reply.text)
  return at(reply.body, 'results', 0, 'data')
}

async function released(orderId: string): Promise<unknown> {
  live.shiftClock(DELAY_MS)
  for (;;) {
    const status = await statusOf(orderId)
    if (at(status, 'execution', 'settlementStatus') !== 'DELAYED') return status
  }
}

test('an order that would take is held: 201, DELAYED, LIVE with its whole size', async () => {
  const shown = await live.send('GET', '/markets/slow')
  assert.equal(at(shown.body, 'settings', 'takerDelayMs'), DELAY_MS)
  assert.equal(at(shown.body, 'metadata', 'takerDelayMs'), DELAY_MS)
  await taken(maker, { ...ask, sizeRaw: 4_000_000 })
  const reply = await taken(taker, {})
  const { order, execution, makerMatches } = Object(reply.body)
  const eligibleMs = Date.parse(order.createdAt) + DELAY_MS
  assert.deepEqual([order.status, makerMatches], ['LIVE', []])
  assert.deepEqual(
    [execution.matched, execution.settlementStatus, execution.eligibleAt],
    [false, 'DELAYED', new Date(eligibleMs).toISOString()],
  )
  const [row] = Object((await live.call(taker, 'GET', '/markets/slow/user-orders')).body)
  assert.deepEqual(
    [row.status, row.originalSize, row.remainingSize],
    ['LIVE', '10000000', '10000000'],
  )
  const status = await statusOf(order.id)
  assert.equal(at(status, 'execution', 'settlementStatus'), 'DELAYED')
  assert.equal(at(status, 'execution', 'eligibleAt'), execution.eligibleAt)
  assert.equal(at(status, 'order', 'status'), 'LIVE')
  const book = await live.send('GET', '/markets/slow/orderbook')
  assert.deepEqual(at(book.body, 'bids'), [], 'it is not in the book')

  const after = await released(order.id)
  assert.equal(at(after, 'execution', 'matched'), true)
  assert.equal(at(after, 'execution', 'totalsRaw', 'contractsGross'), '4000000')
  assert.equal(at(after, 'order', 'status'), 'LIVE', 'what is left of a GTC rests')
  const canceled = await live.call(taker, 'POST', '/orders/cancel', { orderId: order.id })
  assert.equal(canceled.status, 200, canceled.text)
  assert.deepEqual(live.faults, [])
})

test('held orders outlive SIGTERM and SIGKILL, and are released in their time', async () => {
  const options = { dataDir: newFolder(), args: ['--intake-threads', '1', '--market-threads', '1'] }
  let server = await ServerProcess.start(options)
  after(() => server.signal('SIGKILL'))
  let client = new ExchangeClient(server.baseUrl)
  const traders = [
    await client.makeTrader('maker', 1000 * SHARE),
    await client.makeTrader('taker', 1000 * SHARE),
  ]
  const wish = { isBuy: true, ticks: 500, sizeRaw: SHARE, type: 'GTC' } as const
  const takes = async (market: TestMarket, salt: number) => {
    await client.placed(traders[0], market, { ...wish, outcome: 'no', salt })
    const { order } = await client.placed(traders[1], market, { ...wish, outcome: 'yes', salt })
    return order.id
  }
  const later = await takes(await client.makeMarket('later', false, DELAY_MS), 1)
  const soon = await takes(await client.makeMarket('soon', false, 3000), 2)
  const executions = async () => {
    const body = JSON.stringify({ items: [{ orderId: later }, { orderId: soon }] })
    const reply = await client.call(traders[1], 'POST', '/orders/status/batch', body)
    return [0, 1].map((index) => Object(at(reply.body, 'results', index, 'data', 'execution')))
  }
  const [waits, entersSoon] = await executions()
  assert.deepEqual([waits.settlementStatus, entersSoon.matched], ['DELAYED', false])
  for (const end of [() => server.stop(), () => server.kill()]) {
    await end()
    server = await ServerProcess.start(options)
    client = new ExchangeClient(server.baseUrl)
    assert.deepEqual((await executions())[0], waits, 'nothing that a client can see has changed')
  }
  while ((await executions())[1].matched === false) assert(!server.stderr.includes('fatal'))
  assert.ok(Date.now() >= Date.parse(entersSoon.eligibleAt), 'no sooner than its time')
  await server.stop()
})

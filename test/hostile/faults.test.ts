import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { armFault } from '../../engine/thread/fault-point.ts'
import { at, type LiveExchange, startLive, type Trader } from '../support/live-exchange.ts'
import { type LiveMarket, openMarket, orderBody, place } from '../support/live-orders.ts'

// A fault at the edge costs only its own call. The decision stands, and other calls are not
// affected.

let live: LiveExchange
let market: LiveMarket
let alice: Trader
let bob: Trader

before(async () => {
  live = await startLive()
  market = await openMarket(live, 'rain')
  alice = await live.trader(50_000_000)
  bob = await live.trader(50_000_000)
})
afterEach(() => {
  armFault('')
  live.faults.length = 0
})
after(() => live.stop())

async function openOrders(trader: Trader): Promise<number> {
  const { body } = await live.call(trader, 'GET', `/markets/${market.slug}/user-orders`)
  assert.ok(Array.isArray(body))
  return body.length
}

async function faultsCounted(edge: string): Promise<number> {
  return live.gauge(`outcomex_faults_total{edge="${edge}"}`)
}

test('an order stands when its reply cannot be written, and the next one is answered', async () => {
  const countedBefore = await faultsCounted('reply')
  armFault('at-order-reply:1')
  const [broken, fine] = await Promise.all([
    place(live, alice, market, { ticks: 200 }),
    place(live, bob, market, { ticks: 210 }),
  ])
  const [lost, other] = broken.status === 500 ? [broken, fine] : [fine, broken]
  assert.deepEqual([lost.status, at(lost.body, 'code')], [500, 'INTERNAL'])
  assert.match(String(at(lost.body, 'faultId')), /^[0-9a-f]{12}$/)
  assert.equal(lost.headers.get('connection'), 'close')
  assert.equal(other.status, 201)
  assert.deepEqual([await openOrders(alice), await openOrders(bob)], [1, 1])
  assert.equal(live.faults.length, 1)
  assert.match(live.faults[0], /a fault was injected at this edge/)
  assert.equal(await faultsCounted('reply'), countedBefore + 1)
})

test('a batch reply that fails at one of its orders is one fault', async () => {
  const openBefore = await openOrders(alice)
  armFault('at-order-reply:2')
  const orders = [201, 202, 203].map((ticks) => orderBody(alice, market, { ticks }))
  const broken = await live.call(alice, 'POST', '/orders/batch', { orders })
  assert.deepEqual([broken.status, at(broken.body, 'code')], [500, 'INTERNAL'])
  assert.equal(live.faults.length, 1)
  assert.equal(await openOrders(alice), openBefore + 3)
  assert.equal((await place(live, alice, market, { ticks: 204 })).status, 201)
})

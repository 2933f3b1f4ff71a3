import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { armFault } from '../../engine/thread/fault-point.ts'
import { exchange } from '../support/exchange.ts'
import { at } from '../support/json-path.ts'
import type { Trader } from '../support/live-exchange.ts'
import { orderBody } from '../support/live-orders.ts'
import { assertRefused } from '../support/replies.ts'

// A fault at the edge costs only its own call. The decision stands, and other calls are not
// affected.

const {
  live,
  rain: market,
  alice,
  bob,
} = await exchange({ markets: ['rain'], fundsRaw: 50_000_000, traders: ['alice', 'bob'] })

afterEach(() => armFault(''))

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
    live.place(alice, market, { ticks: 200 }),
    live.place(bob, market, { ticks: 210 }),
  ])
  const [lost, other] = broken.status === 500 ? [broken, fine] : [fine, broken]
  assertRefused(lost, 500, 'INTERNAL')
  assert.match(String(at(lost.body, 'faultId')), /^[0-9a-f]{12}$/)
  assert.equal(lost.headers.get('connection'), 'close')
  assert.equal(other.status, 201)
  assert.deepEqual([await openOrders(alice), await openOrders(bob)], [1, 1])
  const [fault, ...others] = live.faults.splice(0)
  assert.match(fault, /a fault was injected at this edge/)
  assert.deepEqual(others, [])
  assert.equal(await faultsCounted('reply'), countedBefore + 1)
})

test('a batch reply that fails at one of its orders is one fault', async () => {
  const openBefore = await openOrders(alice)
  armFault('at-order-reply:2')
  const orders = [201, 202, 203].map((ticks) => orderBody(alice, market, { ticks }))
  const broken = await live.call(alice, 'POST', '/orders/batch', { orders })
  assertRefused(broken, 500, 'INTERNAL')
  assert.equal(live.faults.splice(0).length, 1)
  assert.equal(await openOrders(alice), openBefore + 3)
  await live.placed(alice, market, { ticks: 204 })
})

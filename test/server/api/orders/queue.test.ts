import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { eachResting } from '../../../../engine/core/book/market.ts'
import { LIMITS } from '../../../../engine/domain/limits.ts'
import { orderQueue, ordersQueue } from '../../../../server/api/orders/queue.ts'
import { compile } from '../../../../server/edge/http/schema/schema.ts'
import { exchange } from '../../../support/exchange.ts'
import { at } from '../../../support/json-path.ts'
import type { Trader } from '../../../support/live-exchange.ts'
import type { OrderRequest } from '../../../support/live-orders.ts'
import { freshSeed, Random } from '../../../support/random.ts'
import { assertRefused } from '../../../support/replies.ts'

// GET /orders/:orderId/queue and GET /orders/queue (rules §4.11), with books on the main thread and
// on a thread of their own.

const SHARE = 1_000_000
const one = compile(orderQueue.reply)
const several = compile(ordersQueue.reply)

for (const threads of ['0', '1']) {
  const flags = ['--market-threads', threads]

  test(`the worked example of the rules, with ${threads} market threads`, async () => {
    const { live, rain, alice, bob, carol } = await exchange({
      flags,
      markets: ['rain'],
      traders: ['alice', 'bob', 'carol'],
    })
    const ahead = async (trader: Trader, orderId: string) => {
      const reply = await live.call(trader, 'GET', `/orders/${orderId}/queue`)
      assert.equal(reply.status, 200, reply.text)
      assert.ok(one.holds(reply.body), JSON.stringify(one.issues(reply.body)))
      const { ordersAhead, sizeAhead, isExact } = Object(reply.body)
      assert.ok(isExact)
      return [ordersAhead, Number(sizeAhead) / SHARE]
    }
    const rest = (trader: Trader, wanted: OrderRequest) => live.ordered(trader, rain, wanted)
    // Carol has shares of NO to sell.
    await live.trade(carol, bob, rain, { sizeRaw: 10 * SHARE })
    const yes = { ticks: 400 }
    const first = await rest(alice, { ...yes, sizeRaw: 5 * SHARE })
    const sale = await rest(carol, { side: 'sell', outcome: 1, ticks: 600, sizeRaw: 10 * SHARE })
    const last = await rest(bob, { ...yes, sizeRaw: 3 * SHARE })
    assert.deepEqual(await ahead(alice, first), [0, 0])
    assert.deepEqual(await ahead(bob, last), [2, 15])
    await live.call(alice, 'POST', `/orders/${first}/amend`, { remainingSize: String(2 * SHARE) })
    assert.deepEqual(await ahead(bob, last), [2, 12])
    await live.call(carol, 'DELETE', `/orders/${sale}`)
    assert.deepEqual(await ahead(bob, last), [1, 2])
    assertRefused(await live.call(carol, 'GET', `/orders/${sale}/queue`), 400, 'ORDER_NOT_OPEN')
    for (const id of [first, randomUUID()]) {
      assertRefused(await live.call(bob, 'GET', `/orders/${id}/queue`), 404, 'ORDER_NOT_FOUND')
    }
  })
}

test('the places of random orders are those of a walk through the whole book', async () => {
  const random = new Random(freshSeed())
  const { live, rain, alice, bob } = await exchange({
    flags: ['--market-threads', '0'],
    markets: ['rain'],
    traders: ['alice', 'bob'],
  })
  for (let each = 0; each < 60; each++) {
    const ticks = random.between(400, 403)
    await live.ordered(random.pick([alice, bob]), rain, { ticks, sizeRaw: SHARE * (1 + each) })
  }
  const { clearing, ids } = live.exchange.pipeline
  const expected = new Map<string, unknown[]>()
  const seen = new Map<number, [orders: number, sharesRaw: number]>()
  eachResting(clearing.catalogue.existing(1).book, (ticks, slot, _owner, leftRaw) => {
    const [orders, sharesRaw] = seen.get(ticks) ?? [0, 0]
    expected.set(ids.text(slot, clearing.orders.generationOf(slot)), [orders, sharesRaw])
    seen.set(ticks, [orders + 1, sharesRaw + leftRaw])
  })
  for (const trader of [alice, bob]) {
    const { body } = await live.call(trader, 'GET', '/orders/queue?market=rain')
    assert.ok(several.holds(body), JSON.stringify(several.issues(body)))
    const own = await live.call(trader, 'GET', '/orders?limit=200')
    const ownIds = Object(own.body).data.map((order: object) => at(order, 'id'))
    const { orders } = Object(body)
    const reported = orders.map((order: object) => at(order, 'orderId'))
    assert.deepEqual(reported, ownIds, 'newest first')
    for (const { orderId, ordersAhead, sizeAhead } of orders) {
      assert.deepEqual([ordersAhead, Number(sizeAhead)], expected.get(orderId))
    }
  }
})

test('a held order has no place, and a list has a bounded number of orders', async () => {
  const { live, alice, bob } = await exchange({ traders: ['alice', 'bob'] })
  const slow = await live.openMarket('slow', { takerDelayMs: 1000 })
  await live.ordered(bob, slow, { outcome: 1, ticks: 500, sizeRaw: SHARE })
  const held = await live.ordered(alice, slow, { ticks: 500, sizeRaw: SHARE })
  assertRefused(await live.call(alice, 'GET', `/orders/${held}/queue`), 400, 'ORDER_NOT_RESTING')
  const list = await live.call(alice, 'GET', '/orders/queue?market=slow')
  assert.deepEqual(list.body, { orders: [] })
  assertRefused(await live.call(alice, 'GET', '/orders/queue'), 400, 'VALIDATION')
  const unknown = await live.call(alice, 'GET', '/orders/queue?market=atlantis')
  assertRefused(unknown, 404, 'MARKET_NOT_FOUND')
  const fast = await live.openMarket('fast')
  for (let each = 0; each <= LIMITS.placesMax; each++) {
    await live.ordered(bob, fast, { ticks: 1, sizeRaw: 1000 })
  }
  const { body } = await live.call(bob, 'GET', '/orders/queue?market=fast')
  assert.ok(several.holds(body))
  const { orders } = Object(body)
  assert.equal(orders.length, LIMITS.placesMax)
  const [newest] = orders
  assert.deepEqual([newest.ordersAhead, newest.sizeAhead], [LIMITS.placesMax, '256000'])
})

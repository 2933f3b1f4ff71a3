import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { ORDER_GROUP_LIMITS } from '../../../../engine/domain/order-group-limits.ts'
import {
  createOrderGroup,
  orderGroup as groupRoute,
  orderGroups as groupsRoute,
} from '../../../../server/api/orders/order-groups.ts'
import { compile } from '../../../../server/edge/http/schema/schema.ts'
import { exchange } from '../../../support/exchange.ts'
import { at } from '../../../support/json-path.ts'
import type { Trader } from '../../../support/live-exchange.ts'
import { type OrderRequest, orderBody } from '../../../support/live-orders.ts'
import { assertRefused } from '../../../support/replies.ts'
import { until } from '../../../support/until.ts'

// Order groups over HTTP (rules §4.13), with the worked examples of the rules.

const SHARE = 1_000_000
const shapes = {
  created: compile(createOrderGroup.reply),
  one: compile(groupRoute.reply),
  all: compile(groupsRoute.reply),
}
const {
  live,
  rain: market,
  snow: other,
  maker,
  taker,
} = await exchange({
  flags: ['--market-threads', '2'],
  markets: ['rain', 'snow'],
  traders: { maker: 1000 * SHARE, taker: 1000 * SHARE },
})

afterEach(async () => {
  for (const { orderGroupId } of await groups()) {
    assert.equal((await live.call(maker, 'DELETE', `/order-groups/${orderGroupId}`)).status, 204)
  }
  await live.call(maker, 'DELETE', '/orders/all/rain')
  await live.call(maker, 'DELETE', '/orders/all/snow')
  await until(() => live.balances(maker).reservedRaw === 0)
  assert.equal(live.exchange.pipeline.clearing.orderGroups.count, 0)
})

async function created(terms: object, trader: Trader = maker): Promise<number> {
  const reply = await live.call(trader, 'POST', '/order-groups', terms)
  assert.equal(reply.status, 201, reply.text)
  assert.ok(shapes.created.holds(reply.body), JSON.stringify(shapes.created.issues(reply.body)))
  return Number(at(reply.body, 'orderGroupId'))
}

const place = (orderGroupId: number, wanted: OrderRequest = {}, where = market, by = maker) =>
  live.call(by, 'POST', '/orders', { ...orderBody(by, where, wanted), orderGroupId })

/** A bid for so many shares of YES at 0.500. */
async function rest(orderGroupId: number, shares: number, where = market): Promise<string> {
  const reply = await place(orderGroupId, { sizeRaw: shares * SHARE }, where)
  assert.equal(reply.status, 201, reply.text)
  assert.equal(at(reply.body, 'order', 'orderGroupId'), orderGroupId)
  return String(at(reply.body, 'order', 'id'))
}

/** The taker sells so many shares of YES to the bids. */
async function sell(shares: number, where = market): Promise<void> {
  const wanted = { outcome: 1, ticks: 500, sizeRaw: shares * SHARE } as const
  const body = { ...orderBody(taker, where, wanted), orderType: 'FAK' }
  const reply = await live.call(taker, 'POST', '/orders', body)
  assert.equal(reply.status, 201, reply.text)
}

async function groups(): Promise<{ orderGroupId: number }[]> {
  const { body } = await live.call(maker, 'GET', '/order-groups')
  assert.ok(shapes.all.holds(body), JSON.stringify(shapes.all.issues(body)))
  return Object(body).orderGroups
}

async function group(id: number) {
  const reply = await live.call(maker, 'GET', `/order-groups/${id}`)
  assert.ok(shapes.one.holds(reply.body), reply.text)
  return Object(reply.body)
}

/** Status, filled shares and live orders of a group, once its cancels are done. */
async function settled(id: number): Promise<unknown[]> {
  await until(async () => (await group(id)).status !== 'CANCELING')
  const { status, filledRaw, orderIds } = await group(id)
  return [status, filledRaw / SHARE, orderIds]
}

test('a group closes when its orders fill more than they may, and a reset opens it', async () => {
  const id = await created({ maxFillRaw: 10 * SHARE, windowSec: 60 })
  const [first, second, third] = [await rest(id, 6), await rest(id, 6), await rest(id, 5, other)]
  await sell(10)
  assert.deepEqual(await settled(id), ['OPEN', 10, [second, third]])
  await sell(1)
  assert.deepEqual(await settled(id), ['CLOSED', 11, []])
  assertRefused(await place(id), 409, 'ORDER_GROUP_CLOSED')
  const reset = await live.call(maker, 'POST', `/order-groups/${id}/reset`)
  assert.equal(reset.status, 200, reset.text)
  assert.deepEqual(await settled(id), ['OPEN', 0, []])
  const again = await rest(id, 10)
  await sell(10)
  assert.deepEqual(await settled(id), ['OPEN', 10, []])
  assert.equal(new Set([first, second, third, again]).size, 4)
})

test('the first fill of one order cancels the other, and keeps the rest of its own', async () => {
  const id = await created({ oneCancelsOther: true })
  const [first] = [await rest(id, 6), await rest(id, 6, other)]
  assertRefused(await place(id), 400, 'ORDER_GROUP_FULL')
  await sell(1)
  assert.deepEqual(await settled(id), ['CLOSED', 0, [first]])
  await sell(5)
  assert.deepEqual(await settled(id), ['CLOSED', 0, []])
})

test('a removed group cancels its orders and is gone', async () => {
  const id = await created({ maxFillRaw: SHARE })
  const resting = await rest(id, 6)
  assert.equal((await live.call(maker, 'DELETE', `/order-groups/${id}`)).status, 204)
  assert.deepEqual(await groups(), [])
  assertRefused(await place(id), 404, 'ORDER_GROUP_NOT_FOUND')
  await until(() => live.balances(maker).reservedRaw === 0)
  const { body } = await live.call(maker, 'GET', '/markets/rain/user-orders?statuses=CANCELED')
  const shown = Object(body).find((each: object) => at(each, 'id') === resting)
  assert.deepEqual([shown.orderGroupId, shown.remainingSize], [id, String(6 * SHARE)])
})

test("another's group does not exist", async () => {
  const id = await created({ maxFillRaw: SHARE })
  assertRefused(await place(id, {}, market, taker), 404, 'ORDER_GROUP_NOT_FOUND')
  for (const [method, path] of [
    ['GET', `/order-groups/${id}`],
    ['POST', `/order-groups/${id}/reset`],
    ['DELETE', `/order-groups/${id}`],
  ] as const) {
    assertRefused(await live.call(taker, method, path), 404, 'ORDER_GROUP_NOT_FOUND')
  }
})

test('a batch, a replacement and a cancel-replace join groups too', async () => {
  const id = await created({ maxFillRaw: 100 * SHARE })
  const fields = () => ({ ...orderBody(maker, market), orderGroupId: id })
  const batch = await live.call(maker, 'POST', '/orders/batch', { orders: [fields(), fields()] })
  assert.equal(batch.status, 200, batch.text)
  const [first, second] = (await group(id)).orderIds
  const amend = await live.call(maker, 'POST', `/orders/${first}/amend`, { replacement: fields() })
  assert.equal(at(amend.body, 'order', 'orderGroupId'), id, amend.text)
  const replaced = await live.call(maker, 'POST', '/orders/cancel-replace', {
    cancel: { orderId: second },
    replacement: fields(),
    mode: 'STOP_ON_FAILURE',
  })
  assert.equal(replaced.status, 200, replaced.text)
  const { orderIds } = await group(id)
  assert.equal(orderIds.length, 2)
  assert.ok(!orderIds.includes(first) && !orderIds.includes(second))
})

test('a repeated order is known by its group too', async () => {
  const ids = [await created({ maxFillRaw: SHARE }), await created({ maxFillRaw: SHARE })]
  const clientOrderId = 'quote 1'
  const send = (orderGroupId: number | undefined) =>
    live.call(maker, 'POST', '/orders?replay=true', {
      ...orderBody(maker, market),
      clientOrderId,
      orderGroupId,
    })
  const first = await send(ids[0])
  assert.equal(first.status, 201, first.text)
  const again = await send(ids[0])
  assert.deepEqual([again.status, again.text], [201, first.text])
  assertRefused(await send(ids[1]), 409, 'DUPLICATE_CLIENT_ORDER_ID')
  assertRefused(await send(undefined), 409, 'DUPLICATE_CLIENT_ORDER_ID')
})

test('what is malformed is refused with the field that is wrong', async () => {
  const refusals: readonly [object, string][] = [
    [{}, 'body'],
    [{ oneCancelsOther: false }, 'body'],
    [{ maxFillRaw: 1, oneCancelsOther: true }, 'body'],
    [{ maxFillRaw: 0 }, 'maxFillRaw'],
    [{ maxFillRaw: 1.5 }, 'maxFillRaw'],
    [{ maxFillRaw: 1, windowSec: 61 }, 'windowSec'],
    [{ oneCancelsOther: true, windowSec: 15 }, 'windowSec'],
    [{ maxFillRaw: 1, more: 1 }, 'more'],
  ]
  for (const [body, field] of refusals) {
    const reply = await live.call(maker, 'POST', '/order-groups', body)
    assertRefused(reply, 400, 'VALIDATION')
    assert.equal(at(reply.body, 'message', 0, 'field'), field, reply.text)
  }
  for (const id of [0, -1, 1.5, 2 ** 48, 'x', {}]) {
    const body = { ...orderBody(maker, market), orderGroupId: id }
    const reply = await live.call(maker, 'POST', '/orders', body)
    assertRefused(reply, 400, 'VALIDATION')
    assert.equal(at(reply.body, 'message', 0, 'field'), 'orderGroupId', reply.text)
  }
  for (const id of ['0', 'x', String(2 ** 48)]) {
    assert.equal((await live.call(maker, 'GET', `/order-groups/${id}`)).status, 400)
  }
  assertRefused(await place(2 ** 48 - 1), 404, 'ORDER_GROUP_NOT_FOUND')
})

test('a profile has a limit of groups, and closed ones count', async () => {
  for (let count = 0; count < ORDER_GROUP_LIMITS.groupsOfProfileMax; count++) {
    await created({ maxFillRaw: SHARE })
  }
  const reply = await live.call(maker, 'POST', '/order-groups', { maxFillRaw: SHARE })
  assertRefused(reply, 400, 'ORDER_GROUP_LIMIT')
  assert.equal((await groups()).length, ORDER_GROUP_LIMITS.groupsOfProfileMax)
})

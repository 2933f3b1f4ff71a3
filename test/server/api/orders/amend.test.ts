import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { afterEach, test } from 'node:test'
import { LIMITS } from '../../../../engine/domain/limits.ts'
import { amendOrder, amendOrders } from '../../../../server/api/orders/amend.ts'
import { compile } from '../../../../server/edge/http/schema/schema.ts'
import { exchange } from '../../../support/exchange.ts'
import { at } from '../../../support/json-path.ts'
import type { Trader } from '../../../support/live-exchange.ts'
import { type OrderRequest, orderBody } from '../../../support/live-orders.ts'
import { assertRefused, type Reply } from '../../../support/replies.ts'

// POST /orders/:orderId/amend (rules §4.10) over HTTP, with the worked examples of the rules.

const SHARE = 1_000_000
const one = compile(amendOrder.reply)
const several = compile(amendOrders.reply)
const {
  live,
  rain: market,
  snow: other,
  alice,
  bob,
  carol,
} = await exchange({
  flags: ['--market-threads', '2'],
  markets: ['rain', 'snow'],
  traders: { alice: 5 * SHARE, bob: 100 * SHARE, carol: 100 * SHARE },
})

afterEach(async () => {
  for (const trader of [alice, bob, carol]) {
    for (const slug of ['rain', 'snow']) await live.call(trader, 'DELETE', `/orders/all/${slug}`)
    assert.equal(live.balances(trader).reservedRaw, 0)
  }
  assert.equal(live.exchange.pipeline.orders.reserved, 0)
  // Alice has exactly the money for ten shares at 0.5 again.
  const spentRaw = 5 * SHARE - live.balances(alice).freeRaw
  if (spentRaw > 0) await live.deposit(alice, spentRaw)
})

/** Ten shares of YES at 0.500 by default. */
function rest(trader: Trader, wanted: OrderRequest = {}, fields: object = {}): Promise<string> {
  return live.ordered(trader, market, wanted, fields)
}

const amend = (trader: Trader, orderId: string, body: object) =>
  live.call(trader, 'POST', `/orders/${orderId}/amend`, body)
const amendAll = (trader: Trader, operations: readonly object[]) =>
  live.call(trader, 'POST', '/orders/amend/batch', { operations })
const replacing = (trader: Trader, wanted: OrderRequest, fields: object = {}) => {
  return { replacement: { ...orderBody(trader, market, wanted), ...fields } }
}

/** The outcome, and the sizes of the amended order. */
function amended(reply: Reply): unknown[] {
  assert.equal(reply.status, 200, reply.text)
  assert.ok(one.holds(reply.body), JSON.stringify(one.issues(reply.body)))
  const { outcome, amendedOrder } = Object(reply.body)
  return [
    outcome,
    Number(amendedOrder.filledSize) / SHARE,
    Number(amendedOrder.remainingSize) / SHARE,
  ]
}

/** Bob sells YES to the best bid; gives the ids of the makers in the order of their fills. */
async function sold(shares: number, ticks = 500): Promise<unknown[]> {
  const wanted = { outcome: 1, ticks: 1000 - ticks, sizeRaw: shares * SHARE } as const
  const reply = await live.call(bob, 'POST', '/orders', {
    ...orderBody(bob, market, wanted),
    orderType: 'FAK',
  })
  assert.equal(reply.status, 201, reply.text)
  return Object(reply.body).makerMatches.map((each: object) => at(each, 'orderId'))
}

const sizes = async (trader: Trader) => {
  const { body } = await live.call(trader, 'GET', '/markets/rain/user-orders')
  return Object(body).map((each: object) => [
    at(each, 'id'),
    Number(at(each, 'remainingSize')) / SHARE,
  ])
}

test('a decrease keeps the place in the queue and frees what was taken off', async () => {
  const first = await rest(alice)
  const second = await rest(carol)
  const reply = await amend(alice, first, { remainingSize: String(4 * SHARE) })
  assert.deepEqual(amended(reply), ['DECREASED', 0, 4])
  assert.deepEqual(live.balances(alice), { freeRaw: 3 * SHARE, reservedRaw: 2 * SHARE })
  assert.deepEqual(await sizes(alice), [[first, 4]])
  assert.deepEqual(await sold(5), [first, second])
})

test('a replacement goes to the end, and the old order pays for it', async () => {
  const first = await rest(alice)
  const second = await rest(carol)
  assert.equal(live.balances(alice).freeRaw, 0)
  const body = replacing(alice, { sizeRaw: 8 * SHARE, ticks: 600 }, { clientOrderId: 'dearer' })
  const reply = await amend(alice, first, body)
  assert.deepEqual(amended(reply), ['REPLACED', 0, 10])
  const newId = at(reply.body, 'order', 'id')
  assert.equal(at(reply.body, 'order', 'status'), 'LIVE')
  assert.equal(at(reply.body, 'order', 'clientOrderId'), 'dearer')
  assert.deepEqual(live.balances(alice), { freeRaw: 0.2 * SHARE, reservedRaw: 4.8 * SHARE })
  const back = await amend(alice, String(newId), replacing(alice, {}))
  assert.deepEqual(amended(back), ['REPLACED', 0, 8])
  assert.deepEqual(await sold(15), [second, at(back.body, 'order', 'id')])
  const too = replacing(alice, { sizeRaw: 6 * SHARE, ticks: 999 })
  const refused = await amend(alice, String(at(back.body, 'order', 'id')), too)
  assertRefused(refused, 400, 'INSUFFICIENT_COLLATERAL')
  assert.deepEqual(await sizes(alice), [[at(back.body, 'order', 'id'), 5]])
})

test('fills that the owner had not counted come off the new size', async () => {
  const first = await rest(alice)
  await sold(3)
  const less = await amend(alice, first, { remainingSize: String(6 * SHARE), filledSize: '0' })
  assert.deepEqual(amended(less), ['DECREASED', 3, 3])
  const cheaper = replacing(alice, { ticks: 400, sizeRaw: 9 * SHARE })
  const body = { ...cheaper, filledSize: String(2 * SHARE) }
  const reply = await amend(alice, first, body)
  assert.deepEqual(amended(reply), ['REPLACED', 3, 3])
  assert.equal(at(reply.body, 'order', 'remainingSize'), String(8 * SHARE))
  assert.equal(at(reply.body, 'order', 'originalSize'), String(9 * SHARE))
  const newId = String(at(reply.body, 'order', 'id'))
  assert.deepEqual(await sizes(alice), [[newId, 8]])
  await sold(2, 400)
  const gone = await amend(alice, newId, { remainingSize: String(SHARE), filledSize: '0' })
  assert.deepEqual(amended(gone), ['CANCELED', 2, 6])
  assert.deepEqual(await sizes(alice), [])
})

test('a replacement whose fills are all taken off already is not placed', async () => {
  const first = await rest(alice)
  await sold(3)
  const body = { ...replacing(alice, { sizeRaw: 2 * SHARE }), filledSize: '0' }
  const reply = await amend(alice, first, body)
  assert.deepEqual(amended(reply), ['CANCELED', 3, 7])
  assert.equal(at(reply.body, 'order'), undefined)
  assert.deepEqual(await sizes(alice), [])
  // It left no trace, so it may be sent again.
  const again = await live.call(alice, 'POST', '/orders', body.replacement)
  assert.equal(again.status, 201, again.text)
})

test('an amend that is refused leaves the order as it is', async () => {
  await rest(bob, { outcome: 1, ticks: 400, sizeRaw: SHARE })
  const id = await rest(alice, { ticks: 500 })
  const signed = Object(orderBody(alice, market).order)
  const rows: [number, string, object][] = [
    [400, 'AMEND_NOT_SMALLER', { remainingSize: String(10 * SHARE) }],
    [400, 'AMEND_DIFFERS', { replacement: orderBody(alice, other) }],
    [400, 'AMEND_DIFFERS', replacing(alice, { outcome: 1 })],
    [400, 'AMEND_DIFFERS', replacing(alice, {}, { orderType: 'FAK' })],
    [
      400,
      'POST_ONLY_WOULD_MATCH',
      replacing(alice, { ticks: 600, sizeRaw: SHARE }, { postOnly: true }),
    ],
    [
      400,
      'SIGNATURE_INVALID',
      replacing(alice, {}, { order: { ...signed, makerAmount: 4 * SHARE } }),
    ],
    [404, 'MARKET_NOT_FOUND', replacing(alice, {}, { marketSlug: 'atlantis' })],
    [400, 'INSUFFICIENT_COLLATERAL', replacing(alice, { sizeRaw: 11 * SHARE })],
    [400, 'VALIDATION', {}],
    [400, 'VALIDATION', { remainingSize: '1', ...replacing(alice, {}) }],
    [400, 'VALIDATION', { remainingSize: -1 }],
    [400, 'VALIDATION', { remainingSize: '1'.repeat(40) }],
    [400, 'VALIDATION', { remainingSize: '1', filledSize: 'all' }],
    [400, 'VALIDATION', { replacement: {} }],
  ]
  for (const [status, code, body] of rows) {
    assertRefused(await amend(alice, id, body), status, code)
    assert.deepEqual(await sizes(alice), [[id, 10]], code)
  }
  assertRefused(await live.call(alice, 'POST', `/orders/${id}/amend`, '{'), 400, 'BODY_MALFORMED')
})

test('an order that is not open is named for what it is', async () => {
  const theirs = await rest(bob)
  const dead = await rest(alice)
  await live.call(alice, 'DELETE', `/orders/${dead}`)
  const filled = await rest(carol, { sizeRaw: SHARE, ticks: 700 })
  await sold(1, 700)
  const rows: [Trader, string, number, string][] = [
    [alice, theirs, 404, 'ORDER_NOT_FOUND'],
    [alice, randomUUID(), 404, 'ORDER_NOT_FOUND'],
    [alice, dead, 400, 'ORDER_NOT_OPEN'],
    [carol, filled, 400, 'ORDER_FILLED'],
  ]
  for (const [trader, id, status, code] of rows) {
    for (const body of [{ remainingSize: '1000' }, replacing(trader, { sizeRaw: SHARE })]) {
      assertRefused(await amend(trader, id, body), status, code)
    }
  }
})

test('each operation of a batch has its own result, by either name of its order', async () => {
  const first = await rest(carol, {}, { clientOrderId: 'first' })
  const second = await rest(carol)
  const reply = await amendAll(carol, [
    { order: { clientOrderId: ' first ' }, remainingSize: String(4 * SHARE) },
    { order: { orderId: second.toUpperCase() }, ...replacing(carol, { ticks: 450 }) },
    { order: { clientOrderId: 'none' }, remainingSize: '0' },
    { order: { clientOrderId: 'first' }, remainingSize: '0' },
  ])
  assert.equal(reply.status, 200, reply.text)
  assert.ok(several.holds(reply.body), JSON.stringify(several.issues(reply.body)))
  const { results } = Object(reply.body)
  assert.deepEqual(
    results.map((each: object) => [at(each, 'status'), at(each, 'outcome') ?? at(each, 'code')]),
    [
      [200, 'DECREASED'],
      [200, 'REPLACED'],
      [404, 'ORDER_NOT_FOUND'],
      [409, 'AMEND_IN_PROGRESS'],
    ],
  )
  assert.equal(at(results[0], 'amendedOrder', 'orderId'), first)
  assert.equal(at(results[0], 'amendedOrder', 'clientOrderId'), 'first')
  assert.equal((await amend(carol, first, { remainingSize: '0' })).status, 200)
  assert.deepEqual(await sizes(carol), [[at(results[1], 'order', 'id'), 10]])
})

test('a batch with one wrong operation amends nothing', async () => {
  const id = await rest(carol)
  const right = { order: { orderId: id }, remainingSize: '1000' }
  const wrong: object[][] = [
    [],
    Array.from({ length: LIMITS.batchReplacesMax + 1 }, () => right),
    [right, { remainingSize: '1000' }],
    [right, { order: {}, remainingSize: '1000' }],
    [right, { order: { orderId: id, clientOrderId: 'a' }, remainingSize: '1000' }],
    [right, { order: { orderId: id } }],
    [right, { order: { orderId: 'x' }, remainingSize: '1000' }],
  ]
  for (const operations of wrong) {
    assertRefused(await amendAll(carol, operations), 400, 'VALIDATION')
  }
  assert.deepEqual(await sizes(carol), [[id, 10]])
})

test('replacements of one order that race leave one order', async () => {
  const id = await rest(carol)
  const replies = await Promise.all(
    Array.from({ length: 8 }, (_each, index) =>
      amend(carol, id, replacing(carol, { ticks: 440 + index })),
    ),
  )
  const done = replies.filter(({ status }) => status === 200)
  assert.equal(done.length, 1)
  for (const reply of replies) {
    if (reply.status === 409) assertRefused(reply, 409, 'AMEND_IN_PROGRESS')
    else if (reply.status !== 200) assertRefused(reply, 400, 'ORDER_NOT_OPEN')
  }
  assert.deepEqual(await sizes(carol), [[at(done[0].body, 'order', 'id'), 10]])
})

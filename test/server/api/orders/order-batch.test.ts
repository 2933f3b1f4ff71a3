import assert from 'node:assert/strict'
import { test } from 'node:test'
import { orderBatch } from '../../../../server/api/orders/orders.ts'
import { compile } from '../../../../server/edge/http/schema/schema.ts'
import { exchange } from '../../../support/exchange.ts'
import { at, textAt } from '../../../support/json-path.ts'
import type { Trader } from '../../../support/live-exchange.ts'
import { type OrderRequest, orderBody, signedFor, unsigned } from '../../../support/live-orders.ts'
import { accepted, assertRefused, type Reply } from '../../../support/replies.ts'

// POST /orders/batch over HTTP: one request with one proof, and each order is decided by itself.

const SHARE = 1_000_000
const shape = compile(orderBatch.reply)
/** The number of orders that the limiter still lets through; later orders must wait two seconds. */
let tokensLeft = Number.POSITIVE_INFINITY
const {
  live,
  rain: market,
  alice,
  bob,
} = await exchange({
  profileWaitSec: () => (tokensLeft-- > 0 ? 0 : 2),
  markets: ['rain'],
  fundsRaw: 1_000 * SHARE,
  traders: ['alice', 'bob'],
})

const send = (trader: Trader, orders: readonly unknown[], rest: object = {}) =>
  live.call(trader, 'POST', '/orders/batch', { orders, ...rest })

function resultsOf({ status, text, body }: Reply): unknown[] {
  assert.equal(status, 200, text)
  assert.ok(shape.holds(body), JSON.stringify(shape.issues(body)))
  const results = at(body, 'results')
  assert.ok(Array.isArray(results))
  assert.deepEqual(
    results.map((each) => at(each, 'index')),
    results.map((_, index) => index),
  )
  return results
}

const statuses = (reply: Reply) => resultsOf(reply).map((each) => at(each, 'status'))
const small = (ticks: number): OrderRequest => ({ ticks, sizeRaw: SHARE })

test('the orders of a batch rest in the order in which they were sent', async () => {
  const orders = Array.from({ length: 50 }, (_, level) => ({
    ...orderBody(alice, market, small(100 + level)),
    clientOrderId: `level-${level}`,
  }))
  const results = resultsOf(await send(alice, orders))
  for (const [level, result] of results.entries()) {
    assert.equal(at(result, 'status'), 201)
    assert.equal(at(result, 'order', 'price'), (100 + level) / 1000)
    assert.equal(at(result, 'order', 'status'), 'LIVE')
    assert.equal(at(result, 'execution', 'clientOrderId'), `level-${level}`)
  }
  const listed = await live.call(alice, 'GET', '/markets/rain/user-orders')
  assert.ok(Array.isArray(listed.body))
  assert.deepEqual(
    listed.body.map((each) => at(each, 'id')),
    results.map((each) => textAt(each, 'order', 'id')).reverse(),
  )
  await accepted(live.call(alice, 'DELETE', '/orders/all/rain'))
  assert.equal(live.balances(alice).reservedRaw, 0)
})

test('each order gets the answer that it gets alone, whatever happens to the others', async () => {
  const order = unsigned(bob, market, small(300))
  const right = orderBody(bob, market, small(300))
  const paid = await live.openMarket('paid', { fee: true })
  const broken: [number, string, unknown][] = [
    [400, 'VALIDATION', { ...right, surprise: 1 }],
    [400, 'VALIDATION', null],
    [400, 'VALIDATION', { ...right, clientOrderId: ' ' }],
    [404, 'MARKET_NOT_FOUND', { ...right, marketSlug: 'atlantis' }],
    [400, 'TOKEN_NOT_IN_MARKET', { ...right, order: { ...order, ...signed(), tokenId: '5' } }],
    [400, 'AMOUNTS_INVALID', { ...right, order: { ...order, ...signed(), makerAmount: 7 } }],
    [400, 'PRICE_MISMATCH', { ...right, order: { ...order, ...signed(), price: 0.9 } }],
    [425, 'RECV_WINDOW_EXPIRED', { ...right, timestamp: 1, recvWindow: 9 }],
    [400, 'OWNER_MISMATCH', { ...right, ownerId: alice.profileId }],
    [400, 'FEE_RATE_MISMATCH', orderBody(bob, paid, { ...small(300), feeBps: 299 })],
    [400, 'SIGNATURE_INVALID', { ...right, order: { ...order, ...signed() } }],
    [400, 'INSUFFICIENT_COLLATERAL', orderBody(bob, market, { ticks: 999, sizeRaw: 1e12 })],
  ]
  const alone = []
  for (const [status, code, body] of broken) {
    const reply = await live.call(bob, 'POST', '/orders', JSON.stringify(body))
    assertRefused(reply, status, code)
    alone.push(reply.body)
  }
  const last = { ...right, postOnly: true }
  const results = resultsOf(await send(bob, [...broken.map((each) => each[2]), last, last]))
  for (const [index, [status]] of broken.entries()) {
    assert.deepEqual(results[index], { index, status, ...Object(alone[index]) })
  }
  assert.equal(at(results[broken.length], 'status'), 201)
  // The last order is the same as the one before it.
  assert.equal(at(results[broken.length + 1], 'code'), 'DUPLICATE_ORDER')
  assert.equal(live.balances(bob).reservedRaw, 300_000)
  // Later orders meet the book that earlier ones left: the first takes the bid, the second finds
  // none.
  const taker = { ...orderBody(alice, market, { ...small(700), outcome: 1 }), orderType: 'FAK' }
  const again = { ...orderBody(alice, market, { ...small(700), outcome: 1 }), orderType: 'FAK' }
  const [took, found] = resultsOf(await send(alice, [taker, again]))
  assert.equal(at(took, 'execution', 'matched'), true)
  assert.equal(at(found, 'execution', 'matched'), false)
  assert.equal(live.balances(bob).reservedRaw, 0)
})

test('a trading mode bars an order of a batch with the same answer as a single order', async () => {
  const made = await accepted(live.admin('/admin/trading-modes', { mode: 'post_only' }), 201)
  const taker = orderBody(alice, market, small(250))
  const alone = await live.call(alice, 'POST', '/orders', taker)
  assert.equal(at(alone.body, 'mode'), 'post_only')
  const maker = { ...orderBody(alice, market, small(250)), postOnly: true }
  const [restricted, taken] = resultsOf(await send(alice, [taker, maker]))
  assert.deepEqual(restricted, { index: 0, status: 425, ...Object(alone.body) })
  assert.equal(at(taken, 'status'), 201)
  const ended = await live.operator('DELETE', `/admin/trading-modes/${at(made.body, 'id')}`)
  assert.equal(ended.status, 200, ended.text)
  await live.call(alice, 'DELETE', '/orders/all/rain')
})

/** A signature with a valid form that no key made. */
function signed() {
  return { signature: `0x${'11'.repeat(64)}1b` }
}

test('a faulty request is refused whole, and none of its orders is placed', async () => {
  const one = orderBody(alice, market, small(200))
  const many = Array.from({ length: 51 }, () => one)
  const rows: [number, string, Reply][] = [
    [400, 'VALIDATION', await send(alice, [])],
    [400, 'VALIDATION', await send(alice, [one], { force: true })],
    [400, 'VALIDATION', await send(alice, many)],
    [400, 'VALIDATION', await live.call(alice, 'POST', '/orders/batch', one)],
    [400, 'VALIDATION', await live.call(alice, 'POST', '/orders/batch', '[]')],
    [400, 'BODY_MALFORMED', await live.call(alice, 'POST', '/orders/batch', '{"orders":[')],
    [413, 'BODY_TOO_LARGE', await live.call(alice, 'POST', '/orders/batch', ' '.repeat(70_000))],
  ]
  const body = { orders: [one] }
  const call = (change: object) => live.call(alice, 'POST', '/orders/batch', body, change)
  rows.push([401, 'HMAC_INVALID', await call({ secret: bob.secret })])
  rows.push([401, 'API_KEY_INVALID', await call({ tokenId: 'nobody' })])
  rows.push([401, 'UNAUTHENTICATED', await call({ prefix: 'other-' })])
  for (const [status, code, reply] of rows) {
    assertRefused(reply, status, code)
  }
  assert.equal(live.balances(alice).reservedRaw, 0)
})

test('every order counts against the rate of its profile', async () => {
  const orders = [210, 211, 212].map((ticks) => orderBody(bob, market, small(ticks)))
  tokensLeft = 2
  const results = resultsOf(await send(bob, orders))
  tokensLeft = Number.POSITIVE_INFINITY
  assert.deepEqual(
    results.map((each) => at(each, 'status')),
    [201, 201, 429],
  )
  assert.equal(at(results[2], 'retryAfterSec'), 2)
  await live.call(bob, 'DELETE', '/orders/all/rain')
})

test('a batch that could pass the bound on orders under way is 503 and does nothing', async () => {
  const orders = Array.from({ length: 50 }, (_, level) => ({
    ...orderBody(alice, market, small(300 + level)),
    postOnly: true,
  }))
  const { intake, pipeline, query } = live.exchange
  // A copy that comes when the tables have its first order is looked up there.
  await query.warm()
  intake.pause()
  const taken = Array.from({ length: 20 }, () => send(alice, orders))
  while (pipeline.orders.reserved < 1000) await new Promise(setImmediate)
  const refused = await send(alice, orders)
  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '1'])
  intake.resume()
  const reported = (await Promise.all(taken)).map(statuses)
  assert.deepEqual(reported.flat().filter((status) => status === 201).length, 50)
  assert.equal(reported.flat().filter((status) => status === 409).length, 950)
  assert.equal(pipeline.orders.reserved, 0)
  const [again] = statuses(await send(alice, [orderBody(alice, market, small(150))]))
  assert.equal(again, 201)
  await live.call(alice, 'DELETE', '/orders/all/rain')
  assert.equal(live.balances(alice).reservedRaw, 0)
})

test('an order of a batch is unique and can be canceled like any other', async () => {
  const body = { ...orderBody(alice, market, small(120)), clientOrderId: 'mine' }
  const [first] = resultsOf(await send(alice, [body]))
  const fresh = signedFor(unsigned(alice, market, small(121)), alice, market)
  const twice = await live.place(alice, market, small(121), {
    order: fresh,
    clientOrderId: 'mine',
  })
  assert.equal(twice.status, 409, twice.text)
  await accepted(live.call(alice, 'DELETE', `/orders/${textAt(first, 'order', 'id')}`))
})

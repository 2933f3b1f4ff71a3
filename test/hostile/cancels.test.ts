import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { afterEach, test } from 'node:test'
import { REJECT } from '../../engine/domain/reject-precedence.ts'
import { exchange } from '../support/exchange.ts'
import { at } from '../support/json-path.ts'
import { startLive, type Trader } from '../support/live-exchange.ts'
import type { LiveMarket, OrderRequest } from '../support/live-orders.ts'
import { accepted, assertRefused, orderIdOf, type Reply } from '../support/replies.ts'

// Cancels and private reads: what another profile owns looks like what does not exist.

const NOT_OPEN = REJECT.ORDER_NOT_OPEN.sentence
const { live, rain, snow, alice, bob } = await exchange({
  markets: ['rain', 'snow'],
  fundsRaw: 1_000_000_000,
  traders: ['alice', 'bob'],
})

afterEach(() => {
  assert.equal(live.balances(alice).reservedRaw, 0)
  assert.equal(live.balances(bob).reservedRaw, 0)
})

/** Places an order and gives its id. */
async function rest(
  trader: Trader,
  market: LiveMarket,
  wanted: OrderRequest = {},
  fields: object = {},
): Promise<string> {
  const reply = await live.place(
    trader,
    market,
    { ticks: 400, sizeRaw: 1_000_000, ...wanted },
    fields,
  )
  assert.equal(reply.status, 201, reply.text)
  return orderIdOf(reply)
}

/** Of a canceled order of one share that never traded. */
const UNTOUCHED = { filledSize: '0', remainingSize: '1000000', averagePrice: null }

const batch = (trader: Trader, body: unknown, path = '/orders/batch-cancel') =>
  live.call(trader, 'POST', path, body)
const cancel = (trader: Trader, id: string) => live.call(trader, 'DELETE', `/orders/${id}`)

test('an orderId or clientOrderId of null counts as absent on every route', async () => {
  const [id, other] = [await rest(bob, rain, {}, { clientOrderId: 'again' }), await rest(bob, rain)]
  const items = [
    { orderId: null, clientOrderId: 'again' },
    { orderId: other, clientOrderId: null },
  ]
  const reported = await accepted(batch(bob, { items }, '/orders/status/batch'))
  assert.ok(reported.text.includes(id) && reported.text.includes(other), reported.text)
  for (const body of items) {
    await accepted(live.call(bob, 'POST', '/orders/cancel', body))
  }
  const none = { orderId: null, clientOrderId: null }
  assertRefused(await live.call(bob, 'POST', '/orders/cancel', none), 400, 'VALIDATION')
  const third = await rest(bob, rain)
  await accepted(batch(bob, { orderIds: [third], clientOrderIds: null }))
})

test("another's order, token and client id look like unknown ones", async () => {
  const id = await rest(bob, rain, {}, { clientOrderId: 'quote' })
  const nowhere = randomUUID()
  const pairs: [Reply, Reply][] = [
    [await cancel(alice, id), await cancel(alice, nowhere)],
    [
      await live.call(alice, 'POST', '/orders/cancel', { orderId: id }),
      await live.call(alice, 'POST', '/orders/cancel', { orderId: nowhere }),
    ],
    [
      await live.call(alice, 'POST', '/orders/cancel', { clientOrderId: 'quote' }),
      await live.call(alice, 'POST', '/orders/cancel', { clientOrderId: 'nothing' }),
    ],
    [
      await live.call(alice, 'DELETE', `/auth/api-tokens/${bob.tokenId}`),
      await live.call(alice, 'DELETE', `/auth/api-tokens/${nowhere}`),
    ],
  ]
  for (const [theirs, none] of pairs) {
    assert.ok(theirs.status === 404 || theirs.status === 400)
    assert.equal(theirs.text, none.text)
    assert.equal(theirs.status, none.status)
  }
  const theirs = await batch(alice, { orderIds: [id] })
  const none = await batch(alice, { orderIds: [nowhere] })
  assertRefused(theirs, 404, 'ORDERS_NOT_FOUND')
  assert.equal(theirs.text.replaceAll(id, ''), none.text.replaceAll(nowhere, ''))
  assert.equal((await live.call(alice, 'GET', '/markets/rain/user-orders')).text, '[]')
  assert.equal((await cancel(bob, id)).status, 200)
  // The same holds for a canceled order: only its owner learns that it existed.
  assertRefused(await cancel(alice, id), 404, 'ORDER_NOT_FOUND')
  assertRefused(await cancel(bob, id), 400, 'ORDER_NOT_OPEN')
  assertRefused(await batch(alice, { orderIds: [id] }), 404, 'ORDERS_NOT_FOUND')
})

test("another's profile is forbidden, and the own one shows no secret", async () => {
  const other = await live.call(alice, 'GET', `/profiles/${bob.account}`)
  assertRefused(other, 403, 'FORBIDDEN')
  const nobody = `0x${'ab'.repeat(20)}`
  assertRefused(await live.call(alice, 'GET', `/profiles/${nobody}`), 404, 'PROFILE_NOT_FOUND')
  const own = await live.call(alice, 'GET', `/profiles/${alice.account.toLowerCase()}`)
  assert.equal(at(own.body, 'id'), alice.profileId)
  assert.doesNotMatch(own.text, /secret|sealed|token/i)
})

test('an order is canceled once; every later cancel says it is not open', async () => {
  const id = await rest(alice, rain, {}, { clientOrderId: 'once' })
  const all = await Promise.all([1, 2, 3, 4, 5, 6].map(() => cancel(alice, id)))
  assert.equal(all.filter((reply) => reply.status === 200).length, 1)
  for (const reply of all.filter((each) => each.status !== 200)) {
    assertRefused(reply, 400, 'ORDER_NOT_OPEN')
    assert.equal(at(reply.body, 'message'), NOT_OPEN)
  }
  const byClient = await live.call(alice, 'POST', '/orders/cancel', { clientOrderId: 'once' })
  assertRefused(byClient, 400, 'ORDER_NOT_OPEN')
})

test('a cancel of a filled order says that it is filled, but only to its owner', async () => {
  const FILLED = REJECT.ORDER_FILLED.sentence
  const id = await rest(bob, snow, { ticks: 400 }, { clientOrderId: 'filled' })
  await rest(alice, snow, { outcome: 1, ticks: 600 })
  const replies = [
    await cancel(bob, id),
    await live.call(bob, 'POST', '/orders/cancel', { orderId: id }),
    await live.call(bob, 'POST', '/orders/cancel', { clientOrderId: 'filled' }),
  ]
  for (const reply of replies) {
    assertRefused(reply, 400, 'ORDER_FILLED')
    assert.equal(at(reply.body, 'message'), FILLED)
  }
  assertRefused(await cancel(alice, id), 404, 'ORDER_NOT_FOUND')
  for (const body of [{ orderIds: [id] }, { clientOrderIds: ['filled'] }]) {
    const reply = await batch(bob, body)
    assertRefused(reply, 400, 'ORDER_NOT_OPEN')
    assert.equal(at(reply.body, 'failed', 0, 'reason'), 'ORDER_FILLED')
    assert.equal(at(reply.body, 'failed', 0, 'message'), FILLED)
  }
  const partly = await rest(bob, snow, { ticks: 400, sizeRaw: 2_000_000 })
  await rest(alice, snow, { outcome: 1, ticks: 600, sizeRaw: 1_000_000 })
  assert.equal((await cancel(bob, partly)).status, 200)
  assert.equal(at((await cancel(bob, partly)).body, 'message'), NOT_OPEN)
})

test('an order of another profile looks unknown, also once its slot has a new order', async () => {
  const id = await rest(bob, rain)
  assert.equal((await cancel(bob, id)).status, 200)
  const next = await rest(bob, rain)
  const slotOf = (text: string) => live.exchange.pipeline.ids.parse(text)?.slot
  assert.equal(slotOf(next), slotOf(id), 'the next order takes the slot')
  assertRefused(await cancel(alice, id), 404, 'ORDER_NOT_FOUND')
  assertRefused(await cancel(bob, id), 400, 'ORDER_NOT_OPEN')
  assert.equal((await cancel(bob, next)).status, 200)
})

test('POST /orders/cancel takes either an orderId or a clientOrderId', async () => {
  const orderId = randomUUID()
  const blank = [{ clientOrderId: ' ' }, { clientOrderId: '\t' }, { clientOrderId: '' }]
  const names = [{}, { orderId, clientOrderId: 'x' }, { orderId: 'x' }, { orderId: '' }]
  for (const body of [...names, ...blank, { clientOrderId: 'x'.repeat(129) }]) {
    assertRefused(await live.call(alice, 'POST', '/orders/cancel', body), 400, 'VALIDATION')
  }
  for (const clientOrderId of [' nothing ', '__proto__', 'constructor']) {
    const reply = await live.call(alice, 'POST', '/orders/cancel', { clientOrderId })
    assertRefused(reply, 404, 'ORDER_NOT_FOUND')
  }
})

test('a batch cancels every open order and reports the outcome of each id', async () => {
  const [first, second, third] = [
    await rest(alice, rain, {}, { clientOrderId: 'Case' }),
    await rest(alice, snow, {}, { clientOrderId: 'case' }),
    await rest(alice, snow),
  ]
  const nowhere = randomUUID()
  const ids = [first.toUpperCase(), first, nowhere]
  const some = await accepted(batch(alice, { orderIds: ids }), 207)
  assert.deepEqual(at(some.body, 'canceled'), [first])
  const failed = { reason: 'ORDER_NOT_FOUND', message: NOT_OPEN, retryable: false }
  assert.deepEqual(at(some.body, 'failed'), [{ orderId: nowhere, ...failed }])
  // Client ids differ by letter case.
  const both = await accepted(batch(alice, { clientOrderIds: ['Case', 'case', 'CASE'] }), 207)
  assert.deepEqual(at(both.body, 'canceled'), [{ clientOrderId: 'case', orderId: second }])
  // A failed client id comes with an orderId only if it named an order.
  assert.deepEqual(at(both.body, 'failed'), [
    { clientOrderId: 'Case', orderId: first, ...failed },
    { clientOrderId: 'CASE', ...failed },
  ])
  const last = await accepted(batch(alice, { orderIds: [third] }, '/orders/cancel-batch'))
  assert.deepEqual(last.body, {
    message: 'Orders canceled successfully',
    canceled: [third],
    orders: [{ orderId: third, ...UNTOUCHED }],
    failed: [],
  })
  const gone = await batch(alice, { orderIds: [first, second, third] })
  assertRefused(gone, 400, 'ORDER_NOT_OPEN')
  assert.equal(at(gone.body, 'failed', 2, 'orderId'), third)
  assert.equal(at(gone.body, 'failed', 2, 'message'), NOT_OPEN)
  const unknown = await batch(alice, { clientOrderIds: ['no', 'none'] })
  assertRefused(unknown, 404, 'ORDERS_NOT_FOUND')
  const unresolved = ['no', 'none'].map((clientOrderId) => ({ clientOrderId, ...failed }))
  assert.deepEqual(at(unknown.body, 'failed'), unresolved)
})

test('one order named twice by its client id is canceled once', async () => {
  const id = await rest(alice, rain, {}, { clientOrderId: 'twice' })
  const reply = await batch(alice, { clientOrderIds: ['twice', ' twice', 'twice '] })
  assert.ok(reply.status === 200 || reply.status === 207, reply.text)
  assert.equal(at(reply.body, 'canceled', 0, 'orderId'), id)
})

test('a batch holds one to fifty ids of one kind', async () => {
  const ids = (count: number) => Array.from({ length: count }, () => randomUUID())
  const bodies = [
    {},
    { orderIds: [] },
    { clientOrderIds: [] },
    { orderIds: ids(51) },
    { clientOrderIds: ids(51) },
    { orderIds: ids(1), clientOrderIds: ids(1) },
    { orderIds: [], clientOrderIds: [] },
    { orderIds: ['x'] },
    { orderIds: [5] },
    { orderIds: ids(1)[0] },
    { clientOrderIds: ['x'.repeat(129)] },
    { clientOrderIds: ['x', ' '] },
    { clientOrderIds: [''] },
    { orderIds: ids(1), force: true },
  ]
  for (const body of bodies) assertRefused(await batch(alice, body), 400, 'VALIDATION')
  assertRefused(await batch(alice, { orderIds: ids(50) }), 404, 'ORDERS_NOT_FOUND')
  const older = await batch(alice, { clientOrderIds: ['x'] }, '/orders/cancel-batch')
  assertRefused(older, 400, 'VALIDATION')
})

test('cancel all ends the orders of one profile in one market, even if it has none', async () => {
  const mine = [await rest(alice, rain), await rest(alice, rain, { outcome: 1 })]
  const other = await rest(alice, snow)
  const theirs = await rest(bob, rain)
  const all = await accepted(live.call(alice, 'DELETE', '/orders/all/rain'))
  assert.deepEqual([at(all.body, 'canceled', 0), at(all.body, 'canceled', 1)].sort(), mine.sort())
  const empty = await live.call(alice, 'DELETE', '/orders/all/rain')
  assert.deepEqual(at(empty.body, 'canceled'), [])
  assertRefused(await live.call(alice, 'DELETE', '/orders/all/fog'), 404, 'MARKET_NOT_FOUND')
  assertRefused(await live.call(alice, 'DELETE', '/orders/all/RAIN'), 404, 'MARKET_NOT_FOUND')
  assert.equal((await cancel(alice, other)).status, 200)
  assert.equal((await cancel(bob, theirs)).status, 200)
})

test('user orders are filtered by statuses in any letter case, repeated or not', async () => {
  const carol = await live.trader(100_000_000)
  const dead = await rest(carol, rain)
  await cancel(carol, dead)
  const open = await rest(carol, rain)
  const ids = async (query: string) => {
    const reply = await accepted(live.call(carol, 'GET', `/markets/rain/user-orders${query}`))
    assert.ok(Array.isArray(reply.body))
    return reply.body.map((each) => at(each, 'id'))
  }
  assert.deepEqual(await ids(''), [open])
  assert.deepEqual(await ids('?statuses=live&statuses=LIVE&statuses=Live'), [open])
  assert.deepEqual(await ids('?statuses=canceled'), [dead])
  assert.deepEqual(await ids('?statuses=CANCELED&statuses=LIVE&limit=200'), [open, dead])
  assert.deepEqual(await ids('?statuses=CANCELED&statuses=LIVE&limit=1'), [open])
  assert.deepEqual(await ids('?statuses[]=CANCELED&statuses%5B%5D=LIVE'), [open, dead])
  assert.deepEqual(await ids('?statuses=matched&statuses=UNMATCHED'), [])
  const bad = ['statuses=', 'statuses=OPEN', 'statuses=LIVE,CANCELED', 'statuses%5B0%5D=LIVE']
  const limits = ['limit=0', 'limit=201', 'limit=-1', 'limit=1.5', 'limit=', 'limit=1&limit=1']
  const many = Array.from({ length: 17 }, () => 'statuses=LIVE').join('&')
  for (const query of [...bad, ...limits, many, 'limit=1e1', 'limit=%31%00', 'Limit=5']) {
    const reply = await live.call(carol, 'GET', `/markets/rain/user-orders?${query}`)
    assertRefused(reply, 400, 'VALIDATION')
  }
  await cancel(carol, open)
  const unknown = await live.call(carol, 'GET', '/markets/fog/user-orders')
  assertRefused(unknown, 404, 'MARKET_NOT_FOUND')
})

test('a cancel and a fill of one order at the same moment never both win', async () => {
  for (let round = 0; round < 12; round++) {
    const id = await rest(alice, rain, { ticks: 500 })
    const taker = { outcome: 1 as const, ticks: 500, sizeRaw: 1_000_000 }
    const [fill, canceled] = await Promise.all([
      live.place(bob, rain, taker, { orderType: 'FAK' }),
      cancel(alice, id),
    ])
    assert.equal(fill.status, 201, fill.text)
    const isFilled = at(fill.body, 'execution', 'matched') === true
    assert.equal(canceled.status, isFilled ? 400 : 200, `${fill.text} ${canceled.text}`)
  }
})

test('every route trims a client id to the same id, of up to 128 characters', async () => {
  for (const clientOrderId of ['x'.repeat(128), '🙂'.repeat(128), 'é'.repeat(128)]) {
    const wide = `  ${clientOrderId}\n`
    const id = await rest(alice, rain, {}, { clientOrderId: wide })
    const again = await live.place(alice, rain, { ticks: 399 }, { clientOrderId })
    assertRefused(again, 409, 'DUPLICATE_CLIENT_ORDER_ID')
    const items = [{ clientOrderId: wide }, { clientOrderId }]
    const reported = await live.call(alice, 'POST', '/orders/status/batch', { items })
    assert.equal(at(reported.body, 'results', 0, 'orderId'), id)
    assert.equal(
      at(reported.body, 'results', 1, 'data', 'execution', 'clientOrderId'),
      clientOrderId,
    )
    await accepted(batch(alice, { clientOrderIds: [wide] }))
    // A client id is used for ever, even after its order ended.
    const dead = await live.place(alice, rain, { ticks: 398 }, { clientOrderId })
    assertRefused(dead, 409, 'DUPLICATE_CLIENT_ORDER_ID')
  }
})

test('a batch cancels open orders even when the state of the others is unknown', async (t) => {
  // Its query thread ends here, which is a fault.
  const own = await startLive()
  t.after(() => own.stop().catch(() => {}))
  const market = await own.openMarket('rain')
  const trader = await own.trader(1_000_000_000)
  const rests = async (clientOrderId: string) => {
    const reply = await own.place(trader, market, { ticks: 400 }, { clientOrderId })
    return orderIdOf(reply)
  }
  const dead = await rests('dead')
  assert.equal((await own.call(trader, 'DELETE', `/orders/${dead}`)).status, 200)
  // The first of these takes the slot, so only the tables know what became of the order before.
  const [first, second] = [await rests('first'), await rests('second')]
  await own.exchange.query.kill()
  own.isHasty = true
  const send = (body: object) => own.call(trader, 'POST', '/orders/batch-cancel', body)
  const some = await accepted(send({ orderIds: [dead, first] }), 207)
  assert.deepEqual(at(some.body, 'canceled'), [first])
  const unreported = { reason: 'UNKNOWN_ERROR', message: 'Failed to cancel order', retryable: true }
  assert.deepEqual(at(some.body, 'failed'), [{ orderId: dead, ...unreported }])
  const named = await send({ clientOrderIds: ['dead', 'second'] })
  assert.deepEqual(at(named.body, 'canceled'), [{ clientOrderId: 'second', orderId: second }])
  assert.equal(at(named.body, 'failed', 0, 'clientOrderId'), 'dead')
  const none = await send({ orderIds: [dead] })
  assertRefused(none, 503, 'READ_TIMEOUT')
  assert.ok(Number(none.headers.get('retry-after')) > 0)
  assert.equal(own.balances(trader).reservedRaw, 0)
})

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { compile } from '../../../server/http/schema.ts'
import { orderStatusBatch } from '../../../server/routes/order-status.ts'
import { newFolder } from '../../support/data-folder.ts'
import {
  at,
  type LiveExchange,
  type Reply,
  startLive,
  type Trader,
  textAt,
} from '../../support/live-exchange.ts'
import {
  type LiveMarket,
  type OrderWish,
  openMarket,
  signedFor,
  unsigned,
} from '../../support/live-orders.ts'

// POST /orders/status/batch (domain §3.5, §5.2, §12.4) over HTTP.

const SHARE = 1_000_000
const FEE_BPS = 300
const BOTH = 'Exactly one of orderId or clientOrderId is required'
const shape = compile(orderStatusBatch.reply)
const dataDir = newFolder()
/** None comes within a test: its trades stay MATCHED. */
const NO_BLOCKS = ['--block-ms', '60000']
let live: LiveExchange
let market: LiveMarket
let alice: Trader
let bob: Trader

before(async () => {
  live = await startLive({ dataDir, flags: NO_BLOCKS })
  market = await openMarket(live, 'rain', { fee: true })
  alice = await live.trader(1_000 * SHARE)
  bob = await live.trader(1_000 * SHARE)
})
after(async () => {
  await live.stop()
  assert.deepEqual(live.faults, [])
})

async function placed(trader: Trader, wish: OrderWish, fields: object = {}): Promise<Reply> {
  const order = { ...unsigned(trader, market, wish), feeRateBps: FEE_BPS }
  const reply = await live.call(trader, 'POST', '/orders', {
    order: signedFor(order, trader, market),
    ownerId: trader.profileId,
    orderType: 'GTC',
    marketSlug: market.slug,
    ...fields,
  })
  assert.equal(reply.status, 201, reply.text)
  return reply
}

const idOf = (reply: Reply) => textAt(reply.body, 'order', 'id')
const ask = (trader: Trader, body: unknown) =>
  live.call(trader, 'POST', '/orders/status/batch', body)

async function results(trader: Trader, items: readonly object[]): Promise<unknown[]> {
  const { status, text, body } = await ask(trader, { items })
  assert.equal(status, 200, text)
  assert.ok(shape.holds(body), JSON.stringify(shape.issues(body)))
  const list = at(body, 'results')
  assert.ok(Array.isArray(list))
  assert.deepEqual(
    list.map((each) => at(each, 'index')),
    items.map((_, index) => index),
  )
  return list
}

const totals = (shares: number, feeShares: number, usd: number, feeUsd = 0) => ({
  contractsGross: String(shares),
  contractsFee: String(feeShares),
  contractsNet: String(shares - feeShares),
  usdGross: String(usd),
  usdFee: String(feeUsd),
  usdNet: String(usd - feeUsd),
})

test('an order says what its own reply said, field by field', async () => {
  const fields = { clientOrderId: ' quote 1 ', orderType: 'GTC' }
  const reply = await placed(alice, { ticks: 123, sizeRaw: 3_000 }, fields)
  const [byId, byClient] = await results(alice, [
    { orderId: idOf(reply).toUpperCase() },
    { clientOrderId: 'quote 1' },
  ])
  assert.equal(at(byId, 'clientOrderId'), 'quote 1')
  assert.deepEqual(at(byId, 'data'), reply.body)
  assert.deepEqual(at(byClient, 'data'), reply.body)
  const fok = { orderType: 'FOK' }
  const order = { ...unsigned(bob, market), makerAmount: 700_001, takerAmount: 1, salt: 2 ** 45 }
  const killed = await live.call(bob, 'POST', '/orders', {
    order: signedFor({ ...order, feeRateBps: FEE_BPS }, bob, market),
    ownerId: bob.profileId,
    marketSlug: market.slug,
    ...fok,
  })
  assert.equal(killed.status, 201, killed.text)
  const [none] = await results(bob, [{ orderId: idOf(killed) }])
  assert.deepEqual(at(none, 'data'), killed.body)
  assert.equal(at(none, 'data', 'execution', 'settlementStatus'), 'UNMATCHED')
  await live.call(alice, 'DELETE', `/orders/${idOf(reply)}`)
})

test('the newest trade is told: a taker with its fee, a maker without', async () => {
  const first = idOf(await placed(bob, { outcome: 1, ticks: 480, sizeRaw: 100 * SHARE }))
  const second = idOf(await placed(bob, { outcome: 1, ticks: 450, sizeRaw: 70 * SHARE }))
  const taken = await placed(alice, { ticks: 550, sizeRaw: 150 * SHARE })
  const [taker] = await results(alice, [{ orderId: idOf(taken) }])
  assert.deepEqual(at(taker, 'data'), taken.body)
  // Domain §3.1: one fee on the average price, of 100 at 0.52 and 50 at 0.55.
  const paid = totals(150 * SHARE, 3_990_566, 79_500_000)
  assert.deepEqual(at(taker, 'data', 'execution', 'totalsRaw'), paid)
  assert.deepEqual(at(taker, 'data', 'makerMatches', 1, 'orderId'), second)
  const makers = await results(bob, [{ orderId: first }, { orderId: second }])
  const made = [
    ['MATCHED', totals(100 * SHARE, 0, 48_000_000)],
    ['LIVE', totals(50 * SHARE, 0, 22_500_000)],
  ]
  for (const [index, [status, moved]] of made.entries()) {
    const data = at(makers[index], 'data')
    assert.equal(at(data, 'order', 'status'), status)
    assert.equal(at(data, 'makerMatches'), undefined)
    assert.equal(at(data, 'execution', 'settlementStatus'), 'MATCHED')
    assert.equal(at(data, 'execution', 'tradeEventId'), at(taken.body, 'execution', 'tradeEventId'))
    assert.equal(at(data, 'execution', 'feeRateBps'), FEE_BPS)
    assert.equal(at(data, 'execution', 'effectiveFeeBps'), 0)
    assert.deepEqual(at(data, 'execution', 'totalsRaw'), moved)
  }
  // A second fill of the same maker takes the place of the first.
  const again = await placed(alice, { ticks: 550, sizeRaw: 20 * SHARE })
  const [newest] = await results(bob, [{ orderId: second }])
  assert.equal(
    at(newest, 'data', 'execution', 'tradeEventId'),
    at(again.body, 'execution', 'tradeEventId'),
  )
  assert.deepEqual(at(newest, 'data', 'execution', 'totalsRaw'), totals(20 * SHARE, 0, 9_000_000))
})

test('each item stands for itself, and what is not mine is not found', async () => {
  const mine = idOf(await placed(alice, { ticks: 100 }, { clientOrderId: 'shared' }))
  const theirs = idOf(await placed(bob, { ticks: 100 }, { clientOrderId: 'theirs' }))
  const nowhere = randomUUID()
  const list = await results(alice, [
    { orderId: mine },
    {},
    { orderId: mine, clientOrderId: 'shared' },
    { orderId: theirs },
    { clientOrderId: 'theirs' },
    { orderId: nowhere },
    { orderId: 'x' },
    { clientOrderId: ' ' },
    { clientOrderId: 'é'.repeat(129) },
    { clientOrderId: 'shared' },
    { orderId: mine },
  ])
  const statusOf = (each: unknown) => at(each, 'status')
  assert.deepEqual(list.map(statusOf), [
    'found',
    'invalid',
    'invalid',
    'not_found',
    'not_found',
    'not_found',
    'invalid',
    'invalid',
    'invalid',
    'found',
    'found',
  ])
  assert.deepEqual(list[1], { index: 1, status: 'invalid', error: BOTH })
  assert.equal(at(list[2], 'error'), BOTH)
  assert.deepEqual(list[3], { index: 3, status: 'not_found', orderId: theirs })
  assert.equal(at(list[9], 'orderId'), mine)
})

test('one to fifty items of the known form, asked by who signs', async () => {
  const item = { orderId: randomUUID() }
  const many = (count: number) => Array.from({ length: count }, () => item)
  const bodies = [{}, { items: [] }, { items: many(51) }, { items: [{ id: 1 }] }, { items: [5] }]
  for (const body of [...bodies, { items: many(1), x: 1 }, { items: [{ orderId: 5 }] }]) {
    const reply = await ask(alice, body)
    assert.equal(reply.status, 400, reply.text)
    assert.equal(at(reply.body, 'code'), 'VALIDATION')
  }
  assert.equal((await results(alice, many(50))).length, 50)
  const unsignedCall = await live.send('POST', '/orders/status/batch', {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ items: many(1) }),
  })
  assert.equal(unsignedCall.status, 401)
})

test('a restart changes nothing of it', async () => {
  const asked = [{ clientOrderId: 'quote 1' }, { clientOrderId: 'shared' }]
  const before = await results(alice, asked)
  await live.stop()
  live = await startLive({ dataDir, flags: NO_BLOCKS })
  assert.deepEqual(await results(alice, asked), before)
})

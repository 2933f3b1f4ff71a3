import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { orderStatusBatch } from '../../../../server/api/orders/order-status.ts'
import { compile } from '../../../../server/edge/http/schema/schema.ts'
import { exchange } from '../../../support/exchange.ts'
import { at } from '../../../support/json-path.ts'
import type { Trader } from '../../../support/live-exchange.ts'
import { type OrderRequest, signedFor, unsigned } from '../../../support/live-orders.ts'
import { accepted, assertRefused, orderIdOf } from '../../../support/replies.ts'

// POST /orders/status/batch (rules §3.5, §5.2, §12.4) over HTTP.

const SHARE = 1_000_000
const FEE_BPS = 300
const BOTH = 'Exactly one of orderId or clientOrderId is required'
const shape = compile(orderStatusBatch.reply)
const {
  live,
  rain: market,
  alice,
  bob,
} = await exchange({
  markets: { rain: { fee: true } },
  fundsRaw: 1_000 * SHARE,
  traders: ['alice', 'bob'],
})

const request = (trader: Trader, body: unknown) =>
  live.call(trader, 'POST', '/orders/status/batch', body)

async function results(trader: Trader, items: readonly object[]): Promise<unknown[]> {
  const { status, text, body } = await request(trader, { items })
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

/** The data without the changes of a block, which may come at any moment. */
function unmined(data: unknown): unknown {
  const text = JSON.stringify(data).replace(/"txHash":"0x[0-9a-f]{64}"/, '"txHash":null')
  return JSON.parse(text.replace('"settlementStatus":"MINED"', '"settlementStatus":"MATCHED"'))
}

const totals = (shares: number, feeShares: number, usd: number, feeUsd = 0) => ({
  contractsGross: String(shares),
  contractsFee: String(feeShares),
  contractsNet: String(shares - feeShares),
  usdGross: String(usd),
  usdFee: String(feeUsd),
  usdNet: String(usd - feeUsd),
})

test('the status of an order equals its own reply, field by field', async () => {
  const fields = { clientOrderId: ' quote 1 ', orderType: 'GTC' }
  const reply = await live.placed(alice, market, { ticks: 123, sizeRaw: 3_000 }, fields)
  const [byId, byClient] = await results(alice, [
    { orderId: orderIdOf(reply).toUpperCase() },
    { clientOrderId: 'quote 1' },
  ])
  assert.equal(at(byId, 'clientOrderId'), 'quote 1')
  assert.deepEqual(at(byId, 'data'), reply.body)
  assert.deepEqual(at(byClient, 'data'), reply.body)
  const fok = { orderType: 'FOK' }
  const order = { ...unsigned(bob, market), makerAmount: 700_001, takerAmount: 1, salt: 2 ** 45 }
  const killed = await live.call(bob, 'POST', '/orders', {
    order: signedFor(order, bob, market),
    ownerId: bob.profileId,
    marketSlug: market.slug,
    ...fok,
  })
  assert.equal(killed.status, 201, killed.text)
  const [none] = await results(bob, [{ orderId: orderIdOf(killed) }])
  assert.deepEqual(at(none, 'data'), killed.body)
  assert.equal(at(none, 'data', 'execution', 'settlementStatus'), 'UNMATCHED')
  await live.call(alice, 'DELETE', `/orders/${orderIdOf(reply)}`)
})

test('the status names the newest trade and adds up all; only a taker has a fee', async () => {
  const first = orderIdOf(
    await live.placed(bob, market, { outcome: 1, ticks: 480, sizeRaw: 100 * SHARE }),
  )
  const second = orderIdOf(
    await live.placed(bob, market, { outcome: 1, ticks: 450, sizeRaw: 70 * SHARE }),
  )
  const taken = await live.placed(alice, market, { ticks: 550, sizeRaw: 150 * SHARE })
  const [taker] = await results(alice, [{ orderId: orderIdOf(taken) }])
  assert.deepEqual(unmined(at(taker, 'data')), unmined(taken.body))
  // Rules §3.1: one fee on the average price of 100 shares at 0.52 and 50 at 0.55.
  const paid = totals(150 * SHARE, 3_990_566, 79_500_000)
  assert.deepEqual(at(taker, 'data', 'execution', 'totalsRaw'), paid)
  assert.deepEqual(at(taker, 'data', 'makerMatches', 1, 'orderId'), second)
  const makers = await results(bob, [{ orderId: first }, { orderId: second }])
  const made = [
    ['MATCHED', totals(100 * SHARE, 0, 48_000_000)],
    ['LIVE', totals(50 * SHARE, 0, 22_500_000)],
  ]
  for (const [index, [status, moved]] of made.entries()) {
    const data = unmined(at(makers[index], 'data'))
    assert.equal(at(data, 'order', 'status'), status)
    assert.equal(at(data, 'makerMatches'), undefined)
    assert.equal(at(data, 'execution', 'settlementStatus'), 'MATCHED')
    assert.equal(at(data, 'execution', 'tradeEventId'), at(taken.body, 'execution', 'tradeEventId'))
    assert.equal(at(data, 'execution', 'feeRateBps'), FEE_BPS)
    assert.equal(at(data, 'execution', 'effectiveFeeBps'), 0)
    assert.deepEqual(at(data, 'execution', 'totalsRaw'), moved)
  }
  // The status of a maker names its newest trade, and adds up all of them.
  const again = await live.placed(alice, market, { ticks: 550, sizeRaw: 20 * SHARE })
  const [newest] = await results(bob, [{ orderId: second }])
  assert.equal(
    at(newest, 'data', 'execution', 'tradeEventId'),
    at(again.body, 'execution', 'tradeEventId'),
  )
  assert.deepEqual(at(newest, 'data', 'execution', 'totalsRaw'), totals(70 * SHARE, 0, 31_500_000))
})

test("each item is answered by itself, and another's order is not found", async () => {
  const mine = await live.ordered(alice, market, { ticks: 100 }, { clientOrderId: 'shared' })
  const theirs = await live.ordered(bob, market, { ticks: 100 }, { clientOrderId: 'theirs' })
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

test('a signed call may ask for one to fifty items of the right form', async () => {
  const item = { orderId: randomUUID() }
  const many = (count: number) => Array.from({ length: count }, () => item)
  const bodies = [{}, { items: [] }, { items: many(51) }, { items: [{ id: 1 }] }, { items: [5] }]
  for (const body of [...bodies, { items: many(1), x: 1 }, { items: [{ orderId: 5 }] }]) {
    const reply = await request(alice, body)
    assertRefused(reply, 400, 'VALIDATION')
  }
  assert.equal((await results(alice, many(50))).length, 50)
  const unsignedCall = await live.send('POST', '/orders/status/batch', {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ items: many(1) }),
  })
  assert.equal(unsignedCall.status, 401)
})

test('a held taker is DELAYED with its eligibleAt, then shows its trade', async () => {
  const slow = await live.openMarket('snow', { takerDelayMs: 30_000 })
  const inSlow = { marketSlug: slow.slug }
  const body = (trader: Trader, wanted: OrderRequest) => ({
    order: signedFor(unsigned(trader, slow, wanted), trader, slow),
    ownerId: trader.profileId,
    orderType: 'GTC',
    ...inSlow,
  })
  const request = body(bob, { outcome: 1, ticks: 500, sizeRaw: SHARE })
  const maker = await live.call(bob, 'POST', '/orders', request)
  const held = await live.call(alice, 'POST', '/orders', body(alice, { sizeRaw: 3 * SHARE }))
  assert.deepEqual([maker.status, held.status], [201, 201], held.text)
  const id = { orderId: orderIdOf(held) }
  const [before] = await results(alice, [id])
  assert.equal(at(before, 'data', 'execution', 'settlementStatus'), 'DELAYED')
  assert.equal(typeof at(before, 'data', 'execution', 'eligibleAt'), 'string')
  assert.deepEqual(at(before, 'data'), held.body)
  await live.pass(31_000)
  const [entered, met] = [
    await results(alice, [id]),
    await results(bob, [{ orderId: orderIdOf(maker) }]),
  ]
  const execution = unmined(at(entered[0], 'data', 'execution'))
  assert.equal(at(execution, 'settlementStatus'), 'MATCHED')
  assert.equal(at(execution, 'eligibleAt'), undefined)
  assert.deepEqual(at(execution, 'totalsRaw'), totals(SHARE, 0, 500_000))
  assert.deepEqual(at(entered[0], 'data', 'makerMatches', 0, 'orderId'), orderIdOf(maker))
  assert.equal(at(met[0], 'data', 'execution', 'tradeEventId'), at(execution, 'tradeEventId'))
  await accepted(live.call(alice, 'DELETE', '/orders/all/snow'))
  live.shiftClock(-31_000)
})

test('a restart changes no status, and a block makes a trade MINED for both sides', async () => {
  const requested = [{ clientOrderId: 'quote 1' }, { clientOrderId: 'shared' }]
  const made = { outcome: 1 as const, ticks: 400, sizeRaw: SHARE }
  await live.placed(bob, market, made, { clientOrderId: 'made' })
  await live.placed(alice, market, { ticks: 600, sizeRaw: SHARE }, { clientOrderId: 'took' })
  const before = await results(alice, requested)
  await live.restart({ flags: ['--block-ms', '1'] })
  // The time of the exchange never goes back, so the clock moves to where it was before.
  live.shiftClock(31_000)
  assert.deepEqual(await results(alice, requested), before)
  const sides = async () => [
    ...(await results(alice, [{ clientOrderId: 'took' }])),
    ...(await results(bob, [{ clientOrderId: 'made' }])),
  ]
  const statuses = (list: unknown[]) =>
    list.map((each) => at(each, 'data', 'execution', 'settlementStatus'))
  let reported = await sides()
  while (statuses(reported).includes('MATCHED')) reported = await sides()
  assert.deepEqual(statuses(reported), ['MINED', 'MINED'])
  const hashes = reported.map((each) => at(each, 'data', 'execution', 'txHash'))
  assert.match(String(hashes[0]), /^0x[0-9a-f]{64}$/)
  assert.equal(hashes[0], hashes[1])
})

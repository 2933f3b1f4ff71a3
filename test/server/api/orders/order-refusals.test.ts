import assert from 'node:assert/strict'
import { test } from 'node:test'
import { privateKeyToAccount } from 'viem/accounts'
import { exchange } from '../../../support/exchange.ts'
import { at, textAt } from '../../../support/json-path.ts'
import { orderBody, signedFor, unsigned } from '../../../support/live-orders.ts'
import { assertRefused, type Reply } from '../../../support/replies.ts'

// What the refusal of an order has besides its code: numbers, domains and names to act on.

const SHARE = 1_000_000
const VENUE = `0x${'ab'.repeat(20)}`
const {
  live,
  rain: market,
  alice,
} = await exchange({ markets: ['rain'], traders: { alice: 3 * SHARE } })

await live.admin('/admin/markets', { kind: 'amm', slug: 'lake', title: 'Lake?' })
const children = Array.from({ length: 25 }, (_each, at) => ({
  slug: `team-${at}`,
  title: `Team ${at}?`,
}))
const made = await live.admin('/admin/groups', {
  slug: 'cup',
  title: 'Cup?',
  markets: children,
})
assert.equal(made.status, 201, made.text)

function refusedWith(reply: Reply, status: number, code: string): string {
  assertRefused(reply, status, code)
  return textAt(reply.body, 'message')
}

test('a short balance is refused with what is available and what is required', async () => {
  await live.placed(alice, market, { ticks: 500, sizeRaw: SHARE })
  const dear = await live.place(alice, market, { ticks: 300, sizeRaw: 10 * SHARE })
  const message = refusedWith(dear, 400, 'INSUFFICIENT_COLLATERAL')
  assert.deepEqual([at(dear.body, 'available'), at(dear.body, 'required')], ['2500000', '3000000'])
  assert.match(message, /3000000.* 2500000/)
  const sale = await live.place(alice, market, { side: 'sell', ticks: 300, sizeRaw: SHARE })
  assert.match(refusedWith(sale, 400, 'INSUFFICIENT_SHARES'), /1000000.* 0[.]/)
  assert.deepEqual([at(sale.body, 'available'), at(sale.body, 'required')], ['0', '1000000'])
  await live.call(alice, 'DELETE', '/orders/all/rain')
})

test('money that moves outside trading is refused with the same two numbers', async () => {
  const conditionId = textAt((await live.send('GET', '/markets/rain')).body, 'conditionId')
  const short = async (path: string, body: object, code: string) => {
    const reply = await live.call(alice, 'POST', path, body)
    refusedWith(reply, 400, code)
    return [at(reply.body, 'available'), at(reply.body, 'required')]
  }
  const split = { conditionId, amount: '3000001' }
  assert.deepEqual(await short('/portfolio/split', split, 'INSUFFICIENT_COLLATERAL'), [
    '3000000',
    '3000001',
  ])
  const merge = { conditionId, amount: '7' }
  assert.deepEqual(await short('/portfolio/merge', merge, 'INSUFFICIENT_SHARES'), ['0', '7'])
})

test('a wrong signature is refused with its domain, in a batch too', async () => {
  await live.openMarket('snow', { exchangeAddress: VENUE })
  const order = unsigned(alice, market, { ticks: 100 })
  const send = (signed: object) =>
    live.call(alice, 'POST', '/orders', { ...orderBody(alice, market), order: signed })
  const elsewhere = await send(signedFor(order, alice, market, { exchange: VENUE }))
  refusedWith(elsewhere, 400, 'SIGNATURE_INVALID')
  assert.equal(at(elsewhere.body, 'domain', 'verifyingContract'), market.exchange)
  assert.equal(textAt(elsewhere.body, 'signedDomain', 'verifyingContract').toLowerCase(), VENUE)
  const wrong = {
    ...orderBody(alice, market),
    order: signedFor(order, alice, market, { chainId: 1 }),
  }
  const batch = await live.call(alice, 'POST', '/orders/batch', { orders: [wrong] })
  assert.equal(at(batch.body, 'results', '0', 'signedDomain', 'chainId'), 1, batch.text)
  // The other gates come first, and their refusals say nothing of signatures.
  const late = { ...order, expiration: '1700000000' }
  const expired = await send(signedFor(late, alice, market, { chainId: 1 }))
  refusedWith(expired, 400, 'ORDER_EXPIRED')
  assert.equal(at(expired.body, 'domain'), undefined)
  assert.equal(at(expired.body, 'code'), 'ORDER_EXPIRED')
  const ofOther = privateKeyToAccount(`0x${'5'.repeat(64)}`).address
  const foreign = await send(signedFor({ ...order, maker: ofOther }, alice, market))
  assert.match(refusedWith(foreign, 400, 'OWNER_MISMATCH'), new RegExp(alice.account))
})

test('refused amounts carry the rule and the price through the pipeline', async () => {
  const order = { ...unsigned(alice, market), makerAmount: 5_000_001 }
  const body = { ...orderBody(alice, market), order: signedFor(order, alice, market) }
  const reply = await live.call(alice, 'POST', '/orders', body)
  refusedWith(reply, 400, 'AMOUNTS_INVALID')
  assert.equal(at(reply.body, 'rule'), 'PRICE_TICK')
  assert.deepEqual(at(reply.body, 'nearestPrices'), ['0.5', '0.501'])
})

test('an order for an AMM market says that it is one', async () => {
  const body = { ...orderBody(alice, market), marketSlug: 'lake' }
  const reply = await live.call(alice, 'POST', '/orders', body)
  assert.match(refusedWith(reply, 400, 'ORDERBOOK_OF_POOL'), /AMM market.*POST \/amm\/buy/)
})

test("a group's slug where a market's is needed names its children, twenty at most", async () => {
  const order = await live.call(alice, 'POST', '/orders', {
    ...orderBody(alice, market),
    marketSlug: 'cup',
  })
  const book = await live.send('GET', '/markets/cup/orderbook')
  for (const reply of [order, book]) {
    const message = refusedWith(reply, 404, 'MARKET_NOT_FOUND')
    assert.match(message, /^Market not found: cup is a group/)
    const children = at(reply.body, 'markets')
    assert.ok(Array.isArray(children))
    assert.deepEqual(children.slice(0, 2), ['team-0', 'team-1'])
    assert.equal(children.length, 20)
    assert.match(message, /25/)
  }
  const unknown = await live.call(alice, 'POST', '/orders', {
    ...orderBody(alice, market),
    marketSlug: 'atlantis',
  })
  refusedWith(unknown, 404, 'MARKET_NOT_FOUND')
  assert.equal(at(unknown.body, 'markets'), undefined)
})

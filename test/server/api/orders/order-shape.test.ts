import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exchange } from '../../../support/exchange.ts'
import { at, textAt } from '../../../support/json-path.ts'
import { orderBody } from '../../../support/live-orders.ts'
import { PARTNER_RIGHTS, serverWallet, unsignedBody } from '../../../support/live-partners.ts'
import { accepted, orderIdOf, type Reply } from '../../../support/replies.ts'

// An order has one shape: each reply that shows it has the same fields, with the same values.

const SHARE = 1_000_000
const { live, rain, maker, bob } = await exchange({
  markets: { rain: { fee: true } },
  fundsRaw: 1000 * SHARE,
  traders: { maker: {}, bob: { apiToken: { scopes: PARTNER_RIGHTS } } },
})

async function read(path: string, method = 'GET', body?: object): Promise<Reply> {
  const reply = await live.call(bob, method, path, body)
  assert.ok(reply.status < 300, reply.text)
  return reply
}

/** The lists of public clients show the side as a word. */
function withWord(order: unknown): object {
  return { ...Object(order), side: at(order, 'side') === 0 ? 'BUY' : 'SELL' }
}

/** Fills four shares of an order of ten, which rests with the others; gives its first reply. */
async function restPartly(fields: object): Promise<unknown> {
  const expirationSec = Math.floor(live.nowMs() / 1000) + 600
  await live.place(maker, rain, { outcome: 1, ticks: 400, sizeRaw: 4 * SHARE })
  const placed = await live.placed(bob, rain, { ticks: 650, expirationSec }, fields)
  return at(placed.body, 'order')
}

test('every reply shows an order with the same fields and values', async () => {
  const order = await restPartly({ clientOrderId: 'quote-1' })
  const id = textAt(order, 'id')
  const { body } = await read(`/orders/${id}`)
  assert.deepEqual(at(body, 'order'), order)
  assert.deepEqual(at((await read('/orders')).body, 'data', 0), order)
  const batch = await read('/orders/status/batch', 'POST', { items: [{ orderId: id }] })
  assert.deepEqual(at(batch.body, 'results', 0, 'data', 'order'), order)
  const word = withWord(order)
  assert.deepEqual(at((await read('/markets/rain/user-orders')).body, 0), word)
  const positions = await read('/portfolio/positions')
  assert.deepEqual(at(positions.body, 'clob', 0, 'orders', 'liveOrders', 0), word)
  await read('/orders/all', 'DELETE')
})

test('an order shows its sizes, its price, its outcome and how long it lives', async () => {
  const order = await restPartly({ clientOrderId: 'quote-2' })
  const shown = {
    status: 'LIVE',
    side: 0,
    outcome: 'YES',
    orderType: 'GTC',
    type: 'GTC',
    price: 0.65,
    marketId: 1,
    marketSlug: 'rain',
    ownerId: bob.profileId,
    clientOrderId: 'quote-2',
    makerAmount: 6_500_000,
    takerAmount: 10_000_000,
    originalSize: '10000000',
    filledSize: '4000000',
    remainingSize: '6000000',
    averagePrice: '0.6',
    tokenId: rain.tokens[0],
    token: rain.tokens[0],
    nonce: 0,
    feeRateBps: 300,
  }
  for (const [name, value] of Object.entries(shown)) assert.equal(at(order, name), value, name)
  assert.ok(Number(at(order, 'expiration')) > live.nowMs() / 1000)
  await read('/orders/all', 'DELETE')
})

test('orders at market, sells and delegated orders have that shape too', async () => {
  const keys = Object.keys(Object(await restPartly({}))).sort()
  const desk = await serverWallet(live, bob, 100 * SHARE)
  const delegated = await read('/orders', 'POST', unsignedBody(bob, desk.profileId, rain))
  assert.deepEqual(Object.keys(Object(at(delegated.body, 'order'))).sort(), keys)
  const sell = await live.place(bob, rain, { side: 'sell', ticks: 900, sizeRaw: SHARE })
  assert.deepEqual(Object.keys(Object(at(sell.body, 'order'))).sort(), keys)
  assert.equal(at(sell.body, 'order', 'originalSize'), String(SHARE))
  const { ownerId, ...replacement } = orderBody(bob, rain, { ticks: 20 })
  const replaced = await read('/orders/cancel-replace', 'POST', {
    cancel: { orderId: orderIdOf(sell) },
    mode: 'STOP_ON_FAILURE',
    replacement: { ...replacement, ownerId },
  })
  const next = at(replaced.body, 'replacement', 'data', 'order')
  assert.deepEqual(Object.keys(Object(next)).sort(), keys)
  await live.place(maker, rain, { outcome: 1, ticks: 400, sizeRaw: 4 * SHARE })
  const atMarket = { ...orderBody(bob, rain, { ticks: 600, sizeRaw: SHARE }), orderType: 'FOK' }
  const bought = await accepted(live.call(bob, 'POST', '/orders', atMarket), 201)
  const id = orderIdOf(bought)
  assert.deepEqual(at((await read(`/orders/${id}`)).body, 'order'), at(bought.body, 'order'))
})

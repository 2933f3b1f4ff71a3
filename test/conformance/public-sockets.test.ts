import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client, OrderType, Side, WebSocketClient } from '@limitless-exchange/sdk'
import { exchange } from '../support/exchange.ts'
import { at } from '../support/json-path.ts'
import type { Trader } from '../support/live-exchange.ts'
import { accepted } from '../support/replies.ts'

// The socket client, unmodified from npm, on the channels of an account and of markets.

const SHARE = 1_000_000
const { live, rain, alice } = await exchange({
  markets: ['rain'],
  traders: { alice: 1000 * SHARE },
})

const url = () => `http://127.0.0.1:${live.port}`

/** The next `count` frames of an event. */
function next(client: WebSocketClient, event: string, count: number): Promise<unknown[]> {
  const frames: unknown[] = []
  return new Promise((resolve) => {
    const keep = (frame: unknown) => {
      frames.push(frame)
      if (frames.length === count) resolve(frames)
    }
    Reflect.apply(client.on, client, [event, keep])
  })
}

test('the client signs its handshake, gets orders and positions, and leaves channels', async () => {
  const hmacCredentials = { tokenId: alice.tokenId, secret: alice.secret }
  const rest = new Client({ baseURL: url(), hmacCredentials })
  // The first read of the tables may be late on a busy machine, and a socket does not wait for it.
  await live.patientCall(alice, 'GET', '/portfolio/positions')
  const client = new WebSocketClient({ url: url(), hmacCredentials, autoReconnect: false })
  const authenticated = next(client, 'authenticated', 1)
  const ready = next(client, 'system', 2)
  await client.connect()
  assert.ok(client.isConnected())
  assert.equal(at((await authenticated)[0], 'account'), alice.account)
  const position = next(client, 'positions', 1)
  const events = next(client, 'orderEvent', 2)
  await client.subscribe('subscribe_order_events')
  await client.subscribe('subscribe_positions', { marketSlugs: ['rain'] })
  await ready
  assert.equal(at((await position)[0], 'marketSlug'), 'rain')
  const orders = rest.newOrderClient(`0x${Buffer.from(alice.key).toString('hex')}`)
  const { order } = await orders.createOrder({
    tokenId: rain.tokens[0],
    side: Side.BUY,
    price: 0.4,
    size: 5,
    orderType: OrderType.GTC,
    marketSlug: 'rain',
  })
  await orders.cancel(order.id)
  const stated = await events
  assert.deepEqual(
    stated.map((each) => [at(each, 'type'), at(each, 'orderId')]),
    [
      ['PLACEMENT', order.id],
      ['CANCELLATION', order.id],
    ],
  )
  await client.unsubscribe('subscribe_order_events')
  await client.unsubscribe('subscribe_positions', { marketSlugs: ['rain'] })
  await client.disconnect()
  assert.deepEqual(live.faults, [])
})

test('a client may read without credentials; bad credentials give an exception', async () => {
  const nobody = new WebSocketClient({ url: url(), autoReconnect: false })
  await nobody.connect()
  await assert.rejects(nobody.subscribe('subscribe_order_events'), /Authentication is required/)
  await nobody.disconnect()
  const hmacCredentials = { tokenId: alice.tokenId, secret: Buffer.from('x').toString('base64') }
  const liar = new WebSocketClient({ url: url(), hmacCredentials, autoReconnect: false })
  const stated = next(liar, 'exception', 1)
  await liar.connect()
  assert.equal(at((await stated)[0], 'code'), 'HMAC_INVALID')
  await liar.disconnect()
})

test('a client receives mined trades; a new token changes whose trades these are', async () => {
  const bob = await live.trader(1000 * SHARE)
  const rest = ({ tokenId, secret }: Trader) =>
    new Client({ baseURL: url(), hmacCredentials: { tokenId, secret } })
  const ordersOf = (trader: Trader) =>
    rest(trader).newOrderClient(`0x${Buffer.from(trader.key).toString('hex')}`)
  const order = { side: Side.BUY, size: 5, orderType: OrderType.GTC, marketSlug: 'rain' }
  const trade = async (price: number) => {
    const [yes, no] = rain.tokens
    await ordersOf(alice).createOrder({ ...order, tokenId: yes, price })
    return ordersOf(bob).createOrder({ ...order, tokenId: no, price: 1 - price })
  }
  const hmacCredentials = { tokenId: alice.tokenId, secret: alice.secret }
  const client = new WebSocketClient({ url: url(), hmacCredentials, autoReconnect: false })
  const ready = next(client, 'system', 1)
  await client.connect()
  const mined = next(client, 'tx', 1)
  await client.subscribe('subscribe_transactions')
  await ready
  await trade(0.4)
  const [tx] = await mined
  assert.equal(at(tx, 'status'), 'CONFIRMED')
  assert.equal(at(tx, 'userId'), alice.profileId)
  assert.match(String(at(tx, 'txHash')), /^0x[0-9a-f]{64}$/)
  client.setHMACCredentials({ tokenId: bob.tokenId, secret: bob.secret })
  const authenticated = next(client, 'authenticated', 1)
  assert.equal(at((await authenticated)[0], 'account'), bob.account)
  const own = next(client, 'tx', 1)
  const again = next(client, 'system', 1)
  await client.subscribe('subscribe_transactions')
  await again
  await trade(0.3)
  assert.equal(at((await own)[0], 'userId'), bob.profileId)
  await client.disconnect()
  assert.deepEqual(live.faults, [])
})

test('a client reads books, receives new and resolved markets, and leaves', async () => {
  const reader = new WebSocketClient({ url: url(), autoReconnect: false })
  const books: unknown[] = []
  Reflect.apply(reader.on, reader, ['orderbookUpdate', (frame: unknown) => books.push(frame)])
  const first = next(reader, 'orderbookUpdate', 1)
  const ready = next(reader, 'system', 2)
  await reader.connect()
  await reader.subscribe('subscribe_market_prices', { marketSlugs: ['rain'] })
  await reader.subscribe('subscribe_market_lifecycle')
  await ready
  const created = next(reader, 'marketCreated', 1)
  const resolved = next(reader, 'marketResolved', 1)
  await live.openMarket('sleet')
  assert.equal(at((await created)[0], 'slug'), 'sleet')
  await first
  const second = next(reader, 'orderbookUpdate', 1)
  await live.placed(alice, rain, { ticks: 111, sizeRaw: SHARE })
  const [book] = await second
  assert.equal(at(book, 'marketSlug'), 'rain')
  assert.equal(at(book, 'orderbook', 'tokenId'), rain.tokens[0])
  const numbers = books.map((each) => Number(at(each, 'sequence')))
  assert.deepEqual(
    numbers,
    numbers.map((_, index) => numbers[0] + index),
    'no book is left out',
  )
  await accepted(live.admin('/admin/markets/sleet/resolve', { winningOutcomeIndex: 0 }))
  const [end] = await resolved
  assert.deepEqual([at(end, 'winningOutcome'), at(end, 'winningIndex')], ['YES', 0])
  await reader.unsubscribe('subscribe_market_prices', { marketSlugs: ['rain'] })
  await reader.subscribe('unsubscribe_market_lifecycle')
  await reader.disconnect()
  assert.deepEqual(live.faults, [])
})

import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { ADMIN } from '../../../support/chain-desk.ts'
import { exchange } from '../../../support/exchange.ts'
import { at } from '../../../support/json-path.ts'
import type { LiveMarket } from '../../../support/live-orders.ts'
import { accepted } from '../../../support/replies.ts'
import { SocketClient } from '../../../support/socket-client.ts'
import { closeAll } from '../../../support/socket-desk.ts'

// Rules §12.8, the books on the sockets: the first frame at once, then each change, and a number
// for each frame. A quiet book is sent again.

const SHARE = 1_000_000
const { live, rain, snow, alice, bob } = await exchange({
  flags: ['--block-ms', '20'],
  socketWaits: { quietBookMs: 600_000 },
  markets: ['rain', 'snow'],
  fundsRaw: 10_000 * SHARE,
  traders: ['alice', 'bob'],
})
const clients: SocketClient[] = []

afterEach(async () => {
  await closeAll(live, clients)
  for (const slug of ['rain', 'snow']) {
    assert.equal(live.exchange.pipeline.published.bySlug(slug)?.watch, null, 'nobody reads it')
  }
})

async function join(requested?: object): Promise<SocketClient> {
  const client = await SocketClient.open(live.port)
  clients.push(client)
  if (requested !== undefined) client.socket.emit('subscribe_market_prices', requested)
  return client
}

const books = (client: SocketClient, slug = 'rain') =>
  client.of('orderbookUpdate').filter((frame) => at(frame, 'marketSlug') === slug)
const sizeAt = (frame: unknown, side: 'bids' | 'asks', price: number): unknown => {
  const levels = at(frame, 'orderbook', side)
  assert.ok(Array.isArray(levels))
  return levels.find((level) => at(level, 'price') === price)?.size
}

async function bid(market: LiveMarket, ticks: number, shares = 1): Promise<void> {
  await live.placed(alice, market, { ticks, sizeRaw: shares * SHARE })
}

test('the first frame is the whole book, with its amounts as numbers', async () => {
  await bid(rain, 100)
  const client = await join({ marketSlugs: ['rain'] })
  const [frame] = await client.take('orderbookUpdate', 1)
  assert.deepEqual(client.of('system'), [
    { message: 'Subscribed to subscribe_market_prices', markets: ['rain'] },
  ])
  assert.deepEqual(at(frame, 'orderbook', 'bids'), [{ price: 0.1, size: SHARE, side: 'BUY' }])
  assert.equal(typeof at(frame, 'orderbook', 'minSize'), 'number')
  assert.equal(typeof at(frame, 'orderbook', 'maxSpread'), 'number')
  const reply = await live.send('GET', '/markets/rain/orderbook')
  assert.deepEqual(at(reply.body, 'bids'), at(frame, 'orderbook', 'bids'))
  assert.equal(at(reply.body, 'sequence'), at(frame, 'sequence'))
})

test('each change comes, in frames whose numbers rise by one', async () => {
  const client = await join({ marketSlugs: ['rain'] })
  await client.take('orderbookUpdate', 1)
  for (let ticks = 101; ticks <= 110; ticks++) await bid(rain, ticks)
  await client.until(() => sizeAt(books(client).at(-1), 'bids', 0.11) === SHARE)
  const numbers = books(client).map((frame) => Number(at(frame, 'sequence')))
  assert.deepEqual(
    numbers,
    numbers.map((_, index) => numbers[0] + index),
  )
})

test('a repeated subscribe replaces the set of markets', async () => {
  const client = await join({ marketSlugs: ['rain'] })
  client.socket.emit('subscribe_market_prices', { marketSlugs: ['snow'] })
  await client.until(() => books(client, 'snow').length > 0)
  const before = books(client).length
  await bid(rain, 120)
  await bid(snow, 120)
  await client.until(() => sizeAt(books(client, 'snow').at(-1), 'bids', 0.12) === SHARE)
  assert.equal(books(client).length, before)
})

test('a subscribe by marketSlug adds a market, as the public client expects', async () => {
  const client = await join({ marketSlugs: ['rain'] })
  client.socket.emit('subscribe_market_prices', { marketSlug: 'snow' })
  await client.until(() => books(client, 'snow').length > 0)
  const [first] = [books(client).length]
  await bid(rain, 140)
  await bid(snow, 140)
  await client.until(() => sizeAt(books(client).at(-1), 'bids', 0.14) === SHARE)
  await client.until(() => sizeAt(books(client, 'snow').at(-1), 'bids', 0.14) === SHARE)
  assert.ok(books(client).length > first, 'the earlier market is still there')
  const leave = { channel: 'subscribe_market_prices', marketSlug: 'snow' }
  assert.deepEqual(await client.socket.timeout(5000).emitWithAck('unsubscribe', leave), {})
  const before = books(client, 'snow').length
  await bid(snow, 145)
  await bid(rain, 145)
  await client.until(() => sizeAt(books(client).at(-1), 'bids', 0.145) === SHARE)
  assert.equal(books(client, 'snow').length, before)
  client.socket.emit('subscribe_market_prices', { marketSlug: 'no-such-market' })
  const [refused] = await client.take('exception', 1)
  assert.deepEqual(at(refused, 'missing'), ['no-such-market'])
})

test('an unknown market is refused, and the earlier set stays', async () => {
  const client = await join({ marketSlugs: ['rain'] })
  await client.take('orderbookUpdate', 1)
  for (const requested of [
    { marketSlugs: ['rain', 'no-such-market'] },
    { marketAddresses: ['0x0000000000000000000000000000000000000001'] },
  ]) {
    client.socket.emit('subscribe_market_prices', requested)
  }
  client.socket.emit('subscribe_market_prices')
  const stated = await client.take('exception', 3)
  assert.deepEqual(
    stated.map((each) => at(each, 'code')),
    ['MARKET_NOT_FOUND', 'MARKET_NOT_FOUND', 'VALIDATION'],
  )
  assert.deepEqual(at(stated[0], 'missing'), ['no-such-market'], 'and the client receives which')
  await bid(rain, 130)
  await client.until(() => sizeAt(books(client).at(-1), 'bids', 0.13) === SHARE)
})

test('a group has no book, as over REST, and a pool sends its prices under its slug', async () => {
  await live.openGroupAndPool()
  const client = await join({ marketSlugs: ['rain', 'cup'] })
  const [refused] = await client.take('exception', 1)
  assert.deepEqual([at(refused, 'code'), at(refused, 'missing')], ['MARKET_NOT_FOUND', ['cup']])
  const children = at((await live.send('GET', '/markets/cup')).body, 'markets')
  assert.ok(Array.isArray(children))
  assert.deepEqual(
    at(refused, 'markets'),
    children.map((child) => at(child, 'slug')),
    'the markets of the group are named',
  )
  client.socket.emit('subscribe_market_prices', { marketSlugs: ['pool'] })
  const [prices] = await client.take('newPriceData', 1)
  const { body } = await live.send('GET', '/markets/pool')
  assert.equal(at(prices, 'marketAddress'), at(body, 'address'), 'it is written as in replies')
  assert.equal(at(prices, 'updatedPrices', 0, 'yesPrice'), 0.5)
  const channel = 'subscribe_market_prices'
  const left = { channel, marketSlugs: ['pool'] }
  assert.deepEqual(await client.socket.timeout(5000).emitWithAck('unsubscribe', left), {})
  client.socket.emit(channel, { snapshot: true, marketSlugs: ['pool'] })
  const [, late] = await client.take('exception', 2)
  assert.equal(at(late, 'code'), 'VALIDATION', 'it receives the pool no more')
  assert.equal(client.of('orderbookUpdate').length, 0)
})

test('a flagged market trades and shows no book, on no socket and in no line', async () => {
  const whole = await join({ marketSlugs: ['rain'] })
  const changes = await join({ marketSlugs: ['rain'], mode: 'delta' })
  await bid(rain, 105)
  await whole.until(() => sizeAt(books(whole).at(-1), 'bids', 0.105) !== undefined)
  await changes.until(() => follow(changes).bids.has(0.105))
  const line = async () => {
    const tickers = at((await live.send('GET', '/markets/tickers')).body, 'tickers')
    assert.ok(Array.isArray(tickers))
    return tickers.find((each) => at(each, 'slug') === 'rain')
  }
  const flag = async (isFlagged: boolean) => {
    const headers = { ...ADMIN.headers, 'content-type': 'application/json' }
    const body = JSON.stringify({ isFlagged })
    await accepted(live.send('PUT', '/admin/markets/rain/flag', { headers, body }))
    live.shiftClock(1000)
  }
  await flag(true)
  await bid(rain, 106)
  const bidsOf = (frame: unknown) => at(frame, 'orderbook', 'bids')
  await whole.until(() => JSON.stringify(bidsOf(books(whole).at(-1))) === '[]')
  await changes.until(() => follow(changes).bids.size === 0)
  const late = await join({ marketSlugs: ['rain'] })
  const [first] = await late.take('orderbookUpdate', 1)
  assert.deepEqual(bidsOf(first), [])
  assert.deepEqual([at(await line(), 'bid'), at(await line(), 'ask')], [null, null])
  await flag(false)
  await whole.until(() => sizeAt(books(whole).at(-1), 'bids', 0.106) !== undefined)
  await changes.until(() => follow(changes).bids.has(0.106))
  assert.equal(at(await line(), 'bid') !== null, true)
})

test('a client that leaves a market gets no more frames of it', async () => {
  const client = await join({ marketSlugs: ['rain', 'snow'] })
  await client.take('orderbookUpdate', 2)
  const left = await client.socket
    .timeout(5000)
    .emitWithAck('unsubscribe', { channel: 'subscribe_market_prices', marketSlugs: ['rain'] })
  assert.deepEqual(left, {})
  const before = books(client).length
  await bid(rain, 140)
  await bid(snow, 140)
  await client.until(() => sizeAt(books(client, 'snow').at(-1), 'bids', 0.14) === SHARE)
  assert.equal(books(client).length, before)
})

interface Levels {
  readonly bids: Map<number, number>
  readonly asks: Map<number, number>
}

function readLevels(into: Map<number, number>, levels: unknown): void {
  assert.ok(Array.isArray(levels))
  for (const level of levels) {
    const [price, size] = [Number(at(level, 'price')), Number(at(level, 'size'))]
    if (size === 0) into.delete(price)
    else into.set(price, size)
  }
}

/** The book that a client of changes has; it asserts that no frame is missing. */
function follow(client: SocketClient): Levels & { sequence: number } {
  const book = { bids: new Map<number, number>(), asks: new Map<number, number>(), sequence: -1 }
  for (const { event, payload } of client.frames) {
    if (at(payload, 'marketSlug') !== 'rain') continue
    const sequence = Number(at(payload, 'sequence'))
    if (event === 'orderbookUpdate') {
      book.bids.clear()
      book.asks.clear()
      readLevels(book.bids, at(payload, 'orderbook', 'bids'))
      readLevels(book.asks, at(payload, 'orderbook', 'asks'))
      book.sequence = sequence
    }
    if (event !== 'orderbookDelta') continue
    assert.equal(sequence, book.sequence + 1, 'no frame of changes is missing')
    readLevels(book.bids, at(payload, 'bids'))
    readLevels(book.asks, at(payload, 'asks'))
    book.sequence = sequence
  }
  return book
}

test('a client of changes has the same book as a client of whole books', async () => {
  const changes = await join({ marketSlugs: ['rain'], mode: 'delta' })
  const whole = await join({ marketSlugs: ['rain'] })
  await whole.take('orderbookUpdate', 1)
  await changes.take('orderbookUpdate', 1)
  for (let ticks = 200; ticks < 215; ticks++) {
    await bid(rain, ticks, 2)
    await live.placed(bob, rain, { outcome: 1, ticks: 1000 - ticks, sizeRaw: SHARE })
  }
  await whole.until(() => sizeAt(books(whole).at(-1), 'bids', 0.214) === SHARE)
  const last = books(whole).at(-1)
  await changes.until(() => follow(changes).sequence >= Number(at(last, 'sequence')))
  const book = follow(changes)
  const all = new Map<number, number>()
  readLevels(all, at(last, 'orderbook', 'bids'))
  assert.deepEqual([...book.bids].sort(), [...all].sort())
  assert.equal(changes.of('orderbookUpdate').length, 1, 'only the first frame is a whole book')
  assert.ok(changes.of('orderbookDelta').length > 0)
})

test('a client of changes gets a whole book when it requests one', async () => {
  const client = await join({ marketSlugs: ['rain', 'snow'], mode: 'delta' })
  await client.take('orderbookUpdate', 2)
  client.socket.emit('subscribe_market_prices', { snapshot: true, marketSlugs: ['snow'] })
  await client.take('orderbookUpdate', 3)
  client.socket.emit('subscribe_market_prices', { snapshot: true })
  await client.take('orderbookUpdate', 5)
  assert.equal(books(client, 'snow').length, 3)
  await bid(rain, 150)
  await client.until(() => client.of('orderbookDelta').length > 0)
  follow(client)
})

test('a frame of changes has only what changed since the frame before', async () => {
  const client = await join({ marketSlugs: ['snow'], mode: 'delta' })
  await client.take('orderbookUpdate', 1)
  const levels: number[] = []
  for (const [index, ticks] of [170, 180, 190].entries()) {
    await bid(snow, ticks)
    const changed = (await client.take('orderbookDelta', index + 1)).at(-1)
    const book = new Map<number, number>()
    readLevels(book, at(changed, 'bids'))
    levels.push(...book.keys())
  }
  assert.deepEqual(levels, [0.17, 0.18, 0.19])
})

test('a book that is quiet is sent again, with the next number', async () => {
  const { live: quiet } = await exchange({ socketWaits: { quietBookMs: 30 } })
  await quiet.openMarket('calm')
  const client = await SocketClient.open(quiet.port)
  client.socket.emit('subscribe_market_prices', { marketSlugs: ['calm'], mode: 'delta' })
  const [first, second] = await client.take('orderbookDelta', 2)
  assert.deepEqual([at(first, 'bids'), at(first, 'asks')], [[], []])
  assert.equal(Number(at(second, 'sequence')), Number(at(first, 'sequence')) + 1)
  client.close()
})

test('a report of the oracle goes to the open slot it is about, and to its symbol', async () => {
  const { pipeline } = live.exchange
  const made = await live.admin('/admin/series', {
    symbol: 'BTC',
    frequency: 'daily',
    stableSlug: 'btc-daily',
    slugPrefix: 'btc-1d',
    title: 'Bitcoin up or down',
    assetName: 'Bitcoin',
    strikePrice: '64000',
  })
  assert.equal(made.status, 201, made.text)
  const slotOf = () => pipeline.published.all().find(({ market: { slot } }) => slot !== undefined)
  while (slotOf()?.status !== 'FUNDED') {
    pipeline.tick()
    await new Promise(setImmediate)
  }
  const slug = slotOf()?.market.slug
  const client = await join({ marketSlugs: [slug], symbols: ['BTC'] })
  await client.take('orderbookUpdate', 1)
  const reports = [{ symbol: 'BTC', price: '64000.5' }]
  await accepted(live.admin('/admin/oracle/prices', { reports }))
  const frames = await client.take('oraclePriceData', 2)
  // Frames of different subscriptions have no order among them.
  const ofSymbol = frames.find((frame) => at(frame, 'marketSlug') === '')
  const ofSlot = frames.find((frame) => at(frame, 'marketSlug') === slug)
  for (const frame of [ofSymbol, ofSlot]) {
    assert.deepEqual([at(frame, 'symbol'), at(frame, 'value')], ['BTC/USD', 64_000.5])
  }
  const late = await join({ symbols: ['BTC/USD', 'ETH/USD'] })
  assert.deepEqual(await late.take('oraclePriceData', 1), [ofSymbol])
})

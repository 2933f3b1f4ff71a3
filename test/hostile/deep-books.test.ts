import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { LIMITS } from '../../engine/domain/limits.ts'
import { ConnectionCounts } from '../../server/edge/sockets/connection-counts.ts'
import { REQUEST_UNIT_BYTES } from '../../server/edge/sockets/frame-rates.ts'
import { SOCKET_BOUNDS } from '../../server/edge/sockets/socket-gateway.ts'
import { exchange } from '../support/exchange.ts'
import { listening } from '../support/frame-story.ts'
import { at } from '../support/json-path.ts'
import { type LiveMarket, orderBody } from '../support/live-orders.ts'
import { updateOf } from '../support/replay-client.ts'
import { SocketClient } from '../support/socket-client.ts'
import { closeAll } from '../support/socket-desk.ts'

// A book of 998 levels of dust is fifty times as long as an ordinary one. Its frames, its first
// frames and long tapes are paid in bytes, so that they cost their own readers and nobody else.
// Here is one side of it; test/attack has all of it, and two thousand readers.

const SHARE = 1_000_000
const SIDE_LEVELS = 499
const BATCH = 50
/** A whole ladder is a fifth of a second of each budget. */
const BYTES_PER_SEC = 125_000
const LADDER_BYTES_MIN = 20_000
const CHANGES = 40
const REQUESTED_MAX = 500
/** Requests for a ladder, fewer than a socket may send at once. */
const REQUESTS = 45
const PRICES = 'subscribe_market_prices'
const { live, hail, ladder, alice } = await exchange({
  flags: ['--address-header', 'x-forwarded-for'],
  socketBounds: { ownerMarketsRequestedMax: REQUESTED_MAX },
  socketWaits: {
    bookMs: 0,
    quietBookMs: 600_000,
    bookBytesPerSec: BYTES_PER_SEC,
    tapeBytesPerSec: BYTES_PER_SEC,
    firstBytesPerSec: BYTES_PER_SEC,
    accountBytesPerSec: BYTES_PER_SEC,
  },
  markets: ['hail', 'ladder'],
  traders: { alice: 1_000_000 * SHARE },
})
const clients: SocketClient[] = []

await fill()
afterEach(async () => {
  await closeAll(live, clients)
  assert.deepEqual(live.faults.splice(0), [])
})

/** Bids at every price below one half. */
async function fill(): Promise<void> {
  for (let from = 1; from <= SIDE_LEVELS; from += BATCH) {
    const count = Math.min(BATCH, SIDE_LEVELS + 1 - from)
    const orders = Array.from({ length: count }, (_, index) => {
      return orderBody(alice, ladder, { ticks: from + index, sizeRaw: SHARE })
    })
    const reply = await live.call(alice, 'POST', '/orders/batch', { orders })
    assert.ok(reply.status < 300, reply.text)
  }
}

async function bid(market: LiveMarket, ticks: number): Promise<void> {
  await live.placed(alice, market, { ticks, sizeRaw: SHARE })
}

async function from(address: string): Promise<SocketClient> {
  const client = await SocketClient.open(live.port, { headers: { 'x-forwarded-for': address } })
  clients.push(client)
  return client
}

async function reads(address: string, slug: string, mode = 'book'): Promise<SocketClient> {
  const client = await from(address)
  client.socket.emit(PRICES, { marketSlugs: [slug], mode })
  await client.take('orderbookUpdate', 1)
  return client
}

const booksOf = (client: SocketClient) => client.of('orderbookUpdate').length
const lengthOf = (frame: unknown) => JSON.stringify(frame).length

/** Bytes that a budget may have paid for since then, its burst and one frame included. */
function paidBytes(sinceMs: number, frameBytes: number): number {
  return ((performance.now() - sinceMs + 100) / 1000) * BYTES_PER_SEC + frameBytes
}

test('a dust ladder makes the frames that its bytes pay for, and slows no other book', async () => {
  const [deep, small] = [await reads('10.0.0.1', 'ladder'), await reads('10.0.0.2', 'hail')]
  const bytes = lengthOf(deep.of('orderbookUpdate')[0])
  assert.ok(bytes > LADDER_BYTES_MIN, `${bytes} bytes`)
  const startMs = performance.now()
  for (let change = 1; change <= CHANGES; change++) {
    await bid(ladder, 1 + change)
    await bid(hail, 1 + change)
    await small.take('orderbookUpdate', 1 + change)
  }
  const sentBytes = (booksOf(deep) - 1) * bytes
  assert.ok(sentBytes <= paidBytes(startMs, bytes), `${sentBytes} bytes of ladders`)
  // What was left out is in the next frame, which has the next number.
  const isNewest = (frame: unknown) =>
    at(frame, 'orderbook', 'bids', 498 - CHANGES, 'size') === 2 * SHARE
  await deep.until(() => isNewest(deep.of('orderbookUpdate').at(-1)))
  const numbers = deep.of('orderbookUpdate').map((frame) => Number(at(frame, 'sequence')))
  assert.deepEqual(
    numbers,
    numbers.map((_, index) => numbers[0] + index),
  )
})

test('changes of a deep book cost what they are long', async () => {
  const reader = await reads('10.0.0.3', 'ladder', 'delta')
  for (let change = 1; change <= CHANGES; change++) {
    await bid(ladder, 1 + change)
    await reader.take('orderbookDelta', change)
  }
})

test('a client that requests a deep book again and again is refused by its bytes', async () => {
  const greedy = await reads('10.0.0.4', 'ladder')
  const startMs = performance.now()
  for (let request = 0; request < REQUESTS; request++) {
    greedy.socket.emit(PRICES, { snapshot: true, marketSlugs: ['ladder'] })
  }
  const granted = () => greedy.of('system').length - 1
  const refused = () => greedy.of('exception')
  await greedy.until(() => granted() + refused().length === REQUESTS)
  const units = ((performance.now() - startMs) / 1000 / LIMITS.ownerMessagesSec + 1) * REQUESTED_MAX
  const mostBytes = units * REQUEST_UNIT_BYTES
  assert.ok(granted() * LADDER_BYTES_MIN <= mostBytes, `${granted()} requests granted`)
  for (const each of refused()) assert.equal(at(each, 'code'), 'RATE_LIMITED')
  await reads('10.0.0.5', 'hail')
})

test('an owner that closes its sockets and comes back has the allowance that it left', () => {
  const connectionCounts = new ConnectionCounts({
    ...SOCKET_BOUNDS,
    ownerMarketsRequestedMax: REQUESTED_MAX,
  })
  for (const visitor of [
    { address: '10.0.0.6', profileId: 0 },
    { address: '', profileId: 6 },
  ]) {
    const comes = () => connectionCounts.enter(visitor, false)
    comes()
    assert.equal(connectionCounts.asks(visitor, REQUESTED_MAX, 1000), true)
    assert.equal(connectionCounts.asks(visitor, 1, 1000), false)
    connectionCounts.leave(visitor, false)
    comes()
    assert.equal(connectionCounts.asks(visitor, 1, 1000), false)
    assert.equal(
      connectionCounts.asks(visitor, REQUESTED_MAX, 1000 + 1000 * LIMITS.ownerMessagesSec),
      true,
    )
    connectionCounts.leave(visitor, false)
  }
})

test('readers who wait for a deep book do not hold up readers of another', async () => {
  const deep = await Promise.all([1, 2, 3, 4, 5, 6].map((each) => from(`10.0.1.${each}`)))
  const startMs = performance.now()
  for (const client of deep) client.socket.emit(PRICES, { marketSlugs: ['ladder'] })
  await Promise.all(deep.map((client) => client.take('system', 1)))
  await reads('10.0.0.7', 'hail')
  const given = deep.reduce((sum, client) => sum + booksOf(client), 0)
  const paid = paidBytes(startMs, 2 * LADDER_BYTES_MIN)
  assert.ok(given * LADDER_BYTES_MIN <= paid, `${given} first frames`)
})

test('a tape that is longer than its budget shows the newest trades, and the gap', async () => {
  const reader = await from('10.0.0.8')
  reader.socket.emit('subscribe_trades', { marketSlugs: ['hail', 'ladder'] })
  await reader.take('system', 1)
  const published = live.exchange.pipeline.published.bySlug('ladder')
  const other = live.exchange.pipeline.published.bySlug('hail')
  assert.ok(published?.watch && other?.watch)
  const seq = live.exchange.pipeline.clearing.lastSeq
  for (let trade = 1; trade <= 1000; trade++) {
    for (let ticks = 1; ticks <= 20; ticks++)
      published.watch.filled(seq + trade, ticks, SHARE, true)
    published.watch.arrived(seq + trade)
  }
  other.watch.filled(seq + 1, 500, SHARE, true)
  other.watch.arrived(seq + 1)
  const tradesOf = (slug: string) =>
    reader.of('trade').filter((frame) => at(frame, 'marketSlug') === slug)
  await reader.until(() => tradesOf('hail').length === 1)
  await reader.until(() => at(tradesOf('ladder').at(-1), 'seq') === seq + 1000)
  const numbers = tradesOf('ladder').map((frame) => Number(at(frame, 'sequence')))
  assert.equal(numbers.at(-1), 1000)
  assert.ok(numbers.length < 500, `${numbers.length} frames of 1,000`)
  assert.deepEqual(reader.ends, [])
})

test('frames of an account with many sockets are late, and delay no other account', async () => {
  const carol = await live.trader(0)
  const sockets = await Promise.all(Array.from({ length: 3 }, () => listening(live, carol)))
  const other = await listening(live, alice)
  clients.push(...sockets, other)
  const seq = live.exchange.pipeline.clearing.lastSeq
  const events = Array.from({ length: 120 }, (_, index) => updateOf(carol.profileId, seq + index))
  const startMs = performance.now()
  for (const event of events) live.exchange.pipeline.publisher.orderEvents.publish([event])
  await bid(hail, 100)
  await other.take('orderEvent', 1)
  const got = sockets.reduce((sum, client) => sum + client.of('orderEvent').length, 0)
  const bytes = lengthOf(other.of('orderEvent')[0])
  assert.ok(
    got * bytes <= paidBytes(startMs, sockets.length * LIMITS.socketBatchBytes),
    `${got} frames`,
  )
  await Promise.all(sockets.map((client) => client.take('orderEvent', events.length)))
  assert.deepEqual(
    sockets.flatMap(({ ends }) => ends),
    [],
  )
})

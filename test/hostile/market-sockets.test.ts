import assert from 'node:assert/strict'
import { afterEach, before, test } from 'node:test'
import { LIMITS } from '../../engine/domain/limits.ts'
import { armFault } from '../../engine/thread/fault-point.ts'
import { exchange } from '../support/exchange.ts'
import { at } from '../support/json-path.ts'
import type { Trader } from '../support/live-exchange.ts'
import type { LiveMarket } from '../support/live-orders.ts'
import type { RawClient } from '../support/raw-client.ts'
import { rawSubscriber } from '../support/raw-member.ts'
import { SocketClient } from '../support/socket-client.ts'
import { closeAll } from '../support/socket-desk.ts'

// What one client of the public channels could do to the others: read nothing, name many markets,
// ask for whole books again and again. It gets less, or is refused; nobody else notices.

const SHARE = 1_000_000
const LEVELS = 400
/** Frames of the wide book, far more than the kernel keeps for a reader. */
const FRAMES = 500
const { live } = await exchange({
  flags: ['--address-header', 'x-forwarded-for'],
  socketBounds: { marketsPerAddressMax: 5, ownerMarketsRequestedMax: 2000 },
  socketWaits: { bookMs: 0, quietBookMs: 600_000 },
})
let rain: LiveMarket
let alice: Trader
const clients: SocketClient[] = []
const raws: RawClient[] = []

before(async () => {
  for (const slug of ['hail', 'snow', 'fog']) await live.openMarket(slug)
  rain = await live.openMarket('rain')
  alice = await live.trader(1_000_000 * SHARE)
  const levels = Array.from({ length: LEVELS }, (_, index) => bid(1 + index))
  await Promise.all(levels)
})
afterEach(async () => {
  armFault('')
  for (const raw of raws.splice(0)) raw.destroy()
  await closeAll(live, clients)
  assert.deepEqual(live.faults.splice(0), [])
})

async function bid(ticks: number): Promise<void> {
  await live.placed(alice, rain, { ticks, sizeRaw: SHARE })
}

async function join(headers = {}): Promise<SocketClient> {
  const client = await SocketClient.open(live.port, { headers })
  clients.push(client)
  return client
}

const from = (address: string) => join({ 'x-forwarded-for': address })
const sequenceOf = (frame: unknown) => Number(at(frame, 'sequence'))

/** A reader below the library that receives the wide book and then reads nothing. */
async function deafReader(): Promise<RawClient> {
  const requested = ['subscribe_market_prices', { marketSlugs: ['rain'] }] as const
  const raw = await rawSubscriber(live.port, requested, 'orderbookUpdate')
  raws.push(raw)
  return raw.pause()
}

test('a reader that stops reading holds little, and costs nobody a frame', async () => {
  const deaf = await deafReader()
  const brisk = await join()
  brisk.socket.emit('subscribe_market_prices', { marketSlugs: ['rain'] })
  const [first] = await brisk.take('orderbookUpdate', 1)
  const before = live.sockets.counts.framesSent
  const book = live.exchange.pipeline.published.bySlug('rain')
  assert.ok(book !== undefined)
  for (let frame = 1; frame <= FRAMES; frame++) {
    if (frame % 50 === 0) await bid(1 + (frame % LEVELS))
    else {
      book.version++
      book.watch?.changed()
    }
    await brisk.take('orderbookUpdate', frame + 1)
  }
  const numbers = brisk.of('orderbookUpdate').map(sequenceOf)
  assert.deepEqual(
    numbers.slice(0, FRAMES + 1),
    numbers.slice(0, FRAMES + 1).map((_, index) => sequenceOf(first) + index),
  )
  const sent = live.sockets.counts.framesSent - before
  assert.ok(sent < 2 * FRAMES, `the deaf reader was left out of some frames: ${sent}`)
  assert.equal(live.sockets.slowCount, 0, 'it is not ended either')
  // When it reads again it gets the newest book, and is in the topic again.
  deaf.resume()
  const newest = `"sequence":${numbers.at(-1)},`
  while (!deaf.received.includes(newest)) await new Promise(setImmediate)
  await bid(1)
  while (!deaf.received.includes(`"sequence":${(numbers.at(-1) ?? 0) + 1},`)) {
    await new Promise(setImmediate)
  }
})

test('the public markets of an address have a bound, over all of its sockets', async () => {
  const [one, two, other] = [await from('10.0.0.1'), await from('10.0.0.1'), await from('10.0.0.2')]
  const request = (client: SocketClient, event: string, marketSlugs: string[]) =>
    client.socket.emit(event, { marketSlugs })
  request(one, 'subscribe_market_prices', ['hail', 'snow', 'fog'])
  await one.take('orderbookUpdate', 3)
  request(two, 'subscribe_trades', ['hail', 'snow'])
  await two.take('system', 1)
  request(two, 'subscribe_market_prices', ['hail'])
  const [refused] = await two.take('exception', 1)
  assert.equal(at(refused, 'code'), 'SUBSCRIPTION_LIMIT')
  request(other, 'subscribe_market_prices', ['hail', 'snow', 'fog', 'rain'])
  await other.take('orderbookUpdate', 4)
  // What one socket leaves, another may take.
  request(one, 'subscribe_market_prices', ['hail'])
  await one.take('orderbookUpdate', 4)
  request(two, 'subscribe_market_prices', ['hail', 'snow'])
  await two.take('orderbookUpdate', 2)
  one.close()
  while (live.sockets.openCount > 2) await new Promise(setImmediate)
  request(two, 'subscribe_market_prices', ['hail', 'snow', 'fog'])
  await two.take('orderbookUpdate', 5)
})

test('an address that requests whole books again and again is refused in time', async () => {
  const [greedy, other] = [await from('10.0.0.3'), await from('10.0.0.4')]
  const marketSlugs = ['hail', 'snow', 'fog', 'rain']
  const requested = Array.from({ length: LIMITS.socketMarketsMax }, () => 'rain')
  other.socket.emit('subscribe_market_prices', { marketSlugs: ['rain'] })
  await other.take('orderbookUpdate', 1)
  greedy.socket.emit('subscribe_market_prices', { marketSlugs })
  await greedy.take('orderbookUpdate', 4)
  for (let round = 0; round < 45; round++) {
    greedy.socket.emit('subscribe_market_prices', { snapshot: true, marketSlugs: requested })
  }
  const isRefused = () => greedy.of('exception').length > 0
  await greedy.until(isRefused)
  assert.equal(at(greedy.of('exception')[0], 'code'), 'RATE_LIMITED')
  assert.ok(greedy.of('orderbookUpdate').length < 45 * 4, 'requests that wait are one frame')
  await bid(2)
  await other.take('orderbookUpdate', 2)
  assert.deepEqual([greedy.ends, other.ends], [[], []])
})

const ODD: unknown[] = [
  7,
  'rain',
  true,
  [],
  { marketSlugs: 'rain' },
  { marketSlugs: [7] },
  { mode: 'deltas' },
  { marketSlugs: ['rain'], mode: 7 },
  { snapshot: 'yes' },
  { symbols: [''] },
  { symbols: 7 },
  { symbols: ['x'.repeat(33)] },
  { marketSlugs: Array.from({ length: 101 }, () => 'rain') },
  { marketAddresses: ['rain'] },
  { marketSlugs: ['__proto__'] },
  { marketSlugs: [''] },
]

const PUBLIC = [
  'subscribe_market_prices',
  'subscribe_trades',
  'subscribe_market_lifecycle',
  'subscribe_live_sports',
  'subscribe_live_esports',
  'subscribe_live_offers',
]

for (const event of PUBLIC) {
  test(`${event} refuses an invalid payload and stays as it was`, async () => {
    const client = await join()
    client.socket.emit(event, { marketSlugs: ['rain'] })
    await client.take('system', 1)
    for (const payload of ODD) client.socket.emit(event, payload)
    for (const each of await client.take('exception', ODD.length)) {
      assert.equal(at(each, 'channel'), event)
      assert.match(String(at(each, 'code')), /^(VALIDATION|MARKET_NOT_FOUND)$/)
    }
    assert.deepEqual(client.ends, [])
    const answer = await client.socket.timeout(5000).emitWithAck('unsubscribe', { channel: event })
    assert.deepEqual(answer, {})
  })
}

test('a fault in writing the first book ends that reader alone', async () => {
  const [other, reader] = [await join(), await join()]
  other.socket.emit('subscribe_market_prices', { marketSlugs: ['rain'] })
  await other.take('orderbookUpdate', 1)
  reader.socket.emit('subscribe_order_events')
  await reader.take('exception', 1)
  // The confirmation is written first.
  armFault('at-socket-send:2')
  reader.socket.emit('subscribe_market_prices', { marketSlugs: ['rain'] })
  await reader.until(() => reader.ends.length > 0)
  assert.equal(live.faults.splice(0).length, 1)
  await bid(4)
  await other.take('orderbookUpdate', 2)
  assert.deepEqual(other.ends, [])
})

test('a fault in a frame of a book ends its readers with an id, and nobody else', async () => {
  const [reader, other] = [await join(), await join()]
  other.socket.emit('subscribe_market_prices', { marketSlugs: ['fog'] })
  reader.socket.emit('subscribe_market_prices', { marketSlugs: ['rain'] })
  await reader.take('orderbookUpdate', 1)
  await other.take('orderbookUpdate', 1)
  armFault('at-socket-frame:1')
  await bid(3)
  await reader.until(() => reader.ends.length > 0)
  assert.equal(at(reader.of('exception').at(-1), 'code'), 'INTERNAL')
  assert.deepEqual(other.ends, [])
  assert.equal(live.faults.splice(0).length, 1)
})

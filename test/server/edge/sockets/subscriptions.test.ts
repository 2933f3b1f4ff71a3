import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { LIMITS } from '../../../../engine/domain/limits.ts'
import { exchange } from '../../../support/exchange.ts'
import { framesOf, listening, wordsOf } from '../../../support/frame-story.ts'
import { at } from '../../../support/json-path.ts'
import type { Trader } from '../../../support/live-exchange.ts'
import { orderIdOf } from '../../../support/replies.ts'
import { handshakeOf, SocketClient } from '../../../support/socket-client.ts'
import { closeAll } from '../../../support/socket-desk.ts'

// Rules §12.8, the channels of an account: how a client subscribes, what it gets, how it leaves.

const SHARE = 1_000_000
const EVENTS = ['subscribe_order_events', 'subscribe_positions', 'subscribe_transactions'] as const
const { live, rain, alice, bob } = await exchange({
  flags: ['--block-ms', '20'],
  markets: ['rain'],
  fundsRaw: 10_000 * SHARE,
  traders: ['alice', 'bob'],
})
const clients: SocketClient[] = []

afterEach(async () => {
  await closeAll(live, clients)
  assert.equal(await live.gauge('outcomex_sockets_open'), 0)
})

async function join(trader: Trader, reconnection = false): Promise<SocketClient> {
  const headers = handshakeOf(trader, live.nowMs())
  const client = await SocketClient.open(live.port, { headers, reconnection })
  clients.push(client)
  await client.take('authenticated', 1)
  return client
}

const leave = (client: SocketClient, requested: unknown): Promise<unknown> =>
  client.socket.timeout(5000).emitWithAck('unsubscribe', requested)

function rest(trader: Trader, ticks = 100): Promise<string> {
  return live.ordered(trader, rain, { ticks, sizeRaw: SHARE })
}

/** Bob takes one share that Alice offers. */
async function trade(market = rain): Promise<string> {
  const wanted = { ticks: 500, sizeRaw: SHARE }
  const made = await live.place(alice, market, { ...wanted, outcome: 1 })
  const taken = await live.place(bob, market, wanted)
  assert.deepEqual([made.status, taken.status], [201, 201], taken.text)
  return orderIdOf(taken)
}

test('each subscription is confirmed, with the markets that it named', async () => {
  const client = await join(bob)
  client.socket.emit('subscribe_order_events')
  // Typed clients send null for fields that they do not set.
  client.socket.emit('subscribe_transactions', { marketSlugs: null, marketAddresses: null })
  client.socket.emit('subscribe_positions', { marketSlugs: ['rain'], marketAddresses: null })
  assert.deepEqual(await client.take('system', 3), [
    { message: 'Subscribed to subscribe_order_events' },
    { message: 'Subscribed to subscribe_transactions' },
    { message: 'Subscribed to subscribe_positions', markets: ['rain'] },
  ])
})

test('a client that subscribes twice to a channel gets each frame once', async () => {
  const client = await join(bob)
  for (const event of [...EVENTS, ...EVENTS]) {
    client.socket.emit(event, event === 'subscribe_positions' ? { marketSlugs: ['rain'] } : {})
  }
  await client.take('system', 6)
  const id = await trade()
  await client.until(() => framesOf(client, id).length === 3)
  const last = await trade()
  await client.until(() => framesOf(client, last).length === 3)
  assert.deepEqual(framesOf(client, id).map(wordsOf), [
    'MATCHED 1 @0.5',
    'EXECUTION FILLED 0 @0.5',
    'MINED',
  ])
  assert.equal((await client.take('tx', 2)).length, 2)
})

test('a client that leaves a channel gets no more frames of it, and may come back', async () => {
  const client = await join(bob)
  const other = await listening(live, bob)
  clients.push(other)
  for (const channel of EVENTS) {
    const requested = { channel, marketSlugs: ['rain'] }
    assert.deepEqual(await leave(client, requested), {}, 'unsubscribe needs no subscription')
    client.socket.emit(channel, { marketSlugs: ['rain'] })
    assert.deepEqual(await leave(client, requested), {})
  }
  const received = () => client.frames.filter(({ event }) => /^(orderEvent|tx)$/.test(event))
  const id = await trade()
  await other.until(() => framesOf(other, id).length === 3)
  assert.deepEqual(received(), [])
  client.socket.emit('subscribe_order_events')
  await client.take('system', 4)
  const next = await rest(bob)
  await client.until(() => framesOf(client, next).length === 1)
  assert.equal(received().length, 1)
})

test('a reconnected client is authenticated again, and has no subscriptions', async () => {
  const client = await join(bob, true)
  client.socket.emit('subscribe_order_events')
  await client.take('system', 1)
  client.socket.io.engine.close()
  await client.take('authenticated', 2)
  const missed = await rest(bob)
  client.socket.emit('subscribe_order_events')
  await client.take('system', 2)
  const received = await rest(bob)
  await client.until(() => framesOf(client, received).length === 1)
  assert.deepEqual(framesOf(client, missed), [])
})

test('a client that reconnects with a stale handshake is anonymous, and is notified', async () => {
  const client = await join(bob, true)
  live.shiftClock(LIMITS.signatureSkewMs + 1000)
  client.socket.io.engine.close()
  const [stale] = await client.take('exception', 1)
  assert.equal(at(stale, 'code'), 'TIMESTAMP_INVALID')
  for (const event of EVENTS) client.socket.emit(event, { marketSlugs: ['rain'] })
  const stated = (await client.take('exception', 4)).slice(1)
  assert.deepEqual(
    stated.map((each) => [at(each, 'code'), at(each, 'channel')]),
    EVENTS.map((event) => ['UNAUTHENTICATED', event]),
  )
  assert.ok(client.socket.connected)
  assert.equal(client.of('authenticated').length, 1)
})

test('a client that reconnects with a new handshake is authenticated again', async () => {
  const client = await join(bob, true)
  const { io } = client.socket
  io.on('reconnect_attempt', () => {
    io.opts.extraHeaders = handshakeOf(bob, live.nowMs())
  })
  live.shiftClock(LIMITS.signatureSkewMs + 1000)
  io.engine.close()
  const [, again] = await client.take('authenticated', 2)
  assert.equal(at(again, 'profileId'), bob.profileId)
  assert.deepEqual(client.of('exception'), [])
})

const TOO_MANY = Array.from({ length: LIMITS.socketMarketsMax + 1 }, () => 'rain')
const NO_PAYLOADS: unknown[] = [
  7,
  'rain',
  true,
  [],
  ['rain'],
  { marketSlugs: 'rain' },
  { marketSlugs: [7] },
  { marketSlugs: [''] },
  { marketSlugs: TOO_MANY },
  { marketAddresses: ['rain'] },
  { marketSlugs: {} },
]

for (const event of EVENTS) {
  test(`${event} refuses an invalid payload and stays as it was`, async () => {
    const client = await join(bob)
    client.socket.emit(event, { marketSlugs: ['rain'] })
    await client.take('system', 1)
    for (const payload of NO_PAYLOADS) client.socket.emit(event, payload)
    const stated = await client.take('exception', NO_PAYLOADS.length)
    for (const each of stated) {
      assert.deepEqual([at(each, 'code'), at(each, 'channel')], ['VALIDATION', event])
    }
    for (const payload of [7, 'rain', [], {}, { channel: 7 }, { channel: event, marketSlugs: 7 }]) {
      const answer = await leave(client, payload)
      assert.match(String(at(answer, 'error')), /channel|marketSlugs/)
    }
    const from = client.frames.length
    await trade()
    await client.until(() => client.frames.length > from)
    assert.deepEqual(client.ends, [])
  })
}

test('after a burst of subscriptions only the last one counts', async () => {
  const client = await join(bob)
  const slugs = await Promise.all(
    Array.from({ length: 30 }, async (_, place) => (await live.openMarket(`m-${place}`)).slug),
  )
  for (let round = 0; round < 20; round++) {
    client.socket.emit('subscribe_positions', { marketSlugs: slugs })
    if (round % 5 === 4) client.socket.emit('unsubscribe', { channel: 'subscribe_positions' })
  }
  client.socket.emit('subscribe_positions', { marketSlugs: ['rain'] })
  await client.take('system', 21)
  const isRain = (frame: unknown) => at(frame, 'marketSlug') === 'rain'
  await client.until(() => client.of('positions').some(isRain))
  const from = client.of('positions').length
  await trade()
  await client.until(() => client.of('positions').length > from)
  const since = client.of('positions').slice(client.of('positions').findIndex(isRain))
  assert.ok(since.every(isRain))
  assert.deepEqual(client.of('exception'), [])
})

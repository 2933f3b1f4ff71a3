import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { Server } from 'socket.io'
import { LIMITS } from '../../../../engine/domain/limits.ts'
import { positions } from '../../../../persistence/query/read/positions.ts'
import { packetOf } from '../../../../server/edge/sockets/packets.ts'
import { exchange } from '../../../support/exchange.ts'
import { listening } from '../../../support/frame-story.ts'
import { at } from '../../../support/json-path.ts'
import type { Trader } from '../../../support/live-exchange.ts'
import { handshakeOf, SocketClient } from '../../../support/socket-client.ts'
import { closeAll } from '../../../support/socket-desk.ts'

// The frames of an account are read and encoded once for all of its sockets.

const SHARE = 1_000_000
const SOCKETS = 60
const { live, rain, alice, bob } = await exchange({
  flags: ['--block-ms', '20'],
  markets: ['rain'],
  fundsRaw: 10_000 * SHARE,
  traders: ['alice', 'bob'],
})
const clients: SocketClient[] = []

afterEach(async () => {
  await closeAll(live, clients)
})

async function join(trader: Trader, count: number): Promise<SocketClient[]> {
  const headers = handshakeOf(trader, live.nowMs())
  const opened = Array.from({ length: count }, () => SocketClient.open(live.port, { headers }))
  const joined = await Promise.all(opened)
  clients.push(...joined)
  await Promise.all(joined.map((client) => client.take('authenticated', 1)))
  return joined
}

function eventOf(accountId: number, seq: number) {
  const order = { slot: 1, generation: 1, clientOrderId: '', side: 0, outcome: 0, orderType: 0 }
  const what = { type: 'PLACEMENT' as const, remainingRaw: 1, priceTicks: 500 }
  return { ...order, ...what, seq, nowMs: 0, accountId, marketId: 1 }
}

const eventsOf = (accountId: number, count: number) =>
  Array.from({ length: count }, (_, index) => eventOf(accountId, index + 1))

test('a packet has the bytes that the library itself would send', () => {
  const { encoder } = new Server({ transports: ['websocket'] })
  const EVENT = 2
  const payloads: unknown[] = [
    { message: 'Authenticated', profileId: 1, account: '0xAb' },
    { text: 'é \u2028 \ud83d\ude00 "quoted" \\ \n', lone: '\ud800', none: undefined, nil: null },
    [1, 2.5, -0, 1e21, true, []],
    'text',
    {},
  ]
  for (const payload of payloads) {
    const [stated] = encoder.encode({ type: EVENT, nsp: '/markets', data: ['orderEvent', payload] })
    assert.equal(Buffer.from(packetOf('orderEvent', payload)).toString(), `4${stated}`)
  }
})

test('all sockets of an account get the same frames in the same order', async () => {
  const members = await join(bob, SOCKETS)
  for (const { socket } of members) {
    for (const channel of ['subscribe_order_events', 'subscribe_transactions']) socket.emit(channel)
    socket.emit('subscribe_positions', { marketSlugs: ['rain'] })
  }
  await Promise.all(members.map((each) => each.take('positions', 1)))
  for (let round = 0; round < 10; round++) {
    await live.place(alice, rain, { outcome: 1, ticks: 500, sizeRaw: SHARE })
    await live.place(bob, rain, { ticks: 500, sizeRaw: SHARE })
  }
  const received = ({ frames }: SocketClient) =>
    frames.filter(({ event }) => event === 'orderEvent' || event === 'tx' || event === 'positions')
  await Promise.all(members.map((each) => each.take('tx', 10)))
  const last = (client: SocketClient) => at(client.of('positions').at(-1), 'positions', 0)
  const isDone = (client: SocketClient) => at(last(client), 'ctfBalance') === `${10 * SHARE}`
  await Promise.all(members.map((each) => each.until(() => isDone(each))))
  const [first] = members
  for (const member of members) {
    // Only the snapshot may come at a different time.
    assert.deepEqual(received(member).slice(1), received(first).slice(1))
    assert.deepEqual(member.ends, [])
  }
})

test('sockets of an account that subscribe together share their reads', async () => {
  const members = await join(bob, SOCKETS)
  const { query } = live.exchange
  const request = query.request.bind(query)
  let reads = 0
  query.request = (read, requested, slice) => {
    if (read.name === positions.name) reads++
    return request(read, requested, slice)
  }
  for (const { socket } of members) socket.emit('subscribe_positions', { marketSlugs: ['rain'] })
  await Promise.all(members.map((each) => each.take('positions', 1)))
  query.request = request
  assert.ok(reads < SOCKETS / 2, `${reads} reads`)
})

test('snapshots too go out in slices, and not in the tick in which they were read', async () => {
  const members = await join(bob, SOCKETS)
  const { query } = live.exchange
  const { counts } = live.sockets
  const request = query.request.bind(query)
  const atOnce: number[] = []
  query.request = async (read, requested, slice) => {
    const rows = await request(read, requested, slice)
    const before = counts.framesSent
    // This runs after everything that follows from the rows within the same tick.
    process.nextTick(() => atOnce.push(counts.framesSent - before))
    return rows
  }
  for (const { socket } of members) socket.emit('subscribe_positions', { marketSlugs: ['rain'] })
  await Promise.all(members.map((each) => each.take('positions', 1)))
  query.request = request
  assert.ok(atOnce.length > 0)
  assert.deepEqual(new Set(atOnce), new Set([0]))
})

test('a burst is made and sent in slices, and other sockets are served in between', async () => {
  const [member] = await join(bob, 1)
  const other = await listening(live, alice)
  clients.push(other)
  member.socket.emit('subscribe_order_events')
  await member.take('system', 1)
  const before = live.sockets.counts.framesSent
  const count = 8000
  const { orderEvents } = live.exchange.pipeline.publisher
  orderEvents.publish(eventsOf(bob.profileId, count))
  assert.equal(live.sockets.counts.framesSent, before, 'the publisher does not wait for the frames')
  // This event comes later, but its frame need not wait for all of the burst.
  orderEvents.publish(eventsOf(alice.profileId, 1))
  await other.take('orderEvent', 1)
  assert.ok(live.sockets.counts.framesSent - before < count, 'the frame comes within the burst')
  await member.take('orderEvent', count)
  const ids = member.of('orderEvent').map((frame) => Number(at(frame, 'eventId')))
  assert.deepEqual(
    ids,
    [...ids].sort((a, b) => a - b),
  )
})

test('more waiting frames than the bound end their sockets, with a reason', async () => {
  const [member, silent] = await join(bob, 2)
  member.socket.emit('subscribe_order_events')
  await member.take('system', 1)
  const { orderEvents } = live.exchange.pipeline.publisher
  orderEvents.publish(eventsOf(bob.profileId, LIMITS.socketFramesDueMax + 1))
  await member.until(() => member.ends.length > 0)
  assert.equal(at(member.of('exception')[0], 'code'), 'SLOW_READER')
  assert.deepEqual(silent.ends, [], 'a socket without subscriptions misses nothing')
})

test('a socket that subscribes while frames wait gets only later frames', async () => {
  const [early] = await join(bob, 1)
  early.socket.emit('subscribe_order_events')
  await early.take('system', 1)
  const [late] = await join(bob, 1)
  const { orderEvents } = live.exchange.pipeline.publisher
  late.socket.emit('subscribe_order_events')
  let posted = 0
  while (late.of('system').length === 0) {
    orderEvents.publish([eventOf(bob.profileId, ++posted)])
    await new Promise(setImmediate)
  }
  orderEvents.publish([eventOf(bob.profileId, ++posted)])
  const idOf = (client: SocketClient) => at(client.of('orderEvent').at(-1), 'eventId')
  await early.take('orderEvent', posted)
  await late.until(() => idOf(late) === idOf(early))
  assert.equal(late.frames.findIndex(({ event }) => event === 'system') < 2, true)
  assert.ok(late.of('orderEvent').length < posted)
})

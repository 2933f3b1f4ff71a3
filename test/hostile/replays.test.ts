import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { exchange } from '../support/exchange.ts'
import { framesOf, listening } from '../support/frame-story.ts'
import { at } from '../support/json-path.ts'
import type { Trader } from '../support/live-exchange.ts'
import { orderBody } from '../support/live-orders.ts'
import { handshakeOf, SocketClient } from '../support/socket-client.ts'

// What one account does with replays of its order events: forged ids, floods, and leaving amid one.

const SHARE = 1_000_000
const CHANNEL = 'subscribe_order_events'
/** Replays that a profile may request at once, and events of one replay. */
const BURST = 16
const EVENTS_MAX = 1000
const GROUP = 50
const { live: on, rain } = await exchange({ flags: ['--block-ms', '20'], markets: ['rain'] })
const clients: SocketClient[] = []

afterEach(async () => {
  for (const client of clients.splice(0)) client.close()
  while (on.sockets.openCount > 0) await new Promise(setImmediate)
  assert.equal(on.sockets.heldBytes, 0)
})

async function opened(trader: Trader): Promise<SocketClient> {
  const headers = handshakeOf(trader, on.nowMs())
  const client = await SocketClient.open(on.port, { headers })
  clients.push(client)
  return client
}

async function asks(trader: Trader, payload: object): Promise<SocketClient> {
  const client = await opened(trader)
  client.socket.emit(CHANNEL, payload)
  return client
}

function placed(trader: Trader, wanted: object = {}): Promise<string> {
  return on.ordered(trader, rain, { ticks: 100, sizeRaw: SHARE, ...wanted })
}

/** Places and cancels so many orders, in groups. */
async function traded(trader: Trader, count: number): Promise<void> {
  for (let done = 0; done < count; done += GROUP) {
    const body = Array.from({ length: GROUP }, () => {
      return orderBody(trader, rain, { ticks: 100, sizeRaw: SHARE })
    })
    const reply = await on.call(trader, 'POST', '/orders/batch', { orders: body })
    assert.ok(reply.status < 300, reply.text)
  }
  const gone = await on.call(trader, 'DELETE', '/orders/all/rain')
  assert.ok(gone.status < 300, gone.text)
}

/** Requests two frames that follow, so that everything before them has come. */
async function fenced(trader: Trader, client: SocketClient): Promise<void> {
  const id = await placed(trader)
  await client.until(() => framesOf(client, id).length === 1)
}

const wordsOf = (client: SocketClient) => client.of('exception').map((each) => at(each, 'code'))
const ownersOf = (client: SocketClient) => [
  ...new Set(client.of('orderEvent').map((frame) => at(frame, 'userId'))),
]

test('a wrong id is refused by a sentence, and the client is not subscribed', async () => {
  const [alice, bob] = [await on.trader(1000 * SHARE), await on.trader(1000 * SHARE)]
  const listener = await listening(on, alice)
  clients.push(listener)
  await placed(alice, { outcome: 1, ticks: 500, sizeRaw: 5 * SHARE })
  await placed(bob, { ticks: 500, sizeRaw: 5 * SHARE })
  await listener.until(() => listener.of('orderEvent').length === 4)
  const idsOf = listener.of('orderEvent').map((frame) => at(frame, 'eventId'))
  const [matched, mined] = idsOf.filter((id) => typeof id === 'string')
  const ofAlice = String(mined).slice(-36)
  const forged = '3f2b9c1e-8a54-4d0b-9a51-6f0c2d7e4b18'
  const wrong: object[] = [
    ...[-1, 0.5, {}, [], true, '', 'x', '1', 'terminal:', `terminal:${forged}`].map((id) => {
      return { afterEventId: id }
    }),
    { afterEventId: Number.MAX_SAFE_INTEGER },
    { afterEventId: matched },
    { afterEventId: mined },
    { afterEventId: `terminal:${ofAlice}` },
    { afterEventId: 0, afterSettlementId: mined },
    { afterEventId: 0, afterSettlementId: 'settlement:1' },
    { afterEventId: 0, afterSettlementId: 'x'.repeat(81) },
    { afterSettlementId: mined },
  ]
  const carol = await on.trader(1000 * SHARE)
  const client = await opened(carol)
  for (const [count, payload] of wrong.entries()) {
    client.socket.emit(CHANNEL, payload)
    const refused = (await client.take('exception', count + 1))[count]
    assert.equal(at(refused, 'code'), 'VALIDATION', JSON.stringify(payload))
    assert.equal(at(refused, 'channel'), CHANNEL)
    assert.match(String(at(refused, 'message', 0, 'field')), /^after(Event|Settlement)Id$/)
  }
  await placed(carol)
  assert.deepEqual(client.of('orderEvent'), [], 'the client receives nothing')
  client.socket.emit(CHANNEL)
  await client.until(() => client.of('system').length > 0)
  await fenced(carol, client)
  assert.equal(client.of('orderEvent').length, 1)
})

test("an id of another owner reveals nothing but the requester's own events", async () => {
  const [alice, bob] = [await on.trader(1000 * SHARE), await on.trader(1000 * SHARE)]
  const listener = await listening(on, alice)
  clients.push(listener)
  const first = await placed(bob)
  await placed(alice)
  const [placement] = await listener.take('orderEvent', 1)
  const last = await placed(bob)
  const client = await asks(bob, { afterEventId: at(placement, 'eventId') })
  await client.take('system', 2)
  assert.deepEqual(ownersOf(client), [bob.profileId])
  assert.equal(framesOf(client, first).length, 0, 'it came before')
  assert.equal(framesOf(client, last).length, 1)
})

test('a client that missed too much is notified, and receives what comes', async () => {
  const carol = await on.trader(1000 * SHARE)
  await traded(carol, EVENTS_MAX / 2)
  const whole = await asks(carol, { afterEventId: 0 })
  await whole.take('system', 2)
  assert.equal(whole.of('orderEvent').length, EVENTS_MAX)
  const numbers = whole.of('orderEvent').map((frame) => Number(at(frame, 'eventId')))
  assert.deepEqual(
    numbers,
    [...new Set(numbers)].sort((a, b) => a - b),
  )
  await placed(carol)
  const client = await asks(carol, { afterEventId: 0 })
  const [refused] = await client.take('exception', 1)
  assert.equal(at(refused, 'code'), 'EVENTS_MISSED')
  assert.match(String(at(refused, 'message')), /user-orders.*status\/batch.*without afterEventId/)
  await fenced(carol, client)
  assert.equal(client.of('orderEvent').length, 1)
})

test('a flood of replays of one account is bounded, and costs others nothing', async () => {
  const [carol, dave] = [await on.trader(1000 * SHARE), await on.trader(1000 * SHARE)]
  await traded(carol, 200)
  const own = await placed(dave)
  const floods = await Promise.all(Array.from({ length: 8 }, () => opened(carol)))
  for (const flood of floods) {
    for (let count = 0; count < 40; count++) flood.socket.emit(CHANNEL, { afterEventId: 0 })
  }
  const client = await asks(dave, { afterEventId: 0 })
  await client.take('system', 2)
  assert.equal(framesOf(client, own).length, 1)
  await placed(dave)
  await client.until(() => client.of('orderEvent').length === 2)
  const answers = (flood: SocketClient) =>
    flood.of('system').filter((stated) => String(at(stated, 'message')).startsWith('Subscribed'))
      .length
  for (const flood of floods) {
    await flood.until(() => answers(flood) + wordsOf(flood).length === 40)
    assert.ok(wordsOf(flood).every((code) => code === 'RATE_LIMITED'))
  }
  const begun = floods.reduce((sum, flood) => sum + answers(flood), 0)
  assert.ok(begun >= BURST && begun < 2 * BURST, `${begun} replays began`)
})

test('a client that leaves amid a replay receives no more of it, and may come again', async () => {
  const carol = await on.trader(1000 * SHARE)
  await traded(carol, EVENTS_MAX / 2)
  const client = await opened(carol)
  const leaves = () => client.socket.timeout(5000).emitWithAck('unsubscribe', { channel: CHANNEL })
  client.socket.emit(CHANNEL, { afterEventId: 0 })
  assert.deepEqual(await leaves(), {})
  const before = client.of('orderEvent').length
  client.socket.emit(CHANNEL, { afterEventId: 0 })
  await client.take('orderEvent', before + 1)
  assert.deepEqual(await leaves(), {})
  const received = client.of('orderEvent').length
  assert.ok(received < EVENTS_MAX, 'it left amid the replay')
  await placed(carol)
  const fence = await listening(on, carol)
  clients.push(fence)
  await fenced(carol, fence)
  assert.equal(client.of('orderEvent').length, received)
  assert.equal(
    client.of('system').filter((stated) => /Replay/.test(JSON.stringify(stated))).length,
    0,
  )
  const { orderEvents } = on.exchange.pipeline.publisher
  fence.close()
  await fence.until(() => fence.ends.length > 0)
  while (on.sockets.openCount > 1) await new Promise(setImmediate)
  assert.throws(
    () => orderEvents.unwatch(carol.profileId),
    'nobody listens for the account any more',
  )
  client.socket.emit(CHANNEL)
  await client.until(() => client.of('system').length === 3)
  await fenced(carol, client)
  assert.equal(client.of('orderEvent').length, received + 1)
})

test('a client whose connection breaks amid a replay leaves nothing behind', async () => {
  const carol = await on.trader(1000 * SHARE)
  await traded(carol, EVENTS_MAX / 2)
  const client = await asks(carol, { afterEventId: 0 })
  await client.take('orderEvent', 1)
  client.close()
  while (on.sockets.openCount > 0) await new Promise(setImmediate)
  const { orderEvents } = on.exchange.pipeline.publisher
  assert.throws(
    () => orderEvents.unwatch(carol.profileId),
    'nobody listens for the account any more',
  )
  const again = await asks(carol, { afterEventId: 0 })
  await again.take('system', 2)
  assert.equal(again.of('orderEvent').length, EVENTS_MAX)
})

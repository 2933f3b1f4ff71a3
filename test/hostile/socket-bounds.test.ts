import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { LIMITS } from '../../engine/domain/limits.ts'
import { armFault, type EdgePoint } from '../../engine/thread/fault-point.ts'
import { exchange } from '../support/exchange.ts'
import { at } from '../support/json-path.ts'
import type { Trader } from '../support/live-exchange.ts'
import { RawClient, type RawHeaders } from '../support/raw-client.ts'
import { JOIN } from '../support/raw-member.ts'
import { handshakeOf, SocketClient, textFrame, upgradeText } from '../support/socket-client.ts'
import '../support/two-edges.ts'

// The bounds on the sockets of an address, of a profile and of anonymous clients, and on what a
// client may make the exchange keep.

const socketBounds = {
  socketsMax: 20,
  anonymousMax: 12,
  perAddressMax: 2,
  perProfileMax: 2,
  marketsPerProfileMax: 3,
  messagesPerSecondMax: 500,
  ownerMessagesMax: 60,
}
const { live: on } = await exchange({
  flags: ['--address-header', 'x-forwarded-for'],
  socketBounds,
})
const raws: RawClient[] = []
const clients: SocketClient[] = []

afterEach(async () => {
  armFault('')
  for (const client of clients.splice(0)) client.close()
  for (const raw of raws.splice(0)) raw.destroy()
  while (on.sockets.openCount > 0) await new Promise(setImmediate)
  const { signed, anonymous } = on.sockets.connectionCounts
  assert.deepEqual([signed, anonymous], [0, 0], 'every closed socket gives its place back')
  assert.equal((await on.send('GET', '/health')).status, 200)
  assert.deepEqual(on.faults.splice(0), [])
})

const by = (address: string) => ({ 'x-forwarded-for': address })
/** Sends an upgrade and waits until `word` has come back. */
async function knocked(headers: RawHeaders, word: string): Promise<RawClient> {
  const raw = new RawClient(on.port)
  raws.push(raw)
  return raw.send(upgradeText(headers)).got(word)
}

async function joined(headers: RawHeaders = {}): Promise<RawClient> {
  const raw = await knocked(headers, '"sid"')
  return raw.send(JOIN).got('40/markets,{')
}

async function signed(trader: Trader): Promise<SocketClient> {
  const headers = handshakeOf(trader, on.nowMs())
  const client = await SocketClient.open(on.port, { headers })
  clients.push(client)
  return client
}

test('an address has a bound on its sockets, and a closed socket frees its place', async () => {
  const first = await joined(by('10.0.0.1'))
  await joined(by('10.0.0.1'))
  const refused = await knocked(by('10.0.0.1'), '"code":"SOCKET_LIMIT"')
  assert.match(refused.received, /^HTTP\/1\.1 429 .*\r\n[\s\S]*retry-after: 10\r\n/)
  await joined(by('10.0.0.2'))
  first.destroy()
  while (on.sockets.openCount > 2) await new Promise(setImmediate)
  await joined(by('10.0.0.1'))
  assert.equal(on.sockets.connectionCounts.refusedFor('address'), 1)
})

test('behind a proxy the address it names counts, whatever the client names', async () => {
  for (const place of [1, 2, 3, 1, 2, 3]) await joined(by(`10.0.0.${place}`))
  // The client's own header line comes first, and the proxy adds another.
  await knocked(
    [
      ['x-forwarded-for', '10.0.0.9'],
      ['x-forwarded-for', '10.0.0.2'],
    ],
    'SOCKET_LIMIT',
  )
  await knocked(by('10.0.0.9, 10.0.0.3'), 'SOCKET_LIMIT')
  // Without the header the peer is the proxy, whose own address has no bound.
  for (const _ of [1, 2, 3]) await joined()
})

test('anonymous sockets cannot take the capacity of signed clients', async () => {
  const traders = await Promise.all([1, 2, 3, 4, 5].map(() => on.trader(0)))
  const [trader] = traders
  const handshake = () => handshakeOf(trader, on.nowMs())
  for (let index = 0; index < 12; index++) await joined()
  const claims = { ...handshake(), 'svc-signature': 'x' }
  const handshakes: RawHeaders[] = [{}, claims, { cookie: 'outcomex_session=x' }]
  for (const headers of handshakes) {
    const refused = await knocked(headers, '"code":"OVERLOADED"')
    assert.match(refused.received, /^HTTP\/1\.1 503 /)
  }
  for (const each of traders.slice(1)) {
    for (const _ of [1, 2]) await (await signed(each)).take('authenticated', 1)
  }
  await knocked(handshake(), '"code":"OVERLOADED"')
  const { connectionCounts } = on.sockets
  assert.deepEqual([connectionCounts.signed, connectionCounts.anonymous], [8, 12])
  assert.deepEqual(
    [connectionCounts.refusedFor('anonymous'), connectionCounts.refusedFor('all')],
    [3, 1],
  )
})

test('a socket above the bound of its profile is refused, and the older ones stay', async () => {
  const [alice, bob] = [await on.trader(0), await on.trader(0)]
  const kept = [await signed(alice), await signed(alice)]
  for (const each of kept) await each.take('authenticated', 1)
  const over = await signed(alice)
  await over.until(() => over.ends.length > 0)
  assert.equal(at(over.of('exception')[0], 'code'), 'SOCKET_LIMIT')
  assert.deepEqual(over.of('authenticated'), [])
  assert.deepEqual(
    kept.flatMap((each) => each.ends),
    [],
  )
  await (await signed(bob)).take('authenticated', 1)
})

test('the sockets of a profile share one bound on subscribed markets', async () => {
  for (const slug of ['rain', 'hail', 'snow']) await on.openMarket(slug)
  const alice = await on.trader(0)
  const [first, second] = [await signed(alice), await signed(alice)]
  const request = (client: SocketClient, marketSlugs: string[]) =>
    client.socket.emit('subscribe_positions', { marketSlugs })
  request(first, ['rain', 'hail'])
  await first.take('positions', 2)
  request(second, ['rain', 'snow'])
  const [refused] = await second.take('exception', 1)
  const { code, channel } = { code: at(refused, 'code'), channel: at(refused, 'channel') }
  assert.deepEqual([code, channel], ['SUBSCRIPTION_LIMIT', 'subscribe_positions'])
  request(second, ['rain'])
  await second.take('positions', 1)
  // A repeated subscription replaces the earlier one, and the markets that it leaves may be used
  // again.
  request(first, ['snow'])
  await first.take('positions', 3)
  request(second, ['rain', 'hail'])
  await second.take('positions', 3)
  // Markets that are added one by one have the same bound, and a name that is there counts once.
  for (const marketSlug of ['rain', 'rain', 'snow']) {
    second.socket.emit('subscribe_positions', { marketSlug })
  }
  const [, over] = await second.take('exception', 2)
  assert.deepEqual([at(over, 'code'), at(over, 'channel')], [code, channel])
  assert.equal(second.of('exception').length, 2)
})

test('the sockets of one owner share one bound on messages', async () => {
  const members = [await joined(by('10.0.0.1')), await joined(by('10.0.0.1'))]
  // Each sends less than one socket may. Together they send too much, however the seconds divide
  // it.
  const messages = 3 * socketBounds.ownerMessagesMax
  assert.ok(messages < socketBounds.messagesPerSecondMax)
  const chatter = Array.from({ length: messages }, () => textFrame('42/markets,["x"]'))
  for (const member of members) member.send(Buffer.concat(chatter))
  const isReceived = ({ received }: RawClient) => received.split('"VALIDATION"').length > messages
  while (!members.every((each) => each.isClosed || isReceived(each))) {
    await new Promise(setImmediate)
  }
  assert.ok(members.some(({ received }) => received.includes('too many messages')))
  assert.ok(on.sockets.connectionCounts.refusedFor('messages') > 0)
})

test('a message that only announces more is refused, and nothing is kept of it', async () => {
  const long = 'x'.repeat(LIMITS.socketControlBytesMax)
  const rows: [title: string, text: string][] = [
    ['an event with attachments', '451-/markets,["x",{"_placeholder":true,"num":0}]'],
    ['an event with a thousand', '451000-/markets,["x"]'],
    ['an answer with attachments', '461-/markets,1[{"_placeholder":true,"num":0}]'],
    ['bytes as text', 'bAAAA'],
    ['a long namespace', `42/${long},["x"]`],
    ['a long namespace to join', `40/${long}`],
    ['a long greeting', `40/markets,{"a":"${long}"}`],
    ['a long pong', `3${long}`],
  ]
  for (const [title, text] of rows) {
    const raw = await joined()
    raw.send(longFrame(text))
    await raw.closed()
    assert.match(raw.received, /not a message of this namespace/, title)
  }
  const raw = await joined()
  raw.send(frameOf(0x82, Buffer.from('x')))
  await raw.closed()
  assert.match(raw.received, /text only/)
})

test('of many joins at once the first succeeds, and none in another namespace', async () => {
  const raw = await knocked({}, '"sid"')
  raw.send(Buffer.concat(Array.from({ length: 20 }, () => textFrame('40/markets,'))))
  await raw.closed()
  assert.equal(raw.received.split('40/markets,{').length - 1, 1)
  const wide = await joined()
  wide.send(Buffer.concat(Array.from({ length: 20 }, (_, place) => textFrame(`40/n${place},`))))
  while (wide.received.split('44/n').length < 21) await new Promise(setImmediate)
})

const EDGES: readonly [point: EdgePoint, isReported: boolean][] = [
  ['at-socket-upgrade', false],
  ['at-socket-join', true],
  ['at-socket-message', true],
  ['at-socket-leave', false],
]
for (const [point, isReported] of EDGES) {
  test(`a fault ${point} costs only that socket`, async () => {
    const [alice, bob] = [await on.trader(0), await on.trader(0)]
    const brisk = await signed(bob)
    await brisk.take('authenticated', 1)
    armFault(`${point}:1`)
    const raw = new RawClient(on.port)
    raws.push(raw)
    raw.send(upgradeText(handshakeOf(alice, on.nowMs())))
    if (point === 'at-socket-upgrade') {
      await raw.closed()
      assert.match(raw.received, /^HTTP\/1\.1 500 [\s\S]*"code":"INTERNAL","faultId":"[0-9a-f]+"/)
    } else {
      await raw.got('"sid"')
      raw.send(JOIN).send(textFrame('42/markets,["subscribe_order_events"]'))
      if (point === 'at-socket-leave') raw.send(textFrame('41/markets,'))
      else await raw.closed()
    }
    while (on.faults.length === 0) await new Promise(setImmediate)
    assert.equal(on.faults.splice(0).length, 1)
    if (isReported) assert.match(raw.received, /"code":"INTERNAL","faultId":"[0-9a-f]+"/)
    brisk.socket.emit('subscribe_order_events')
    await brisk.take('system', 1)
    assert.deepEqual(brisk.ends, [])
    const text = await on.metrics()
    assert.match(text, /outcomex_faults_total\{edge="socket"\} [1-9]/)
  })
}

/** A masked frame with any first byte. */
function frameOf(head: number, payload: Buffer): Buffer {
  const size =
    payload.length < 126
      ? Buffer.from([0x80 | payload.length])
      : Buffer.from([0xfe, payload.length >> 8, payload.length & 0xff])
  return Buffer.concat([Buffer.from([head]), size, Buffer.alloc(4), payload])
}

const longFrame = (text: string) => frameOf(0x81, Buffer.from(text))

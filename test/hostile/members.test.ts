import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { afterEach, test } from 'node:test'
import { ODD_KEYS } from '../fuzz/odd-keys.ts'
import { exchange } from '../support/exchange.ts'
import { listening } from '../support/frame-story.ts'
import { textAt } from '../support/json-path.ts'
import type { LiveExchange, LiveOptions } from '../support/live-exchange.ts'
import { freshSeed, Random } from '../support/random.ts'
import { RawClient } from '../support/raw-client.ts'
import { JOIN, rawMember } from '../support/raw-member.ts'
import { handshakeOf, textFrame, upgradeText } from '../support/socket-client.ts'
import { until } from '../support/until.ts'
import '../support/two-edges.ts'

// Members of the namespace that break the rules: each is disconnected and leaves nothing behind.

let live: LiveExchange | null = null

async function started(options: LiveOptions = {}): Promise<LiveExchange> {
  const { live: opened } = await exchange(options)
  live = opened
  return opened
}
afterEach(async () => {
  assert.ok(live !== null)
  const on = live
  while (on.sockets.openCount > 0) await new Promise(setImmediate)
  // An edge counts its sockets itself, a moment later.
  await until(async () => (await on.gauge('outcomex_sockets_open')) === 0)
  assert.equal((await on.send('GET', '/health')).status, 200)
})

/** A frame of up to 125 bytes with any first byte. */
function frame(first: number, payload: Uint8Array): Buffer {
  const mask = randomBytes(4)
  const bytes = payload.map((byte, at) => byte ^ mask[at & 3])
  return Buffer.concat([Buffer.from([first, 0x80 | payload.length]), mask, bytes])
}

test('a socket that does not join, or answers no ping, is closed in time', async () => {
  const on = await started({ socketWaits: { joinMs: 200, pingMs: 200, pongMs: 100 } })
  const idle = new RawClient(on.port).send(upgradeText())
  const half = new RawClient(on.port).send(upgradeText().slice(0, 60))
  const silent = await rawMember(on.port)
  await Promise.all([idle.closed(), silent.closed()])
  half.destroy()
})

test('pings and pongs count as messages, so a flood of them ends the socket', async () => {
  const on = await started()
  for (const opcode of [0x89, 0x8a]) {
    const raw = await rawMember(on.port)
    const flood = Buffer.concat(Array.from({ length: 200 }, () => frame(opcode, randomBytes(125))))
    raw.send(flood)
    await raw.closed()
    assert.match(raw.received, /too many messages/)
  }
})

test('an invalid frame ends its own connection and no other', async () => {
  const on = await started()
  const trader = await on.trader(0)
  const brisk = await listening(on, trader)
  const text = Buffer.from('42/markets,["unsubscribe",{"channel":"x"}]')
  const rows: [title: string, bytes: Buffer][] = [
    ['a reserved opcode', frame(0x83, text)],
    ['reserved bits', frame(0xf1, text)],
    ['a fragmented ping', frame(0x09, text)],
    ['a continuation without a beginning', frame(0x80, text)],
    ['text that is not UTF-8', frame(0x81, Buffer.from([0x34, 0x32, 0xff, 0xfe]))],
    ['more bytes than allowed', Buffer.from([0x81, 0xff, 0, 0, 0, 1, 0, 0, 0, 0, 1, 2, 3, 4])],
    ['a second join', JOIN],
    ['an event of another namespace', textFrame('42/other,["x"]')],
    ['an ack of no event, with a payload that is no list', textFrame('43/markets,7{"a":1}')],
  ]
  for (const [title, bytes] of rows) {
    const raw = await rawMember(on.port, handshakeOf(trader, on.nowMs()))
    raw.send(textFrame('42/markets,["subscribe_order_events"]')).send(bytes)
    await raw.closed()
    assert.equal(raw.isClosed, true, title)
  }
  assert.deepEqual(brisk.ends, [])
  brisk.close()
})

test('an object of a client is never taken for an internal one, whatever its keys', async () => {
  const on = await started()
  const trader = await on.trader(0)
  const channels = [
    'subscribe_order_events',
    'subscribe_positions',
    'subscribe_transactions',
    'cancel_on_disconnect',
  ]
  for (const key of ODD_KEYS) {
    const payload: object = JSON.parse(`{${JSON.stringify(key)}:1}`)
    const client = await listening(on, trader)
    for (const channel of channels) client.socket.emit(channel, payload)
    const answer: unknown = await client.socket.timeout(5000).emitWithAck('unsubscribe', payload)
    assert.match(textAt(answer, 'error'), /^channel must/)
    const named = { ...payload, channel: channels[0] }
    const left: unknown = await client.socket.timeout(5000).emitWithAck('unsubscribe', named)
    const isRefused = key.startsWith('market')
    const error = 'marketSlugs must be a list of market slugs'
    assert.deepEqual(left, isRefused ? { error } : {}, key)
    assert.deepEqual(client.ends, [], key)
    client.close()
  }
})

test('a socket that joins and leaves again and again is one member, and then none', async () => {
  const on = await started()
  const raw = await rawMember(on.port, handshakeOf(await on.trader(0), on.nowMs()))
  for (let round = 0; round < 10; round++) {
    raw.send(textFrame('42/markets,["subscribe_order_events"]'))
    raw.send(textFrame('41/markets,')).send(JOIN)
  }
  await raw.got('40/markets,{', 11)
  assert.equal(on.sockets.openCount, 1)
  raw.destroy()
})

test('members that disconnect after any byte leave nothing behind', async () => {
  const on = await started()
  const random = new Random(freshSeed())
  const headers = handshakeOf(await on.trader(0), on.nowMs())
  const whole = Buffer.concat([
    Buffer.from(upgradeText(headers)),
    JOIN,
    textFrame('42/markets,["subscribe_order_events"]'),
    textFrame('42/markets,["subscribe_transactions",{}]'),
    textFrame('42/markets,["subscribe_positions",{"marketSlugs":[]}]'),
    textFrame('42/markets,1["unsubscribe",{"channel":"subscribe_transactions"}]'),
  ])
  for (let wave = 0; wave < 4; wave++) {
    const members = Array.from({ length: 50 }, () => {
      return new RawClient(on.port).send(whole.subarray(0, 1 + random.below(whole.length)))
    })
    for (const member of members) {
      if (random.below(2) === 0) await new Promise(setImmediate)
      if (random.below(2) === 0) member.destroy()
      else member.finish()
    }
    for (const member of members) member.destroy()
  }
})

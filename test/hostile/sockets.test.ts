import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { signCall } from '../../server/auth/hmac-signature.ts'
import { exchange } from '../support/exchange.ts'
import { at } from '../support/json-path.ts'
import { orderBody } from '../support/live-orders.ts'
import { RawClient } from '../support/raw-client.ts'
import { accepted } from '../support/replies.ts'

// Connections that break the rules while they send real orders. An order is durable or was never
// taken.

const START_RAW = 1_000_000_000
const COST_RAW = 500_000
const HOST = 'Host: x\r\n'
const HEALTH = `GET /health HTTP/1.1\r\n${HOST}\r\n`
const { live, rain, alice } = await exchange({
  flags: ['--edge-threads', '1'],
  markets: ['rain'],
  traders: { alice: START_RAW },
})
let orders = 0

/** Waits until no call is under way: the edge thread has read what was sent before this call. */
async function settled(): Promise<void> {
  assert.equal((await live.send('GET', '/health')).status, 200)
  await live.idle()
}

afterEach(async () => {
  await settled()
  assert.equal(await live.gauge('outcomex_replies_waiting'), 0)
  const { freeRaw, reservedRaw } = live.balances(alice)
  assert.equal(freeRaw + reservedRaw, START_RAW)
  assert.equal(reservedRaw, (await liveIds()).length * COST_RAW, 'the reserve matches the orders')
})

/** Waits until nothing is under way; the deadline of the file ends an endless wait. */
async function liveIds(): Promise<unknown[]> {
  const reply = await live.call(alice, 'GET', '/markets/rain/user-orders?limit=200')
  assert.ok(Array.isArray(reply.body), reply.text)
  return reply.body.map((order) => at(order, 'clientOrderId'))
}

const client = () => new RawClient(live.port)

function signedText(method: string, path: string, body: string): string {
  const timestamp = new Date(live.nowMs()).toISOString()
  const secret = Buffer.from(alice.secret, 'base64')
  const bytes = Buffer.from(body)
  const call = { secret, timestamp, method, pathWithQuery: path, body: bytes }
  const length = body === '' ? '' : `Content-Length: ${bytes.length}\r\n`
  return (
    `${method} ${path} HTTP/1.1\r\n${HOST}${length}svc-api-key: ${alice.tokenId}\r\n` +
    `svc-timestamp: ${timestamp}\r\nsvc-signature: ${signCall(call)}\r\n\r\n${body}`
  )
}

/** The text of a valid order that will rest, and its client id. */
function orderText(): { name: string; text: string } {
  const name = `order-${++orders}`
  const body = { ...orderBody(alice, rain, { sizeRaw: 1_000_000 }), clientOrderId: name }
  return { name, text: signedText('POST', '/orders', JSON.stringify(body)) }
}

test('an order whose client leaves at once is durable or was never taken', async () => {
  const before = await liveIds()
  const sent = Array.from({ length: 30 }, orderText)
  for (const [index, { text }] of sent.entries()) {
    const socket = client()
    // Some leave inside the head, some inside the body, some with the last byte.
    const cut = index % 3 === 0 ? text.length : Math.floor((text.length * (index % 7)) / 7)
    await new Promise<void>((resolve) => socket.write(text.slice(0, cut), resolve))
    socket.destroy()
  }
  await settled()
  const known = new Set(await liveIds())
  for (const { name } of sent) {
    const cancel = await live.call(alice, 'POST', '/orders/cancel', { clientOrderId: name })
    assert.equal(cancel.status, known.has(name) ? 200 : 404, cancel.text)
  }
  assert.deepEqual(await liveIds(), before)
})

test('an order whose client only half closes is taken once', async () => {
  const { name, text } = orderText()
  const received = await client().send(text).finish().closed()
  assert.match(received, /^$|^HTTP\/1\.1 201 /)
  await settled()
  const cancel = await live.call(alice, 'POST', '/orders/cancel', { clientOrderId: name })
  assert.ok(cancel.status === 200 || received === '', cancel.text)
})

test('reads that an edge thread answers itself may be pipelined', async () => {
  const paths = ['/markets/rain/orderbook', '/time', '/markets/rain', '/exchange-info']
  const reads = paths.map((path) => `GET ${path} HTTP/1.1\r\n${HOST}\r\n`)
  // The core gives the bytes of each with its first reply.
  for (const read of reads) await client().send(read).replies(1)
  const replies = await client().send(reads.join('').repeat(20)).replies(80)
  assert.equal(replies.length, 80)
  for (const reply of replies) assert.match(reply, /^HTTP\/1\.1 200 OK/)
})

test('a read pipelined behind one that waits for the core ends the connection', async () => {
  assert.equal(await client().send(HEALTH.repeat(3)).closed(), '')
})

test('a request pipelined behind an order may end the connection, not the order', async () => {
  for (let round = 0; round < 8; round++) {
    const first = orderText()
    const second = orderText()
    const replies = await client()
      .send(first.text + second.text + HEALTH)
      .finish()
      .closed()
    await settled()
    const known = new Set(await liveIds())
    for (const { name } of [first, second]) {
      if (replies.includes(name)) assert.ok(known.has(name), 'an acknowledged order exists')
    }
  }
  await accepted(live.call(alice, 'DELETE', '/orders/all/rain'))
})

test('an order sent byte by byte is taken; an unfinished one is dropped in time', async () => {
  const { name, text } = orderText()
  const slow = client()
  // The native parser answers 505 to a request line in pieces (uWebSockets issue 1776).
  const lineEnd = text.indexOf('\n') + 1
  const pieces = [text.slice(0, lineEnd), ...text.slice(lineEnd)]
  for (const piece of pieces) await new Promise<void>((sent) => slow.write(piece, sent))
  const [reply] = await slow.replies(1)
  assert.match(reply, /^HTTP\/1\.1 201 /)
  slow.destroy()
  const stopped = orderText()
  const received = await client().send(stopped.text.slice(0, -1)).closed()
  assert.match(received, /^HTTP\/1\.1 408 /)
  assert.match(received, /"code":"BODY_TIMEOUT"/)
  const ids = await liveIds()
  assert.ok(ids.includes(name) && !ids.includes(stopped.name))
})

test('a body longer than announced, or than allowed, does not become an order', async () => {
  const { name, text } = orderText()
  const short = text.replace(/Content-Length: \d+/, 'Content-Length: 20')
  assert.match(await client().send(short).finish().closed(), /^$|^HTTP\/1\.1 [45]/)
  const both = text.replace('Content-Length', 'Transfer-Encoding: chunked\r\nContent-Length')
  assert.match(await client().send(both).finish().closed(), /^$|^HTTP\/1\.1 [45]/)
  const twice = text.replace('Content-Length', 'Content-Length: 20\r\nContent-Length')
  assert.match(await client().send(twice).finish().closed(), /^$|^HTTP\/1\.1 [45]/)
  const huge = text.replace(/Content-Length: \d+/, 'Content-Length: 999999999999')
  assert.match(await client().send(huge).closed(), /^HTTP\/1\.1 413 /)
  assert.ok(!(await liveIds()).includes(name))
})

test('floods of headers and garbage are refused or cut off', async () => {
  const floods = [
    `GET /health HTTP/1.1\r\n${HOST}${'a: b\r\n'.repeat(5000)}\r\n`,
    `GET /health HTTP/1.1\r\n${HOST}svc-api-key: ${'a'.repeat(1 << 17)}\r\n\r\n`,
    `GET /${'a'.repeat(1 << 17)} HTTP/1.1\r\n${HOST}\r\n`,
    '\u0016\u0003\u0001\u0002\u0000\u0001\u0000',
    `POST /orders HTTP/1.1\r\n${HOST}Expect: 100-continue\r\nContent-Length: 5\r\n\r\n`,
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  ]
  for (const flood of floods) {
    const received = await client().send(flood).finish().closed()
    assert.match(received, /^$|^HTTP\/1\.1 [145]/)
    assert.doesNotMatch(received, /^HTTP\/1\.1 500/)
  }
})

test('thousands of connections that come and go leave nothing behind', async () => {
  for (let wave = 0; wave < 15; wave++) {
    const sockets = Array.from({ length: 150 }, client)
    for (const [index, socket] of sockets.entries()) {
      if (index % 3 === 0) socket.send(HEALTH.slice(0, 5 + (index % 40)))
      if (index % 3 === 1) socket.send(signedText('GET', '/markets/rain/user-orders', ''))
    }
    for (const [index, socket] of sockets.entries()) {
      if (index % 2 === 0) socket.destroy()
      else socket.finish()
    }
    await Promise.all(sockets.map((socket) => socket.closed()))
  }
})

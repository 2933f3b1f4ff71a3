import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { LIMITS } from '../../engine/domain/limits.ts'
import { api } from '../../server/api/routes.ts'
import { signCall } from '../../server/auth/hmac-signature.ts'
import { EdgeThread } from '../../server/edge/threads/edge-thread.ts'
import { exchange } from '../support/exchange.ts'
import { at } from '../support/json-path.ts'
import { orderBody } from '../support/live-orders.ts'
import { cookieOf, login, newWallet } from '../support/live-session.ts'
import { RawClient } from '../support/raw-client.ts'
import '../support/two-edges.ts'

// Real calls in odd frames. A call is executed and answered, or neither.

const HOST = 'Host: x\r\n'
const HEALTH = `GET /health HTTP/1.1\r\n${HOST}\r\n`
const SHARE_RAW = 1_000_000
const { live, rain, alice } = await exchange({
  markets: ['rain'],
  traders: { alice: 1_000_000_000 },
})
let orders = 0

afterEach(async () => {
  await live.idle()
  assert.equal((await live.send('GET', '/health')).status, 200)
})

/** Waits until nothing is under way; the deadline of the file ends an endless wait. */
const client = () => new RawClient(live.port)

/** The lines that prove a call of Alice. */
function proofOf(method: string, path: string, body: string): string {
  const timestamp = new Date(live.nowMs()).toISOString()
  const secret = Buffer.from(alice.secret, 'base64')
  const call = { secret, timestamp, method, pathWithQuery: path, body: Buffer.from(body) }
  return (
    `svc-api-key: ${alice.tokenId}\r\nsvc-timestamp: ${timestamp}\r\n` +
    `svc-signature: ${signCall(call)}\r\n`
  )
}

function signedText(method: string, path: string, body: string, framing?: string): string {
  const lines = framing ?? `Content-Length: ${Buffer.byteLength(body)}\r\n`
  return `${method} ${path} HTTP/1.1\r\n${HOST}${lines}${proofOf(method, path, body)}\r\n`
}

interface Sent {
  readonly name: string
  readonly text: string
}

function orderJson(): { readonly name: string; readonly order: object } {
  const name = `framed-${++orders}`
  const order = { ...orderBody(alice, rain, { sizeRaw: SHARE_RAW }), clientOrderId: name }
  return { name, order }
}

function orderText(): Sent {
  const { name, order } = orderJson()
  const body = JSON.stringify(order)
  return { name, text: signedText('POST', '/orders', body) + body }
}

function batchText(): Sent {
  const all = [orderJson(), orderJson()]
  const body = JSON.stringify({ orders: all.map(({ order }) => order) })
  return { name: all[0].name, text: signedText('POST', '/orders/batch', body) + body }
}

function replaceText(): Sent {
  const { name, order } = orderJson()
  const cancel = { clientOrderId: 'framed-0' }
  const body = JSON.stringify({ cancel, replacement: order, mode: 'ALLOW_FAILURE' })
  return { name, text: signedText('POST', '/orders/cancel-replace', body) + body }
}

async function liveNames(): Promise<ReadonlySet<unknown>> {
  const reply = await live.call(alice, 'GET', '/markets/rain/user-orders?limit=200')
  assert.ok(Array.isArray(reply.body), reply.text)
  return new Set(reply.body.map((order) => at(order, 'clientOrderId')))
}

test('an order in chunks is 411 and never placed, whatever its trailer is', async () => {
  const { name, order } = orderJson()
  const body = JSON.stringify(order)
  const size = Buffer.byteLength(body).toString(16)
  for (const end of [
    '0\r\n\r\n',
    '0\r\nX: 1\r\n\r\n',
    `0\r\n${HEALTH}`,
    `0\r\n${orderText().text}`,
  ]) {
    const head = signedText('POST', '/orders', body, 'Transfer-Encoding: chunked\r\n')
    const received = await client().send(`${head}${size}\r\n${body}\r\n${end}`).closed()
    assert.match(received, /^HTTP\/1\.1 411 [\s\S]*"code":"LENGTH_REQUIRED"/, end)
    assert.equal(received.match(/HTTP\/1\.1 /g)?.length, 1, end)
  }
  await live.idle()
  assert.equal((await liveNames()).has(name), false)
})

test('an order without a length never runs its body as a call of its own', async () => {
  const hidden = orderText()
  const head = signedText('POST', '/orders', hidden.text, 'Content-Length:\r\n')
  const received = await client()
    .send(head + hidden.text)
    .closed()
  assert.match(received, /^HTTP\/1\.1 400 [\s\S]*"code":"BODY_MALFORMED"/)
  await live.idle()
  assert.equal((await liveNames()).has(hidden.name), false)
})

test('an order with a call behind it in the same bytes is not placed without a reply', async () => {
  for (const make of [orderText, batchText, replaceText]) {
    for (const next of [HEALTH, orderText().text, `GET / HTTP/1.0\r\n${HOST}\r\n`]) {
      const sent = make()
      const received = await client()
        .send(sent.text + next)
        .closed()
      await live.idle()
      const isAnswered = received.includes(sent.name)
      assert.equal((await liveNames()).has(sent.name), isAnswered, received)
    }
  }
})

test('a split with a call behind it in the same bytes is not made without a reply', async () => {
  await splitAndMore()
})

test('nor is a split, when the core takes the frames of an edge one by one', async (context) => {
  const { drain } = EdgeThread.prototype
  EdgeThread.prototype.drain = function inSlices(): void {
    drain.call(this, 0)
  }
  context.after(() => {
    EdgeThread.prototype.drain = drain
  })
  await splitAndMore()
})

async function splitAndMore(): Promise<void> {
  const before = live.balances(alice)
  const { body: shown } = await live.send('GET', '/markets/rain')
  const conditionId = at(shown, 'conditionId')
  const body = JSON.stringify({ conditionId, amount: `${SHARE_RAW}` })
  const split = () => signedText('POST', '/portfolio/split', body) + body
  for (const next of [HEALTH, split(), `GET / HTTP/1.0\r\n${HOST}\r\n`]) {
    const received = await client()
      .send(split() + next)
      .closed()
    assert.doesNotMatch(received, /HTTP\/1\.1 2/)
    await live.idle()
    assert.deepEqual(live.balances(alice), before)
  }
  const raw = client().send(split())
  await raw.replies(1)
  assert.match(raw.received, /^HTTP\/1\.1 20/)
  raw.send(HEALTH)
  await raw.replies(2)
  raw.destroy()
}

test('the longest query fits, with a cookie and a signature', async () => {
  const { orderbooksMax, slugCharactersMax } = LIMITS
  const slugs = Array.from({ length: orderbooksMax }, (_, index) =>
    `no-${index}-`.padEnd(slugCharactersMax, 'x'),
  )
  const cookie = cookieOf(await login(live, newWallet()))
  for (const comma of [',', '%2C']) {
    const path = `/markets/orderbooks?slugs=${slugs.join(comma)}`
    const lines = `${HOST}Cookie: ${cookie}\r\n${proofOf('GET', path, '')}`
    const [reply] = await client().send(`GET ${path} HTTP/1.1\r\n${lines}\r\n`).replies(1)
    assert.match(reply, /^HTTP\/1\.1 200 /)
    assert.equal(JSON.parse(reply.split('\r\n\r\n')[1]).missing.length, orderbooksMax)
  }
})

/** A character of a query takes up to 12 bytes: 4 of UTF-8, each percent-encoded. */
const ENCODED_BYTES = 12

test('no text of a path or a query may be longer than what a head holds', () => {
  const headersBytes = 3072
  for (const route of api) {
    for (const [name, schema] of Object.entries({ ...route.params, ...route.query })) {
      const keywords: Readonly<Record<string, unknown>> = { ...schema }
      const maxLength = Number(keywords.maxLength ?? 0)
      const isOfSlugs = maxLength === LIMITS.querySlugsCharactersMax
      const bytes = isOfSlugs ? maxLength + 2 * LIMITS.orderbooksMax : maxLength * ENCODED_BYTES
      const text = `${name} of ${route.path} takes ${bytes} bytes`
      assert.ok(route.path.length + bytes + headersBytes < LIMITS.headBytesMax, text)
    }
  }
})

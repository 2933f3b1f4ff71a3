import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LIMITS } from '../../../../../engine/domain/limits.ts'
import { ADDRESS_RATES, RateLimiter } from '../../../../../server/edge/http/access/rate-limit.ts'
import type { BulkheadSizes } from '../../../../../server/edge/http/gateway/bulkheads.ts'
import { RawClient } from '../../../../support/raw-client.ts'
import { startToys, type ToyExchange } from './toy-exchange.ts'

// One caller's bytes never cost another caller. Each bound is small here and is tried at its edge.

const PROXY = 'x-forwarded-for'

function request(line: string, from: string, headers = '', body = ''): string {
  const length = body === '' ? '' : `content-length: ${body.length}\r\n`
  return `${line} HTTP/1.1\r\nhost: x\r\n${PROXY}: ${from}\r\n${headers}${length}\r\n${body}`
}

/** Toys with bulkheads of these sizes; a header names the address of each caller. */
function bounded(
  bulkheads: Partial<BulkheadSizes>,
  options: Partial<Parameters<typeof startToys>[0]> = {},
): Promise<ToyExchange> {
  return startToys({
    bulkheads: { ...LIMITS.bulkheads, ...bulkheads },
    addressLimiter: new RateLimiter<string>(ADDRESS_RATES),
    addressHeader: PROXY,
    ...options,
  })
}

async function reply(toys: ToyExchange, text: string): Promise<string> {
  const client = new RawClient(toys.port).send(text)
  const [first] = await client.replies(1)
  client.destroy()
  return first
}

const status = (text: string) => Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1])
const code = (text: string) => /"code":"([A-Z_]+)"/.exec(text)?.[1]

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise(setImmediate)
}

const ALICE = 'svc-api-key: alice\r\n'
const BOB = 'svc-api-key: bob\r\n'
const SLOW_ORDER = 'POST /orders/1/slow'

test('a full bulkhead refuses calls of its kind with 503 and no other kind', async () => {
  const toys = await bounded({ orders: { all: 2, address: 2, profile: 2 } })
  const slow = [ALICE, ALICE].map((who) =>
    new RawClient(toys.port).send(request(SLOW_ORDER, '10.0.0.1', who)),
  )
  await toys.waiting(2)
  const refused = await reply(toys, request(SLOW_ORDER, '10.0.0.2', BOB))
  assert.deepEqual([status(refused), code(refused)], [503, 'OVERLOADED'])
  assert.match(refused, /\r\nretry-after: 1\r\n/)
  // This call is refused before its body is read.
  const unread = 'POST /orders/1 HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n'
  assert.equal(status(await reply(toys, unread)), 503)
  for (const other of ['GET /health', 'GET /markets/btc/echo', 'DELETE /orders/1']) {
    assert.equal(status(await reply(toys, request(other, '10.0.0.1', ALICE))), 200, other)
  }
  toys.release()
  for (const client of slow) assert.equal(status((await client.replies(1))[0]), 200)
  assert.equal(toys.gateway.inFlight, 0)
  for (const client of slow) client.destroy()
  await toys.gateway.stop()
})

test('an address that has used its share of a bulkhead gets 429; others are served', async () => {
  const toys = await bounded({ orders: { all: 9, address: 2, profile: 9 } })
  const slow = [1, 2].map(() =>
    new RawClient(toys.port).send(request(SLOW_ORDER, '10.0.0.1', ALICE)),
  )
  await toys.waiting(2)
  const refused = await reply(toys, request(SLOW_ORDER, '10.0.0.1', BOB))
  assert.deepEqual([status(refused), code(refused)], [429, 'RATE_LIMITED'])
  assert.match(refused, /\r\nretry-after: 1\r\n/)
  const other = new RawClient(toys.port).send(request(SLOW_ORDER, '10.0.0.2', ALICE))
  await toys.waiting(3)
  toys.release()
  for (const client of [...slow, other]) {
    assert.equal(status((await client.replies(1))[0]), 200)
    client.destroy()
  }
  await toys.gateway.stop()
})

test('a profile that has used its share of a bulkhead gets 429 from every address', async () => {
  const toys = await bounded({ orders: { all: 9, address: 9, profile: 2 } })
  const slow = [1, 2].map((each) =>
    new RawClient(toys.port).send(request(SLOW_ORDER, `10.0.0.${each}`, ALICE)),
  )
  await toys.waiting(2)
  const refused = await reply(toys, request(SLOW_ORDER, '10.0.0.3', ALICE))
  assert.deepEqual([status(refused), code(refused)], [429, 'RATE_LIMITED'])
  const other = new RawClient(toys.port).send(request(SLOW_ORDER, '10.0.0.3', BOB))
  await toys.waiting(3)
  toys.release()
  for (const client of [...slow, other]) {
    assert.equal(status((await client.replies(1))[0]), 200)
    client.destroy()
  }
  assert.equal(status(await reply(toys, request('POST /orders/1', '10.0.0.1', ALICE))), 400)
  await toys.gateway.stop()
})

test('bodies under way have a bound in total and for each address', async () => {
  const toys = await bounded({ bodies: { all: 3, address: 2, profile: 3 } })
  const head = (from: string) =>
    `${request('POST /orders/1', from, `${ALICE}content-length: 12\r\n`)}`
  const open = ['10.0.0.1', '10.0.0.1'].map((from) => new RawClient(toys.port).send(head(from)))
  const kept = (count: number) => until(() => toys.gateway.inFlight >= count)
  await kept(2)
  const refused = await reply(toys, head('10.0.0.1'))
  assert.deepEqual([status(refused), code(refused)], [429, 'RATE_LIMITED'])
  open.push(new RawClient(toys.port).send(head('10.0.0.2')))
  await kept(3)
  const full = await reply(toys, head('10.0.0.3'))
  assert.deepEqual([status(full), code(full)], [503, 'OVERLOADED'])
  for (const other of ['GET /health', 'GET /markets/btc/echo', 'DELETE /orders/1']) {
    assert.equal(status(await reply(toys, request(other, '10.0.0.1', ALICE))), 200, other)
  }
  // A body that is complete gives its place back.
  for (const client of open) client.send('{"note":"a"}')
  for (const client of open) {
    assert.equal(status((await client.replies(1))[0]), 201)
    client.destroy()
  }
  assert.equal(toys.gateway.inFlight, 0)
  await toys.gateway.stop()
})

test('a body without a first byte in time gets 408; a begun body has more time', async () => {
  const toys = await bounded({}, { bodyFirstMs: 50, bodyDeadlineMs: 60_000 })
  const head = request('POST /orders/1', '10.0.0.1', `${ALICE}content-length: 12\r\n`)
  const begun = new RawClient(toys.port).send(`${head}{`)
  const silent = new RawClient(toys.port).send(head)
  await silent.closed()
  assert.match(silent.received, /^HTTP\/1\.1 408 .*"code":"BODY_TIMEOUT"/s)
  const [placed] = await begun.send('"note":"a"}').replies(1)
  assert.equal(status(placed), 201)
  begun.destroy()
  await toys.gateway.stop()
})

test('a stop refuses incomplete bodies and does not wait for them', async () => {
  const toys = await bounded({}, { bodyFirstMs: 60_000, bodyDeadlineMs: 60_000 })
  const head = request('POST /orders/1', '10.0.0.1', `${ALICE}content-length: 12\r\n`)
  const begun = new RawClient(toys.port).send(`${head}{`)
  await until(() => toys.gateway.inFlight > 0)
  await toys.gateway.stop()
  await begun.closed()
  assert.match(begun.received, /^HTTP\/1\.1 503 .*"code":"NOT_READY"/s)
})

test('long replies arrive whole, and unread replies do not pile up', async () => {
  const toys = await bounded({})
  for (const path of ['/document', '/wide', '/joined']) {
    const text = await (await fetch(`${toys.url}${path}`)).text()
    assert.ok(text.length >= 300_000, path)
    assert.ok(Array.isArray(JSON.parse(text)), path)
  }
  const rssBefore = process.memoryUsage().rss
  const requested = request('GET /document', '10.0.0.1').repeat(3000)
  const sleeper = new RawClient(toys.port).pause().send(requested)
  // A request behind a reply that is not yet sent ends the connection.
  await until(() => toys.seen.length > 2 && toys.gateway.inFlight === 0)
  assert.ok(toys.seen.length < 300, `${toys.seen.length} calls were taken`)
  const grownMb = (process.memoryUsage().rss - rssBefore) / 2 ** 20
  assert.ok(grownMb < 100, `unread replies cost ${Math.round(grownMb)} MB`)
  sleeper.destroy()
  await toys.gateway.stop()
})

// The longer one is joined in pieces.
for (const size of [800_000, 3_000_000])
  test(`a reply of ${size} that waits for its reader is kept apart from later ones`, async () => {
    const toys = await bounded({})
    const send = (fill: string) => request(`GET /joined?size=${size}&fill=${fill}`, '10.0.0.1')
    const filled = (fill: string) => new RegExp(`","${fill}+"\\]$`)
    const slow = new RawClient(toys.port).pause()
    let requested = 0
    // The kernel takes the first ones whole.
    while (toys.gateway.inFlight === 0) {
      slow.send(send('a'))
      requested++
      await until(() => toys.seen.length === requested)
    }
    const quick = new RawClient(toys.port).send(send('b'))
    const [other] = await quick.replies(1)
    assert.match(other, filled('b'))
    const replies = await slow.resume().replies(requested)
    assert.equal(replies.length, requested)
    for (const each of replies) assert.match(each, filled('a'))
    for (const client of [slow, quick]) client.destroy()
    await toys.gateway.stop()
  })

for (const path of ['/wide', '/joined'])
  test(`unread replies of ${path} have a bound: past it the slow reader is cut off`, async () => {
    const bytes = 8 << 20
    const toys = await bounded({}, { unreadReplyBytes: { all: bytes * 3.5, address: bytes * 2 } })
    const send = (from: string) =>
      new RawClient(toys.port).pause().send(request(`GET ${path}?size=${bytes}`, from))
    const sleepers = ['10.0.0.1', '10.0.0.1', '10.0.0.2'].map(send)
    await toys.ended(3)
    // The whole second reply exceeds the bound of the address.
    assert.equal(toys.gateway.inFlight, 2)
    sleepers.push(send('10.0.0.3'))
    await toys.ended(4)
    assert.equal(toys.gateway.inFlight, 3)
    sleepers.push(send('10.0.0.4'))
    await toys.ended(5)
    assert.equal(toys.gateway.inFlight, 3)
    for (const client of sleepers) client.destroy()
    await until(() => toys.gateway.inFlight === 0)
    const text = await (await fetch(`${toys.url}${path}?size=${bytes}`)).text()
    assert.ok(text.length > bytes)
    await toys.gateway.stop()
  })

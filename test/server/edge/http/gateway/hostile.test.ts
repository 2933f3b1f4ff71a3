import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { RawClient } from '../../../../support/raw-client.ts'
import { BODY_MAX, startToys, type ToyExchange } from './toy-exchange.ts'

// Clients that break the rules. The exchange must answer the next client after each of them.

const HOST = 'Host: toys\r\n'
const KEY = 'svc-api-key: alice\r\n'
const OK = `GET /markets/active/slugs HTTP/1.1\r\n${HOST}\r\n`

let toys: ToyExchange
before(async () => {
  toys = await startToys()
})
after(async () => {
  await toys.gateway.stop()
})
afterEach(async () => {
  const [reply] = await client().send(OK).replies(1)
  assert.match(reply, /^HTTP\/1\.1 200 OK\r\n[\s\S]*\["btc"\]$/)
  assert.equal(toys.gateway.inFlight, 0)
  assert.deepEqual(toys.faults, [])
})

function client(): RawClient {
  return new RawClient(toys.port)
}

function posting(path: string, headers: string, body: string): string {
  return `POST ${path} HTTP/1.1\r\n${HOST}${KEY}${headers}\r\n${body}`
}

test('garbage is refused and its connection closed', async () => {
  const garbage = [
    'garbage\r\n\r\n',
    '\u0000\u0001\u0002\r\n\r\n',
    'GET / HTTP/9.9\r\n\r\n',
    `GET http://toys/ HTTP/1.1\r\n${HOST}\r\n`,
    `GET / HTTP/1.0\r\n${HOST}\r\n`,
    'GET / HTTP/1.1\r\n\r\n',
    `GET / HTTP/1.1\r\n${HOST}no colon\r\n\r\n`,
    posting('/raw', 'Content-Length: -5\r\n', ''),
    posting('/raw', 'Content-Length: 5x\r\n', 'hello'),
    posting('/raw', 'Transfer-Encoding: chunked\r\nContent-Length: 5\r\n', '0\r\n\r\n'),
    posting('/raw', 'Transfer-Encoding: chunked\r\n', 'zz\r\nhello\r\n0\r\n\r\n'),
    posting('/raw', 'Content-Length: 5\r\nContent-Length: 6\r\n', 'hello!'),
  ]
  for (const bytes of garbage) {
    const received = await client().send(bytes).finish().closed()
    assert.match(received, /^$|^HTTP\/1\.1 (400|411|431|505) /, JSON.stringify(bytes))
  }
})

test('a flood of headers is refused, in size and in number', async () => {
  const big = await client()
    .send(`GET / HTTP/1.1\r\n${HOST}x: ${'a'.repeat(1 << 20)}\r\n\r\n`)
    .closed()
  assert.match(big, /^$|^HTTP\/1\.1 431 /)
  const many = Array.from({ length: 2000 }, (_, index) => `h${index}: 1\r\n`).join('')
  assert.match(
    await client().send(`GET / HTTP/1.1\r\n${HOST}${many}\r\n`).closed(),
    /^$|^HTTP\/1\.1 4/,
  )
})

test('pipelined requests that need no waiting are all answered in order', async () => {
  const body = '{"note":"a"}'
  const raw = posting('/raw?', `Content-Length: ${body.length}\r\n`, body)
  const login = posting('/auth/login', 'Content-Length: 2\r\n', '{}')
  const replies = await client()
    .send([OK, login, `GET /nope HTTP/1.1\r\n${HOST}\r\n`, raw, OK].join(''))
    .replies(5)
  const statuses = replies.map((reply) => reply.slice(9, 12))
  assert.deepEqual(statuses, ['200', '207', '404', '200', '200'])
  assert.match(replies[3], /"target":"\/raw\?"/)
})

test('a connection stays usable after a HEAD', async () => {
  const head = OK.replace('GET', 'HEAD')
  const lost = `HEAD /nope HTTP/1.1\r\n${HOST}\r\n`
  const all = await client().send([head, lost, OK].join('')).finish().closed()
  assert.deepEqual(all.match(/HTTP\/1\.1 [0-9]{3}/g), [
    'HTTP/1.1 200',
    'HTTP/1.1 404',
    'HTTP/1.1 200',
  ])
  assert.equal(all.match(/content-length: 7\r\n/gi)?.length, 2)
  const long = client().send(
    posting('/orders/1', `Content-Length: ${BODY_MAX + 1}\r\n`, '').replace('POST', 'HEAD'),
  )
  assert.match(await long.closed(), /^HTTP\/1\.1 4/)
})

test('bytes behind a body with two lengths are never read as a request', async () => {
  for (const [framing, answer] of [
    [
      'Content-Length: 2\r\nContent-Length: 40\r\n',
      /^HTTP\/1\.1 400 [\s\S]*"code":"BODY_MALFORMED"/,
    ],
    ['Transfer-Encoding: xchunked\r\n', /^HTTP\/1\.1 411 [\s\S]*"code":"LENGTH_REQUIRED"/],
    [
      'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n',
      /^HTTP\/1\.1 411 [\s\S]*"code":"LENGTH_REQUIRED"/,
    ],
  ] as const) {
    const isChunked = framing.startsWith('Transfer')
    const body = isChunked ? '2\r\n{}\r\n0\r\n\r\n' : '{}'
    const seen = toys.seen.length
    const smuggled = await client()
      .send(posting('/raw', framing, `${body}${OK}`))
      .closed()
    assert.doesNotMatch(smuggled, /HTTP\/1\.1 200/, framing)
    const alone = await client()
      .send(posting('/raw', framing, body))
      .closed()
    assert.match(alone, answer, framing)
    assert.deepEqual(
      toys.seen.slice(seen).filter(({ call }) => call.method === 'GET'),
      [],
    )
  }
})

test('a request pipelined behind a waiting one ends the connection; no call hangs', async () => {
  const impatient = client().send(`POST /slow HTTP/1.1\r\n${HOST}\r\n${OK}`)
  assert.equal(await impatient.closed(), '')
  toys.release()
  const before = toys.seen.length
  await toys.ended(before === 0 ? 1 : before)
})

test('a method is case-sensitive and an unknown one is 405', async () => {
  for (const method of ['get', 'FOO', 'TRACE']) {
    const [reply] = await client()
      .send(`${method} /markets/active/slugs HTTP/1.1\r\n${HOST}\r\n`)
      .replies(1)
    assert.match(reply, /^HTTP\/1\.1 405 [\s\S]*allow: GET/, method)
  }
})

test('a body without a length is refused before any of it is read', async () => {
  const chunked = 'Transfer-Encoding: chunked\r\n'
  const placed = toys.placed.length
  const whole = await client()
    .send(posting('/orders/1', chunked, 'c\r\n{"note":"a"}\r\n0\r\n\r\n'))
    .closed()
  assert.match(whole, /^HTTP\/1\.1 411 [\s\S]*"code":"LENGTH_REQUIRED"/)
  const slow = await client()
    .send(posting('/orders/1', chunked, ''))
    .closed()
  assert.match(slow, /^HTTP\/1\.1 411 [\s\S]*"code":"LENGTH_REQUIRED"/)
  assert.equal(toys.placed.length, placed)
})

test('a body that announces more than the bound is refused before it arrives', async () => {
  for (const lengthBytes of [BODY_MAX + 1, 1e15 - 1]) {
    const refused = await client()
      .send(posting('/orders/1', `Content-Length: ${lengthBytes}\r\n`, ''))
      .closed()
    assert.match(refused, /^HTTP\/1\.1 413 [\s\S]*"code":"BODY_TOO_LARGE"/)
  }
  const exact = `{"note":"a"}${' '.repeat(BODY_MAX - 12)}`
  const placed = client().send(posting('/orders/1', `Content-Length: ${BODY_MAX}\r\n`, exact))
  assert.match((await placed.replies(1))[0], /^HTTP\/1\.1 201 /)
})

test('a refused request with a body leaves its connection usable', async () => {
  const unknown = posting('/nope', 'Content-Length: 5\r\n', 'hello')
  const replies = await client().send(unknown).send(OK).replies(2)
  assert.deepEqual(
    replies.map((reply) => reply.slice(9, 12)),
    ['404', '200'],
  )
})

test('a body that does not arrive in time gets 408 and its connection is closed', async () => {
  const hasty = await startToys({ bodyDeadlineMs: 20 })
  const slow = new RawClient(hasty.port)
  slow.send(posting('/orders/1', 'Content-Length: 12\r\n', '{"note'))
  assert.match(await slow.closed(), /^HTTP\/1\.1 408 [\s\S]*"code":"BODY_TIMEOUT"/)
  const [reply] = await new RawClient(hasty.port)
    .send(posting('/orders/1', 'Content-Length: 12\r\n', '{"note":"a"}'))
    .replies(1)
  assert.match(reply, /^HTTP\/1\.1 201 /)
  assert.equal(hasty.gateway.inFlight, 0)
  await hasty.gateway.stop()
})

test('a client that leaves in the middle of its body leaves nothing behind', async () => {
  const placed = toys.placed.length
  const before = toys.seen.length
  const leaver = client().send(posting('/orders/1', 'Content-Length: 12\r\n', '{"note'))
  while (toys.gateway.inFlight === 0) await new Promise((resolve) => setImmediate(resolve))
  leaver.destroy()
  await toys.ended(before + 1)
  assert.equal(toys.seen[before].status, 0)
  assert.equal(toys.placed.length, placed)
})

test('the call of a client that leaves before its reply still ends', async () => {
  const slow = () => toys.seen.filter(({ route }) => route?.path === '/slow')
  for (const leave of ['destroy', 'finish'] as const) {
    const before = toys.seen.length
    const leaver = client().send(`POST /slow HTTP/1.1\r\n${HOST}\r\n`)
    await toys.waiting(1)
    leaver[leave]()
    await leaver.closed()
    // After one more call the gateway has surely seen the end of the other connection.
    await client().send(OK).replies(1)
    toys.release()
    await toys.ended(before + 2)
    assert.equal(slow().at(-1)?.status, 0, leave)
  }
})

test('a header that comes twice has no meaning and proves nobody', async () => {
  const [reply] = await client()
    .send(`POST /orders/1 HTTP/1.1\r\n${HOST}${KEY}svc-api-key: reader\r\n\r\n`)
    .replies(1)
  assert.match(reply, /^HTTP\/1\.1 401 /)
})

test('random bytes never stop the exchange', async () => {
  const seed = Number(process.env.SEED ?? 1)
  console.log(`seed ${seed}`)
  const random = randomOf(seed)
  const words = [
    'GET ',
    'POST ',
    '/orders/1',
    '/markets/',
    '%',
    '?',
    '&=',
    ' HTTP/1.1',
    '\r\n',
    HOST,
    KEY,
    'Content-Length: 4\r\n',
    'Transfer-Encoding: chunked\r\n',
    '\r\n\r\n',
    '{"note":"a"}',
    '0\r\n\r\n',
    '\u0000',
    '\u00ff',
  ]
  for (let round = 0; round < 200; round++) {
    let bytes = random() < 0.7 ? `POST /orders/1 HTTP/1.1\r\n${HOST}` : ''
    for (let count = 0; count < 12; count++) bytes += words[Math.floor(random() * words.length)]
    const fuzz = client().send(Buffer.from(bytes, 'latin1')).finish()
    await fuzz.closed()
  }
})

/** A small seeded generator (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { LIMITS } from '../../../../../engine/domain/limits.ts'
import { RawClient } from '../../../../support/raw-client.ts'
import { startToys, type ToyExchange } from './toy-exchange.ts'

// Requests whose end two parsers may see in different places, sent byte for byte. The bytes that
// follow each of them are a request of their own, which must never be executed.

const HOST = 'Host: toys\r\n'
const KEY = 'svc-api-key: alice\r\n'
const NOTE = '{"note":"a"}'
const OK = `GET /markets/active/slugs HTTP/1.1\r\n${HOST}\r\n`
const HIDDEN = `POST /orders/9 HTTP/1.1\r\n${HOST}${KEY}Content-Length: 12\r\n\r\n${NOTE}`

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

const client = () => new RawClient(toys.port)
const latin = (text: string) => Buffer.from(text, 'latin1')

function order(lines: string, body: string): string {
  return `POST /orders/1 HTTP/1.1\r\n${HOST}${KEY}${lines}\r\n${body}`
}

/** Sends the bytes, checks the one reply and that nothing was executed. */
async function refused(bytes: string, status: number, code: string, name = bytes): Promise<void> {
  const placed = toys.placed.length
  const received = await client().send(latin(bytes)).closed()
  const shown = JSON.stringify(name).slice(0, 200)
  assert.equal(received.match(/HTTP\/1\.1 [0-9]{3}/g)?.length, 1, `one reply: ${shown}`)
  assert.match(received, new RegExp(`^HTTP/1\\.1 ${status} `), shown)
  assert.match(received, new RegExp(`"code":"${code}"`), shown)
  assert.match(received, /\r\nconnection: close\r\n/i, shown)
  assert.match(received, /\r\ncontent-type: application\/json/, shown)
  const [reply] = received.split('\r\n\r\n', 1)
  const length = Number(/content-length: (\d+)/i.exec(reply)?.[1])
  assert.equal(received.length, reply.length + 4 + length, `its length is right: ${shown}`)
  assert.ok(JSON.parse(received.slice(reply.length)), shown)
  assert.equal(toys.placed.length, placed, `nothing was executed: ${shown}`)
}

const ENCODINGS = [
  ['chunked', 'Transfer-Encoding: chunked\r\n'],
  ['in capitals', 'TRANSFER-ENCODING: CHUNKED\r\n'],
  ['empty', 'Transfer-Encoding:\r\n'],
  ['of spaces', 'Transfer-Encoding:   \r\n'],
  ['of one byte above 0x7f', 'Transfer-Encoding: \xff\r\n'],
  ['identity', 'Transfer-Encoding: identity\r\n'],
  ['a list', 'Transfer-Encoding: gzip, chunked\r\n'],
  ['twice', 'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n'],
  ['beside an empty length', 'Transfer-Encoding: chunked\r\nContent-Length:\r\n'],
] as const

const CHUNKS = [
  ['whole', 'c\r\n{"note":"a"}\r\n0\r\n\r\n'],
  ['with a trailer', 'c\r\n{"note":"a"}\r\n0\r\nX-Trailer: 1\r\n\r\n'],
  ['with a request for a trailer', `c\r\n{"note":"a"}\r\n0\r\n${HIDDEN}`],
  ['with digits that are none', ':\r\n{"note":"a"}\r\n@\r\n\r\n'],
  ['with an extension', 'c;f=1\r\n{"note":"a"}\r\n0\r\n\r\n'],
  ['with other line ends', 'cxx{"note":"a"}xx0xxxx'],
  ['with no chunk', ''],
  ['with a body of no chunks', NOTE],
] as const

test('every Transfer-Encoding is 411, and nothing behind its head is read', async () => {
  for (const [encoding, lines] of ENCODINGS) {
    for (const [chunks, body] of CHUNKS) {
      const name = `Transfer-Encoding ${encoding}, ${chunks}`
      await refused(order(lines, body), 411, 'LENGTH_REQUIRED', name)
      await refused(order(lines, body + HIDDEN), 411, 'LENGTH_REQUIRED', `${name}, and a request`)
    }
  }
  await refused(
    `GET /slow HTTP/1.1\r\n${HOST}${ENCODINGS[0][1]}\r\n0\r\n\r\n`,
    411,
    'LENGTH_REQUIRED',
  )
  await refused(`GET /nope HTTP/1.1\r\n${HOST}${ENCODINGS[2][1]}\r\n`, 411, 'LENGTH_REQUIRED')
})

test('HEAD with a Transfer-Encoding is 411 without a body, or ends its connection', async () => {
  const head = `HEAD /markets/active/slugs HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n`
  const alone = await client().send(head).closed()
  assert.match(alone, /^HTTP\/1\.1 411 [\s\S]*\r\n\r\n$/)
  const [placed, seen] = [toys.placed.length, toys.seen.length]
  const more = await client().send(`${head}0\r\n\r\n${HIDDEN}`).closed()
  assert.match(more, /^$|^HTTP\/1\.1 411 [\s\S]*\r\n\r\n$/)
  await toys.ended(seen + 1)
  assert.equal(toys.placed.length, placed)
})

const LENGTHS = [
  ['empty', 'Content-Length:\r\n'],
  ['of spaces', 'Content-Length: \t \r\n'],
  ['of bytes above 0x7f', 'Content-Length: \xa0\xff\r\n'],
  ['twice', 'Content-Length: 12\r\nContent-Length: 12\r\n'],
  ['twice, one empty', 'Content-Length: 12\r\nContent-Length:\r\n'],
  ['twice, the first empty', 'Content-Length:\r\nContent-Length: 12\r\n'],
  ['a list', 'Content-Length: 12, 12\r\n'],
  ['with a sign', 'Content-Length: +12\r\n'],
  ['below zero', 'Content-Length: -1\r\n'],
  ['a fraction', 'Content-Length: 12.0\r\n'],
  ['in hex', 'Content-Length: 0xc\r\n'],
  ['with a space within', 'Content-Length: 1 2\r\n'],
  ['longer than any body', `Content-Length: ${'9'.repeat(30)}\r\n`],
] as const

test('a Content-Length that is not one number is 400, and ends the connection', async () => {
  for (const [name, lines] of LENGTHS) {
    await refused(order(lines, NOTE), 400, 'BODY_MALFORMED', name)
    await refused(order(lines, NOTE + HIDDEN), 400, 'BODY_MALFORMED', `${name}, and a request`)
    await refused(order(lines, HIDDEN), 400, 'BODY_MALFORMED', `${name}, a request as its body`)
  }
})

const HOSTS = [
  ['twice', 'Host: toys\r\nHost: other\r\n'],
  ['twice the same', 'Host: toys\r\nHost: toys\r\n'],
  ['empty', 'Host:\r\n'],
  ['of spaces', 'Host:   \r\n'],
  ['with a space', 'Host: toys other\r\n'],
  ['with a tab', 'Host: toys\tother\r\n'],
  ['a list', 'Host: toys, other\r\n'],
  ['with a path', 'Host: toys/x\r\n'],
  ['with a user', 'Host: user@toys\r\n'],
  ['with a query', 'Host: toys?x\r\n'],
  ['with a byte above 0x7f', 'Host: t\xf6ys\r\n'],
  ['with a word for a port', 'Host: toys:http\r\n'],
] as const

test('a Host that is not one host name is 400', async () => {
  for (const [name, lines] of HOSTS) {
    const bytes = `GET /markets/active/slugs HTTP/1.1\r\n${lines}\r\n`
    await refused(bytes, 400, 'HOST_INVALID', name)
    await refused(bytes + HIDDEN, 400, 'HOST_INVALID', `${name}, and a request`)
  }
  for (const host of ['toys', 'TOYS:80', '127.0.0.1:3000', '[::1]:3000', 'a_b.example.', 'x:']) {
    const [reply] = await client()
      .send(`GET /markets/active/slugs HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
      .replies(1)
    assert.match(reply, /^HTTP\/1\.1 200 /, host)
  }
})

test('a target with a fragment is 400', async () => {
  for (const target of ['/markets/active/slugs#x', '/markets/btc/echo?name=a#b', '/#', '/nope?#']) {
    await refused(`GET ${target} HTTP/1.1\r\n${HOST}\r\n`, 400, 'TARGET_INVALID')
  }
})

test('what is no HTTP/1.1 request at all ends its connection without an effect', async () => {
  const rows: [name: string, bytes: string][] = [
    ['a folded header', `GET /slow HTTP/1.1\r\n${HOST}X: a\r\n b\r\n\r\n`],
    ['bare line feeds', 'GET /slow HTTP/1.1\nHost: toys\n\n'],
    ['a bare line feed in the head', `GET /slow HTTP/1.1\r\nHost: toys\nX: a\r\n\r\n`],
    ['a NUL in a header', `GET /slow HTTP/1.1\r\n${HOST}X: a\0b\r\n\r\n`],
    ['a NUL in the target', `GET /slow\0 HTTP/1.1\r\n${HOST}\r\n`],
    ['a space before the colon', `POST /slow HTTP/1.1\r\n${HOST}Content-Length : 0\r\n\r\n`],
    ['an absolute target', `GET http://toys/slow HTTP/1.1\r\n${HOST}\r\n`],
    ['a target without a slash', `GET slow HTTP/1.1\r\n${HOST}\r\n`],
    ['an asterisk', `OPTIONS * HTTP/1.1\r\n${HOST}\r\n`],
    ['CONNECT', `CONNECT toys:80 HTTP/1.1\r\n${HOST}\r\n`],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['HTTP/1.0', `POST /slow HTTP/1.0\r\n${HOST}\r\n`],
    ['HTTP/1.2', `POST /slow HTTP/1.2\r\n${HOST}\r\n`],
    ['two spaces', `POST  /slow HTTP/1.1\r\n${HOST}\r\n`],
    ['no Host', 'POST /slow HTTP/1.1\r\nX: a\r\n\r\n'],
    ['a return within a header', `POST /slow HTTP/1.1\r\n${HOST}X: a\rb\r\n\r\n`],
  ]
  const seen = toys.seen.length
  for (const [name, bytes] of rows) {
    const received = await client()
      .send(latin(bytes + HIDDEN))
      .finish()
      .closed()
    assert.match(received, /^$|^HTTP\/1\.1 (400|431|505) /, name)
  }
  assert.deepEqual(toys.seen.slice(seen), [])
})

test('headers that ask for another protocol or for a go-ahead change nothing', async () => {
  for (const lines of [
    'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n',
    'Expect: 100-continue\r\n',
    'Expect: nothing\r\n',
    'Trailer: x\r\nTE: trailers\r\n',
    'Connection: keep-alive, Transfer-Encoding\r\n',
  ]) {
    const bytes = order(`${lines}Content-Length: 12\r\n`, NOTE)
    const placed = toys.placed.length
    const raw = client().send(bytes)
    while (!/HTTP\/1\.1 [2-5]/.test(raw.received)) await new Promise(setImmediate)
    raw.send(OK)
    while (!raw.received.includes('["btc"]')) await new Promise(setImmediate)
    raw.destroy()
    const final = raw.received.replace('HTTP/1.1 100 Continue\r\n\r\n', '')
    assert.match(final, /^HTTP\/1\.1 201 /, lines)
    assert.equal(toys.placed.length, placed + 1)
  }
})

test('a head of up to 12 KB is taken; a longer one is 431 and ends the connection', async () => {
  const head = (length: number) => {
    const start = `GET /markets/active/slugs HTTP/1.1\r\n${HOST}x: `
    return `${start}${'a'.repeat(length - start.length - 4)}\r\n\r\n`
  }
  for (const length of [4000, 5000, 12_000, LIMITS.headBytesMax]) {
    const [reply] = await client().send(head(length)).replies(1)
    assert.match(reply, /^HTTP\/1\.1 200 /, `${length} bytes`)
  }
  for (const length of [LIMITS.headBytesMax + 1, 20_000]) {
    assert.match(await client().send(head(length)).closed(), /^HTTP\/1\.1 431 /, `${length} bytes`)
  }
})

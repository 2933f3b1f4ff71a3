import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { hmac, open } from '../../../../../server/auth/auth-scheme.ts'
import { cached, lasting, REVALIDATE } from '../../../../../server/edge/http/caching/cache.ts'
import { bytes } from '../../../../../server/edge/http/reply.ts'
import { route } from '../../../../../server/edge/http/route.ts'
import { slug } from '../../../../../server/edge/http/schema/fields.ts'
import { defaulted, oneOf, text } from '../../../../../server/edge/http/schema/scalars.ts'
import { list } from '../../../../../server/edge/http/schema/schema.ts'
import { refuse } from '../../../../../server/messages/refusal.ts'
import { RawClient } from '../../../../support/raw-client.ts'
import { startToys, TOY_ROUTES, type ToyExchange } from './toy-exchange.ts'

// How replies are kept, known again and made small. No library decodes them here.

const SHORT = Buffer.from('["btc"]')
let book = Buffer.from(JSON.stringify(['1'.repeat(3000)]))

const common = { auth: open(), rateClass: 'public', reply: list(text()), means: 'It.' } as const
const example = { params: { slug: 'btc' }, reply: ['x'] }

const books = route({
  ...common,
  method: 'GET',
  path: '/books/:slug',
  about: 'A long reply, encoded once per version.',
  params: { slug: slug() },
  cache: cached(REVALIDATE),
  example,
  handle: ({ params }) => {
    if (params.slug === 'none') return refuse('MARKET_NOT_FOUND')
    return bytes(params.slug === 'short' ? SHORT : book)
  },
  rejects: ['MARKET_NOT_FOUND'],
})

const trades = route({
  ...common,
  method: 'GET',
  path: '/trades/:slug',
  about: 'A reply made for each call; its 404 is kept.',
  params: { slug: slug() },
  cache: cached(lasting(5), ['MARKET_NOT_FOUND', lasting(300, 300)]),
  example,
  handle: async ({ params }) => {
    if (params.slug === 'same') return bytes(SHORT)
    return params.slug === 'none' ? refuse('MARKET_NOT_FOUND') : ['é'.repeat(2000), params.slug]
  },
  rejects: ['MARKET_NOT_FOUND'],
})

const mine = route({
  ...common,
  method: 'GET',
  path: '/mine',
  auth: hmac(),
  about: 'A reply for its caller.',
  example: { reply: ['x'] },
  handle: () => ['x'.repeat(2000)],
})

const mixed = route({
  ...common,
  method: 'GET',
  path: '/mixed',
  auth: hmac().orNobody(),
  about: 'A reply for its caller, or for everybody.',
  query: { own: defaulted(oneOf('yes', 'no'), 'no') },
  shared: { cache: cached(lasting(60)), when: ({ own }) => own === 'no' },
  example: { query: { own: 'no' }, reply: ['x'] },
  handle: async ({ query, caller }) => {
    if (query.own === 'yes' && caller === null) return refuse('UNAUTHENTICATED')
    return [caller === null ? 'everybody' : String(caller.profileId)]
  },
  rejects: ['UNAUTHENTICATED'],
})

let toys: ToyExchange
before(async () => {
  toys = await startToys({ routes: [...TOY_ROUTES, books, trades, mine, mixed] })
})
after(async () => {
  await toys.gateway.stop()
  assert.deepEqual(toys.faults, [])
})

interface Answer {
  readonly status: number
  readonly head: string
  readonly body: Buffer
  header(name: string): string | undefined
}

async function get(path: string, headers = '', method = 'GET'): Promise<Answer> {
  const client = new RawClient(toys.port)
  client.send(`${method} ${path} HTTP/1.1\r\nhost: x\r\n${headers}\r\n`)
  const isEmpty = method === 'HEAD'
  const [whole = ''] = isEmpty ? [await client.finish().closed()] : await client.replies(1)
  client.destroy()
  const at = whole.indexOf('\r\n\r\n')
  const head = whole.slice(0, at)
  const header = (name: string) => new RegExp(`^${name}: (.*)$`, 'im').exec(head)?.[1]
  const body = Buffer.from(whole.slice(at + 4), 'latin1')
  return { status: Number(whole.slice(9, 12)), head, body, header }
}

const gzip = 'accept-encoding: gzip\r\n'
const brotli = 'accept-encoding: gzip, deflate, br\r\n'

test('the same bytes under two routes are kept as each route says', async () => {
  for (let time = 1; time <= 2; time++) {
    const [requested, kept] = [await get('/books/short'), await get('/trades/same')]
    assert.equal(requested.header('cache-control'), REVALIDATE)
    assert.equal(kept.header('cache-control'), lasting(5))
    assert.deepEqual([requested.body, kept.body], [SHORT, SHORT])
    assert.equal(requested.header('etag'), kept.header('etag'))
  }
  const closing = await get('/books/short', 'connection: close\r\n')
  assert.equal(closing.header('cache-control'), REVALIDATE)
})

/** Repeats the request until the reply has a coding. */
async function coded(path: string, headers: string): Promise<Answer> {
  for (;;) {
    const answer = await get(path, headers)
    if (answer.header('content-encoding') !== undefined) return answer
  }
}

test('each reply says how long it may be kept', async () => {
  const table: [path: string, status: number, text: string, headers?: string][] = [
    ['/books/btc', 200, 'public, no-cache'],
    ['/books/none', 404, 'no-store'],
    ['/books/btc?x=1', 400, 'no-store'],
    ['/trades/btc', 200, 'public, max-age=5'],
    ['/trades/none', 404, 'public, max-age=300, stale-while-revalidate=300'],
    ['/trades/btc?x=1', 400, 'no-store'],
    ['/nowhere', 404, 'no-store'],
    ['/slow', 405, 'no-store'],
    ['/health', 200, 'no-store'],
    ['/mine', 200, 'private, no-store', 'svc-api-key: alice\r\n'],
    ['/mine', 401, 'private, no-store'],
    ['/mixed', 200, lasting(60)],
    ['/mixed', 200, lasting(60), 'svc-api-key: alice\r\n'],
    ['/mixed?own=yes', 200, 'private, no-store', 'svc-api-key: alice\r\n'],
    ['/mixed?own=yes', 401, 'private, no-store'],
    ['/mixed?own=x', 400, 'private, no-store'],
  ]
  for (const [path, status, text, headers] of table) {
    const answer = await get(path, headers)
    assert.deepEqual([answer.status, answer.header('cache-control')], [status, text], path)
    const isKept = status === 200 && text.startsWith('public')
    assert.equal(answer.header('etag') !== undefined, isKept, path)
    assert.equal(answer.header('vary'), isKept ? 'accept-encoding' : undefined, path)
  }
})

test('a caller that has the reply gets 304, and never a body with it', async () => {
  for (const path of ['/books/btc', '/books/short', '/trades/btc']) {
    const tag = (await get(path)).header('etag') ?? ''
    assert.match(tag, /^"[\w-]{22}"$/)
    for (const known of [tag, `W/${tag}`, `"x", ${tag}`, '*']) {
      for (const method of ['GET', 'HEAD']) {
        const again = await get(path, `if-none-match: ${known}\r\n`, method)
        assert.deepEqual([again.status, again.body.length], [304, 0], known)
        assert.equal(again.header('etag'), tag)
        assert.equal(again.header('content-length'), undefined)
        assert.equal(again.header('content-type'), undefined)
        assert.equal(again.header('vary'), 'accept-encoding')
        assert.ok(again.header('cache-control')?.startsWith('public'))
      }
    }
    assert.equal((await get(path, 'if-none-match: "x"\r\n')).status, 200)
  }
  assert.equal((await get('/books/none', 'if-none-match: *\r\n')).status, 404)
  assert.equal((await get('/mine', 'svc-api-key: alice\r\nif-none-match: *\r\n')).status, 200)
})

test('a reply that everybody gets alike is made without its caller', async () => {
  const alice = 'svc-api-key: alice\r\n'
  const [open, proven] = [await get('/mixed'), await get('/mixed', alice)]
  assert.deepEqual([String(open.body), String(proven.body)], ['["everybody"]', '["everybody"]'])
  const tag = open.header('etag') ?? ''
  assert.equal((await get('/mixed', `if-none-match: ${tag}\r\n`)).status, 304)
  const own = await get('/mixed?own=yes', `${alice}if-none-match: *\r\n`)
  assert.deepEqual([own.status, own.header('etag')], [200, undefined])
  assert.notEqual(String(own.body), '["everybody"]')
})

test('a connection goes on after a 304', async () => {
  const one = 'GET /books/btc HTTP/1.1\r\nhost: x\r\nif-none-match: *\r\n\r\n'
  const all = new RawClient(toys.port).send(one + one + one.replace('*', '"x"'))
  const replies = await all.replies(3)
  all.destroy()
  assert.deepEqual(
    replies.map((each) => each.slice(9, 12)),
    ['304', '304', '200'],
  )
})

test('a new version has a new tag, and the old one is no longer known', async () => {
  const before = (await get('/books/btc')).header('etag')
  book = Buffer.from(JSON.stringify(['2'.repeat(3000)]))
  const after = await get('/books/btc', `if-none-match: ${before}\r\n`)
  assert.equal(after.status, 200)
  assert.notEqual(after.header('etag'), before)
  assert.deepEqual(after.body, book)
})

test('a long reply comes small to those who take it, with a tag of its own', async () => {
  for (const path of ['/books/btc', '/trades/btc']) {
    const plain = await get(path)
    const zipped = await coded(path, gzip)
    const crumpled = await coded(path, brotli)
    assert.deepEqual(gunzipSync(zipped.body), plain.body)
    assert.deepEqual(brotliDecompressSync(crumpled.body), plain.body)
    assert.deepEqual(
      [zipped.header('content-encoding'), crumpled.header('content-encoding')],
      ['gzip', 'br'],
    )
    assert.ok(zipped.body.length < plain.body.length / 4)
    const tags = [plain, zipped, crumpled].map((each) => each.header('etag'))
    assert.equal(new Set(tags).size, 3)
    for (const each of [zipped, crumpled]) {
      assert.equal(each.header('vary'), 'accept-encoding')
      const again = await get(path, `${brotli}if-none-match: ${each.header('etag')}\r\n`)
      assert.deepEqual([again.status, again.header('etag')], [304, each.header('etag')])
      assert.equal(again.header('content-encoding'), undefined)
    }
    assert.equal((await get(path)).header('content-encoding'), undefined)
    const head = await get(path, gzip, 'HEAD')
    assert.equal(head.header('content-length'), `${zipped.body.length}`)
  }
})

test('short replies, refusals and private replies are never compressed', async () => {
  const before = toys.gateway.heads.compressed.madeCount
  for (let send = 0; send < 5; send++) {
    assert.equal((await get('/books/short', brotli)).header('content-encoding'), undefined)
    assert.equal((await get('/books/none', brotli)).header('content-encoding'), undefined)
    const own = await get('/mine', `svc-api-key: alice\r\n${brotli}`)
    assert.equal(own.header('content-encoding'), undefined)
    assert.equal(own.header('vary'), undefined)
  }
  assert.equal(toys.gateway.heads.compressed.madeCount, before)
})

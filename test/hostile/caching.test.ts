import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LIMITS } from '../../engine/domain/limits.ts'
import { api } from '../../server/api/routes.ts'
import { exchange } from '../support/exchange.ts'
import { RawClient } from '../support/raw-client.ts'

// Copies of public replies: whatever a client says of them, it gets the newest durable reply or a
// true 304, and keeps nothing of the exchange busy.

const SHARE = 1_000_000
const { live } = await exchange({ flags: ['--cors-origin', 'https://app.example'] })
// The name in the examples of the routes.
const market = await live.openMarket('rain-tomorrow')
const ann = await live.trader(1000 * SHARE)

const BOOK = '/markets/rain-tomorrow/orderbook'
const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
  live.send('GET', path, { headers })

function textsOf(fields: unknown): Record<string, string> {
  const entries: [string, unknown][] = Object.entries(Object(fields))
  return Object.fromEntries(entries.map(([name, value]) => [name, String(value)]))
}

/** The path of a route's example. */
function pathOf({ path, example }: (typeof api)[number]): string {
  const params = textsOf(example.params)
  const query = new URLSearchParams(textsOf(example.query)).toString()
  const filled = path.replaceAll(/:(\w+)/g, (_all, name: string) => params[name] ?? name)
  return query === '' ? filled : `${filled}?${query}`
}

test('every open read has ETag and 304 where copies are kept, else no-store', async () => {
  for (const each of api) {
    if (each.method !== 'GET') continue
    const path = pathOf(each)
    const reply = await get(path)
    const kept = reply.headers.get('cache-control')
    // The example of a route with shared replies requests one of them.
    const cache = each.sharedCache ?? each.cache
    if (reply.status !== 200) {
      const named = cache.refusals.map(([, text]) => text)
      assert.ok(kept === cache.others || named.includes(kept ?? ''), `${path}: ${kept}`)
      continue
    }
    assert.equal(kept, cache.replies, path)
    const tag = reply.headers.get('etag')
    assert.equal(tag !== null, cache.isPublic, path)
    if (tag === null) continue
    const again = await get(path, { 'if-none-match': tag })
    assert.deepEqual([again.status, again.text], [304, ''], path)
    const head = await live.send('HEAD', path)
    assert.deepEqual([head.status, head.headers.get('etag'), head.text], [200, tag, ''], path)
  }
})

test('copies of every open read are kept, but of those that are true for a moment', () => {
  const opened = api.filter(({ method, auth }) => {
    // Nobody caches what a read returns to its owner alone.
    return method === 'GET' && auth.accepts.length === 0 && auth.welcomes === undefined
  })
  const unkept = opened.filter(({ cache }) => !cache.isPublic).map(({ path }) => path)
  // Keys are kept by no cache either, nor is a document that names the host of its request.
  assert.deepEqual(unkept.sort(), [
    '/asyncapi.json',
    '/auth/signing-message',
    '/demo/traders',
    '/health',
    '/ready',
    '/time',
  ])
})

test('an order makes a new tag once it is durable, and never before', async () => {
  const before = (await get(BOOK)).headers.get('etag') ?? ''
  assert.equal((await get(BOOK, { 'if-none-match': before })).status, 304)
  await live.placed(ann, market, { ticks: 400, sizeRaw: SHARE })
  const changed = await get(BOOK, { 'if-none-match': before })
  assert.equal(changed.status, 200)
  const tag = changed.headers.get('etag') ?? ''
  assert.notEqual(tag, before)
  const reported = await get(BOOK, { 'if-none-match': `${before}, ${tag}` })
  assert.deepEqual([reported.status, reported.headers.get('etag')], [304, tag])
})

test('endless and broken conditions are answered, or refused unread', async () => {
  const tag = (await get(BOOK)).headers.get('etag') ?? ''
  const lists = [
    '"',
    '""',
    '"'.repeat(999),
    ','.repeat(999),
    'W/',
    'W/W/"x"',
    '*, *',
    '"\\"',
    '"é"',
    `"${'x'.repeat(2000)}"`,
    Array.from({ length: 300 }, (_, index) => `"t${index}"`).join(', '),
  ]
  for (const list of lists) {
    const client = new RawClient(live.port)
    const head = Buffer.from(`GET ${BOOK} HTTP/1.1\r\nhost: x\r\nif-none-match: ${list}\r\n\r\n`)
    const [reply = ''] = await client.send(head).replies(1)
    client.destroy()
    assert.match(reply, /^HTTP\/1\.1 200 /, list.slice(0, 40))
  }
  assert.equal((await get(BOOK, { 'if-none-match': `${lists.at(-1)}, ${tag}` })).status, 304)
  const thousands = Array.from({ length: 20_000 }, (_, index) => `"t${index}"`).join(', ')
  for (const name of ['if-none-match', 'accept-encoding', 'origin']) {
    const client = new RawClient(live.port)
    client.send(`GET ${BOOK} HTTP/1.1\r\nhost: x\r\n${name}: ${thousands}\r\n\r\n`)
    assert.match(await client.closed(), /^$|^HTTP\/1\.1 4/, name)
  }
  assert.equal((await get(BOOK)).status, 200)
})

test('hostile codings give plain bytes, and few compressions', async () => {
  const plain = await get('/openapi.json')
  const texts = [
    ';',
    'gzip;q=9',
    'gzip;;q=1',
    'br'.repeat(900),
    'gzip,'.repeat(500),
    '*;q=0',
    'q=1',
    ...Array.from({ length: 200 }, (_, index) => `x-${index};q=0.${index}`),
  ]
  for (const text of texts) {
    const reply = await get('/openapi.json', { 'accept-encoding': text })
    assert.equal(reply.status, 200, text.slice(0, 40))
    assert.equal(reply.headers.get('content-encoding'), null, text.slice(0, 40))
    assert.equal(reply.text, plain.text)
  }
  const { compressed } = live.gateway.heads
  const { entriesMax, bytesMax } = LIMITS.compressedReplies
  const before = compressed.madeCount
  for (const page of Array.from({ length: 60 }, (_, index) => index)) {
    await get('/docs/api', { 'accept-encoding': `br;q=0.${page + 10}, gzip` })
    await get(`/markets/active?page=${page + 1}`, { 'accept-encoding': 'br' })
  }
  assert.ok(compressed.madeCount - before <= 4, `${compressed.madeCount - before}`)
  assert.ok(compressed.entries <= entriesMax && compressed.bytes <= bytesMax)
})

test('origins of all kinds are answered alike, and leave nothing behind', async () => {
  const keys = Object.keys(live.gateway.heads).length
  for (let index = 0; index < 500; index++) {
    const reply = await get('/health', { origin: `https://a${index}.example` })
    assert.deepEqual([reply.status, reply.headers.get('vary')], [200, 'origin'])
    assert.equal(reply.headers.get('access-control-allow-origin'), null)
  }
  assert.equal(Object.keys(live.gateway.heads).length, keys)
  const cached = await get(BOOK, { origin: 'https://app.example' })
  assert.equal(cached.headers.get('vary'), 'accept-encoding, origin')
  assert.equal(cached.headers.get('access-control-allow-origin'), 'https://app.example')
})

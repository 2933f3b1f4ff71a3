import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LIMITS } from '../../../../engine/domain/limits.ts'
import { KEEP, NO_CODING } from '../../../../server/edge/threads/edge-layout.ts'
import { KeptReplies } from '../../../../server/edge/threads/kept-replies.ts'
import { type Freshness, Versions } from '../../../../server/messages/versions.ts'
import { exchange } from '../../../support/exchange.ts'
import { at } from '../../../support/json-path.ts'
import type { LiveExchange } from '../../../support/live-exchange.ts'
import { RawClient } from '../../../support/raw-client.ts'
import { accepted } from '../../../support/replies.ts'

// Public reads that an edge thread answers with bytes of the core, while they are fresh.

const BOOK = '/markets/rain/orderbook'

/** How many calls edge threads answered alone, by path and status. */
function answered({ edges }: LiveExchange): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { path, status, count } of (edges?.threads ?? []).flatMap((each) =>
    each.counts.read(),
  )) {
    counts[`${path} ${status}`] = (counts[`${path} ${status}`] ?? 0) + count
  }
  return counts
}

interface Read {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
}

/** Reads on one connection, one call after the other. */
class Reader {
  readonly #client: RawClient
  #taken = 0

  constructor({ port }: LiveExchange) {
    this.#client = new RawClient(port)
  }

  async get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Read> {
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
    this.#client.send(`GET ${path} HTTP/1.1\r\nhost: x\r\n${lines.join('')}\r\n`)
    const replies = await this.#client.replies(++this.#taken)
    const [head = '', body = ''] = (replies[this.#taken - 1] ?? '').split('\r\n\r\n')
    const [first, ...rest] = head.split('\r\n')
    const found = rest.map((line): [string, string] => {
      const colon = line.indexOf(': ')
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 2)]
    })
    const received = new Map(found)
    // The library adds it to every reply.
    received.delete('date')
    return { status: Number(first.split(' ')[1]), headers: received, body }
  }

  close(): void {
    this.#client.destroy()
  }
}

test('the second reader of a book is answered on the edge, with the same reply', async () => {
  const { live } = await exchange({ markets: ['rain'] })
  const reader = new Reader(live)
  for (const path of [BOOK, '/markets/rain', '/markets/active/slugs', '/exchange-info']) {
    const first = await reader.get(path)
    const second = await reader.get(path)
    assert.equal(first.status, 200, first.body)
    assert.equal(second.body, first.body)
    assert.deepEqual([...second.headers], [...first.headers])
    const unchanged = await reader.get(path, { 'if-none-match': first.headers.get('etag') ?? '' })
    assert.deepEqual([unchanged.status, unchanged.body], [304, ''])
    assert.equal(unchanged.headers.get('etag'), first.headers.get('etag'))
    assert.equal(unchanged.headers.get('cache-control'), first.headers.get('cache-control'))
    assert.equal(unchanged.headers.has('content-type'), false)
    const other = await reader.get(path, { 'if-none-match': '"x"' })
    assert.deepEqual([other.status, other.body], [200, first.body])
  }
  assert.deepEqual(answered(live), {
    '/markets/:slug/orderbook 200': 2,
    '/markets/:slug/orderbook 304': 1,
    '/markets/:addressOrSlug 200': 2,
    '/markets/:addressOrSlug 304': 1,
    '/markets/active/slugs 200': 2,
    '/markets/active/slugs 304': 1,
    '/exchange-info 200': 2,
    '/exchange-info 304': 1,
  })
  const total = 'outcomex_http_requests_total{method="GET",route="/exchange-info",status='
  const text = await live.metrics()
  const lines = text.split('\n').filter((line) => line.startsWith(`${total}"200"`))
  const counts = lines.map((line) => Number(line.slice(line.lastIndexOf(' ') + 1)))
  assert.equal(
    counts.reduce((sum, count) => sum + count, 0),
    3,
  )
  reader.close()
})

test('every thread shows an order as soon as it is acknowledged', async () => {
  const { live, rain, alice } = await exchange({
    flags: ['--edge-threads', '2'],
    markets: ['rain'],
    traders: ['alice'],
  })
  const readers = Array.from({ length: 8 }, () => new Reader(live))
  for (let ticks = 100; ticks < 120; ticks++) {
    await live.placed(alice, rain, { ticks, sizeRaw: 1_000_000 })
    for (const reader of readers) {
      const { body } = await reader.get(BOOK)
      assert.equal(at(JSON.parse(body), 'bids', 0, 'price'), ticks / 1000)
    }
    const details = await Promise.all(readers.map((reader) => reader.get('/markets/rain')))
    assert.equal(new Set(details.map(({ body }) => body)).size, 1)
  }
  assert.ok(answered(live)['/markets/:slug/orderbook 200'] > 0)
  await accepted(live.admin('/admin/markets/rain/resolve', { winningOutcomeIndex: 0 }))
  for (const reader of readers) {
    assert.equal((await reader.get(BOOK)).status, 400)
    assert.match((await reader.get('/markets/rain')).body, /"status":"RESOLVED"/)
    const slugs = await reader.get('/markets/active/slugs')
    assert.equal(slugs.body, '[]')
    reader.close()
  }
})

test('a compressed reply is sent again to those who accept it', async () => {
  const { live, rain, alice } = await exchange({ markets: ['rain'], traders: ['alice'] })
  for (let ticks = 1; ticks <= 40; ticks++) await live.placed(alice, rain, { ticks })
  const reader = new Reader(live)
  const plain = await reader.get(BOOK)
  const accepts = { 'accept-encoding': 'br' }
  let coded = await reader.get(BOOK, accepts)
  while (coded.headers.get('content-encoding') !== 'br') coded = await reader.get(BOOK, accepts)
  const before = answered(live)['/markets/:slug/orderbook 200'] ?? 0
  const raw = await fetch(`http://127.0.0.1:${live.port}${BOOK}`, { headers: accepts })
  assert.equal(raw.headers.get('content-encoding'), 'br')
  assert.equal(await raw.text(), plain.body)
  assert.equal(raw.headers.get('etag'), coded.headers.get('etag'))
  assert.equal((await reader.get(BOOK)).body, plain.body)
  assert.equal(answered(live)['/markets/:slug/orderbook 200'], before + 2)
  reader.close()
})

test('the time is that of each reply', async () => {
  const { live } = await exchange({})
  const reader = new Reader(live)
  let lastMs = 0
  for (let call = 0; call < 20; call++) {
    const fromMs = Date.now()
    const { body } = await reader.get('/time')
    const { serverTime, iso } = JSON.parse(body)
    assert.ok(serverTime >= fromMs && serverTime <= Date.now(), body)
    assert.equal(new Date(serverTime).toISOString(), iso)
    assert.ok(serverTime >= lastMs)
    lastMs = serverTime
  }
  assert.equal(answered(live)['/time 200'], 19)
  reader.close()
})

test('tickers are made again after a second, and at once when a market ends', async () => {
  const { live, rain, alice } = await exchange({ markets: ['rain', 'snow'], traders: ['alice'] })
  const reader = new Reader(live)
  const first = await reader.get('/markets/tickers')
  assert.equal((await reader.get('/markets/tickers')).body, first.body)
  await live.placed(alice, rain, { ticks: 300 })
  live.shiftClock(1500)
  assert.match((await reader.get('/markets/tickers')).body, /"bid":0.3/)
  await accepted(live.admin('/admin/markets/snow/resolve', { winningOutcomeIndex: 1 }))
  const { tickers } = JSON.parse((await reader.get('/markets/tickers')).body)
  assert.equal(tickers.length, 1)
  reader.close()
})

test('an address has one limit for what edge threads and the core answer', async () => {
  const { live } = await exchange({
    flags: ['--edge-threads', '2', '--address-rate-public', '1:12'],
    limited: true,
    markets: ['rain'],
  })
  const readers = Array.from({ length: 6 }, () => new Reader(live))
  const fromMs = performance.now()
  const statuses: number[] = []
  const left: number[] = []
  for (let round = 0; round < 6; round++) {
    for (const reader of readers) {
      const { status, headers } = await reader.get(BOOK)
      statuses.push(status)
      left.push(Number(headers.get('ratelimit-remaining')))
    }
  }
  const earned = Math.ceil((performance.now() - fromMs) / 1000)
  const taken = statuses.filter((status) => status === 200).length
  assert.ok(taken >= 12 && taken <= 12 + earned, statuses.join())
  assert.equal(statuses.filter((status) => status === 429).length, 36 - taken)
  assert.deepEqual(left.slice(0, 3), [11, 10, 9])
  assert.ok(answered(live)['/markets/:slug/orderbook 200'] > 0)
  for (const reader of readers) reader.close()
})

test('a call with a query, an origin or a body is left to the core', async () => {
  const { live } = await exchange({ markets: ['rain'] })
  const reader = new Reader(live)
  const { body } = await reader.get(BOOK)
  assert.equal((await reader.get(`${BOOK}?x=1`)).status, 400)
  assert.equal((await reader.get(BOOK, { origin: 'https://a.example' })).body, body)
  assert.equal((await reader.get(BOOK, { 'content-length': '0' })).body, body)
  const counted = answered(live)
  assert.deepEqual(counted, { '/markets/:slug/orderbook 200': 1 })
  const head = await fetch(`http://127.0.0.1:${live.port}${BOOK}`, { method: 'HEAD' })
  assert.equal(head.headers.get('content-length'), String(body.length))
  assert.deepEqual(answered(live), counted)
  reader.close()
})

// The bytes of one thread.

const VERSIONS = new Versions()

function kept(target: string, freshness: Freshness, body: string): Buffer {
  const head = '200 OK\r\ncontent-type: text/plain'
  const frame = Buffer.alloc(KEEP.texts + target.length + head.length + body.length)
  frame.writeUInt32LE(freshness.subject, KEEP.subject)
  frame.writeInt32LE(freshness.version, KEEP.version)
  frame.writeDoubleLE(freshness.fromMs, KEEP.fromMs)
  frame.writeDoubleLE(freshness.untilMs, KEEP.untilMs)
  frame[KEEP.coding] = NO_CODING
  frame.writeUInt16LE(target.length, KEEP.targetBytes)
  frame.writeUInt32LE(head.length, KEEP.headBytes)
  frame.write(target + head + body, KEEP.texts)
  return frame
}

test('bytes are sent while their subject has its version, and until their time', () => {
  const replies = new KeptReplies(VERSIONS)
  const take = (target: string, freshness: Freshness) => {
    const frame = kept(target, freshness, target)
    replies.take(frame, 0, frame.length)
  }
  const isThere = (target: string, nowMs = 0) => replies.find(target, new Map(), nowMs) !== null
  take('/one', VERSIONS.ofMarket(1))
  take('/two', VERSIONS.ofMarket(2, 1000))
  take('/list', VERSIONS.ofList(2000, 500))
  take('/always', VERSIONS.ofConstant())
  assert.deepEqual(
    ['/one', '/two', '/list', '/always'].map((each) => isThere(each, 999)),
    [true, true, true, true],
  )
  VERSIONS.raiseMarket(1)
  assert.deepEqual(
    [isThere('/one', 999), isThere('/two', 999), isThere('/two', 1000)],
    [false, true, false],
  )
  assert.equal(isThere('/list', 499), false, 'made later than now')
  take('/list', VERSIONS.ofList())
  VERSIONS.raiseList()
  assert.deepEqual([isThere('/list'), isThere('/always')], [false, true])
  assert.equal(replies.bytes, '/always'.length)
  replies.stop()
  take('/always', VERSIONS.ofConstant())
  assert.equal(isThere('/always'), false)
})

test('more bytes or targets than the bounds displace the oldest', () => {
  const replies = new KeptReplies(VERSIONS)
  const { bytesMax, targetsMax } = LIMITS.keptReplies
  const big = 'x'.repeat(LIMITS.keptReplyBytesMax)
  for (let index = 0; index < 2 * (bytesMax / big.length); index++) {
    const frame = kept(`/${index}`, VERSIONS.ofConstant(), big)
    replies.take(frame, 0, frame.length)
    assert.ok(replies.bytes <= bytesMax)
  }
  assert.equal(replies.bytes, bytesMax)
  for (let index = 0; index < targetsMax + 100; index++) {
    const frame = kept(`/small/${index}`, VERSIONS.ofConstant(), 'x')
    replies.take(frame, 0, frame.length)
  }
  assert.equal(replies.targets, targetsMax)
  assert.equal(replies.find('/small/0', new Map(), 0), null)
  assert.ok(replies.find(`/small/${targetsMax}`, new Map(), 0) !== null)
})

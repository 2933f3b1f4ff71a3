import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { exchange } from '../../support/exchange.ts'
import { at } from '../../support/json-path.ts'
import { orderBody } from '../../support/live-orders.ts'
import { accepted, listAt, type Reply } from '../../support/replies.ts'

// The limits that the contract names, on both sides of each. Those of packs, bookmarks and feeds
// stand with their calls. A row of server/docs/api.md names each test.

const UNIT = 1_000_000
const MINUTE_MS = 60_000
const SERIES = '/markets/timeline?symbol=BTC&frequency=minutely&subFrequency=minutes_5'
const { live, rain, ann } = await exchange({
  flags: ['--block-ms', '1'],
  markets: ['rain'],
  traders: { ann: 1000 * UNIT },
})

const get = (path: string) => live.read(path)
const call = (method: string, path: string, body?: unknown) =>
  live.patientCall(ann, method, path, body)

/** Each path with its number must be answered so. */
async function answers(request: (value: number) => Promise<Reply>, rows: [number, number][]) {
  for (const [value, status] of rows) {
    const reply = await request(value)
    assert.equal(reply.status, status, `${value}: ${reply.text}`)
  }
}

const query = (path: string) => (value: number) => get(`${path}${value}`)

test('limit: a batch cancel names 1 to 50 ids in exactly one list', async () => {
  const cancel = (body: object) => call('POST', '/orders/batch-cancel', body)
  for (const name of ['orderIds', 'clientOrderIds']) {
    const ids = (count: number) => ({ [name]: Array.from({ length: count }, () => randomUUID()) })
    // Orders that are not found are 404, so the body was taken.
    await answers(
      (count) => cancel(ids(count)),
      [
        [0, 400],
        [1, 404],
        [50, 404],
        [51, 400],
      ],
    )
  }
  assert.equal((await cancel({})).status, 400)
  const both = { orderIds: [randomUUID()], clientOrderIds: ['a'] }
  assert.equal((await cancel(both)).status, 400)
})

test('limit: a client order id has at most 128 characters', async () => {
  const longest = 'i'.repeat(128)
  const order = (clientOrderId: string) =>
    call('POST', '/orders', { ...orderBody(ann, rain, { ticks: 100 }), clientOrderId })
  assert.equal((await order(`${longest}i`)).status, 400)
  assert.equal((await order(longest)).status, 201)
  const cancel = (id: string) => call('POST', '/orders/batch-cancel', { clientOrderIds: [id] })
  assert.equal((await cancel(`${longest}i`)).status, 400)
  assert.equal((await cancel(longest)).status, 200)
})

test('limit: own orders of a market, 1 to 200', async () => {
  await answers(
    (limit) => call('GET', `/markets/rain/user-orders?limit=${limit}`),
    [
      [0, 400],
      [1, 200],
      [200, 200],
      [201, 400],
    ],
  )
})

test('limit: trades of a market, 1 to 100, 100 when absent, and pages from 1', async () => {
  const maker = await live.trader(1000 * UNIT)
  const sell = { outcome: 1, ticks: 500, sizeRaw: UNIT } as const
  await live.placed(maker, rain, sell)
  await live.placed(ann, rain, { ticks: 500, sizeRaw: UNIT })
  let reply = await get('/markets/rain/events')
  while (listAt(reply, 'events').length === 0) reply = await get('/markets/rain/events')
  assert.deepEqual([at(reply.body, 'limit'), at(reply.body, 'page')], [100, 1])
  await answers(query('/markets/rain/events?limit='), [
    [0, 400],
    [1, 200],
    [100, 200],
    [101, 400],
  ])
  await answers(query('/markets/rain/events?page='), [
    [0, 400],
    [1, 200],
  ])
})

test('limit: a timeline has 1 and 24 slots by slug, 10 and 10 by symbol, at most 500', async () => {
  const series = {
    symbol: 'BTC',
    frequency: 'minutely',
    subFrequency: 'minutes_5',
    slotsAhead: 30,
    stableSlug: 'btc-now',
    slugPrefix: 'btc',
    title: 'Up?',
    assetName: 'Bitcoin',
  }
  await accepted(live.admin('/admin/series', { ...series, strikePrice: '95000' }), 201)
  const { pipeline } = live.exchange
  const settled = async (): Promise<void> => {
    for (let tick = 0; tick < 50; tick++) {
      pipeline.tick()
      await pipeline.whenIdle()
    }
  }
  await settled()
  live.shiftClock(15 * 5 * MINUTE_MS)
  await settled()
  const indexes = (reply: Reply) => listAt(reply, 'batch').map((each) => Number(at(each, 'index')))
  const bySymbol = indexes(await get(SERIES))
  assert.deepEqual([bySymbol.at(0), bySymbol.at(-1)], [-10, 10])
  const { body } = await get(SERIES)
  const bySlug = await get(`/markets/${at(body, 'current', 'slug')}/timeline`)
  assert.deepEqual([indexes(bySlug).at(0), indexes(bySlug).at(-1)], [-1, 24])
  for (const side of ['before', 'after']) {
    await answers(query(`${SERIES}&${side}=`), [
      [500, 200],
      [501, 400],
    ])
  }
})

test('limit: a search of profiles by 2 to 100 characters gives 1 to 20, else 5', async () => {
  for (let index = 10; index < 31; index++) {
    await live.trader(0, { username: `trader-${index}` })
  }
  const found = async (path: string) => listAt(await get(`/profiles/search?${path}`), 'data').length
  assert.equal(await found('query=trader'), 5)
  assert.equal(await found('query=trader&limit=20'), 20)
  assert.equal(await found('query=t'), 0)
  assert.equal(await found('query=%20t%20'), 0)
  await answers(query('/profiles/search?query=trader&limit='), [
    [0, 400],
    [1, 200],
    [21, 400],
  ])
  await answers(
    (length) => get(`/profiles/search?query=${'t'.repeat(length)}`),
    [
      [100, 200],
      [101, 400],
    ],
  )
})

test('limit: the list of social profiles, 1 to 20, 10 when absent', async () => {
  const followed = ['trader-10', 'trader-11'].map((name) => `/profiles/search?query=${name}`)
  for (const path of followed) {
    const account = at((await get(path)).body, 'data', 0, 'account')
    assert.equal((await call('PUT', `/profiles/${account}/follow`)).status, 200)
  }
  const counts = async (path: string) => listAt(await get(`/profiles/social${path}`), 'data').length
  assert.ok((await counts('')) <= 10)
  assert.ok((await counts('?limit=20')) >= (await counts('')))
  await answers(query('/profiles/social?limit='), [
    [0, 400],
    [1, 200],
    [20, 200],
    [21, 400],
  ])
})

test('limit: a plain search of markets gives 10, page 1, similarity 0.5', async () => {
  const plain = await get('/markets/search?query=rain')
  assert.deepEqual([at(plain.body, 'limit'), at(plain.body, 'page')], [10, 1])
  const stated = '/markets/search?query=rain&limit=10&page=1&similarityThreshold=0.5'
  assert.equal((await get(stated)).text, plain.text)
  for (const threshold of ['0', '1']) {
    const reply = await get(`/markets/search?query=rain&similarityThreshold=${threshold}`)
    assert.equal(reply.status, 200)
  }
  for (const threshold of ['-0.1', '1.1']) {
    const reply = await get(`/markets/search?query=rain&similarityThreshold=${threshold}`)
    assert.equal(reply.status, 400)
  }
})

test('limit: a signature is good for 30 seconds on both sides of server time', async () => {
  const signedAt = (byMs: number) => {
    const timestamp = new Date(live.nowMs() + byMs).toISOString()
    return live.call(ann, 'GET', '/profiles/me', undefined, { timestamp })
  }
  await answers(signedAt, [
    [-28_000, 200],
    [28_000, 200],
    [-31_000, 401],
    [32_000, 401],
  ])
})

test('limit: the deadline of a heartbeat is at least 5 seconds ahead', async () => {
  const beat = (aheadMs: number) =>
    call('POST', '/heartbeats', { cancelAt: live.nowMs() + aheadMs })
  await answers(beat, [
    [4_999, 400],
    [60_000, 200],
  ])
  assert.equal((await call('POST', '/heartbeats', {})).status, 200)
})

test('limit: the description of a market has at most 10,000 characters', async () => {
  const make = (count: number) => {
    const market = { kind: 'clob', slug: `named-${count}`, title: 'Named?' }
    return live.admin('/admin/markets', { ...market, description: 'd'.repeat(count) })
  }
  await answers(make, [
    [10_000, 201],
    [10_001, 400],
  ])
  const edit = (count: number) =>
    live.operator('PATCH', '/admin/markets/rain', { description: 'd'.repeat(count) })
  await answers(edit, [
    [10_000, 200],
    [10_001, 400],
  ])
})

test('limit: a username has at most 44 characters, made or changed', async () => {
  const edit = (count: number) => call('PATCH', '/profiles/me', { username: 'u'.repeat(count) })
  await answers(edit, [
    [45, 400],
    [44, 200],
  ])
  const { account } = await live.trader(0)
  const make = (count: number) => {
    return live.admin('/admin/profiles', { account, username: 'v'.repeat(count) })
  }
  await answers(make, [
    [45, 400],
    [44, 201],
  ])
})

test('limit: how long replies are kept: trades of nothing, feed, accuracy, timeline', async () => {
  const kept = async (path: string) => (await get(path)).headers.get('cache-control')
  const unknown = 'public, max-age=300, stale-while-revalidate=300'
  assert.equal(await kept('/markets/nothing/events'), unknown)
  for (const audience of ['all', 'featured']) {
    assert.equal(await kept(`/feed/trading?audience=${audience}`), 'public, max-age=60')
  }
  assert.equal(await kept(`/user-stats/accuracy/${ann.account}`), 'public, max-age=15')
  assert.equal(await kept(SERIES), 'public, max-age=3')
})

test('limit: a call above its rate is 429, and says when to come again', async () => {
  const { live: few } = await exchange({
    limited: true,
    flags: ['--address-rate-public', '1:2', '--market-threads', '0'],
  })
  const read = () => few.send('GET', '/markets/active')
  let reply = await read()
  while (reply.status === 200) reply = await read()
  assert.equal(reply.status, 429, reply.text)
  assert.ok(Number(reply.headers.get('retry-after')) >= 1)
})

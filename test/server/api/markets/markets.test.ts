import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client } from '@limitless-exchange/sdk'
import { api, reservedSlugs } from '../../../../server/api/routes.ts'
import { exchange } from '../../../support/exchange.ts'
import { at } from '../../../support/json-path.ts'
import { assertRefused, codeOf, type Reply } from '../../../support/replies.ts'

// Markets as read by clients that were written for another exchange.

const HOUR_MS = 3_600_000
const NO_DEADLINE = ['No deadline', 253_402_214_400_000]
const { live } = await exchange()

const endOf = (market: unknown) => [at(market, 'expirationDate'), at(market, 'expirationTimestamp')]

function create(slug: string, fields: object = {}): Promise<Reply> {
  return live.admin('/admin/markets', { kind: 'clob', slug, title: `Will ${slug}?`, ...fields })
}

async function slugsBy(sortBy: string): Promise<unknown[]> {
  const { body, status, text } = await live.send('GET', `/markets/active?sortBy=${sortBy}`)
  assert.equal(status, 200, text)
  const data = at(body, 'data')
  assert.ok(Array.isArray(data))
  return data.map((market) => at(market, 'slug'))
}

test('a market without a deadline has an end date that typed clients can read', async () => {
  const made = await create('endless')
  assert.deepEqual(endOf(made.body), NO_DEADLINE)
  assert.deepEqual(endOf((await live.send('GET', '/markets/endless')).body), NO_DEADLINE)
  const active = await live.send('GET', '/markets/active')
  assert.deepEqual(endOf(at(active.body, 'data', 0)), NO_DEADLINE)
  const slugs = await live.send('GET', '/markets/active/slugs')
  assert.equal(at(slugs.body, 0, 'deadline'), null)
  const client = new Client({ baseURL: `http://127.0.0.1:${live.port}` })
  const read = await client.markets.getMarket('endless')
  assert.deepEqual([read.expirationDate, read.expirationTimestamp], NO_DEADLINE)
  const deadline = live.nowMs() + HOUR_MS
  const ending = await create('ending', { deadline })
  assert.deepEqual(endOf(ending.body), [new Date(deadline).toUTCString(), deadline])
})

test('a slug that is a reserved by the paths is refused, with a sentence', async () => {
  const reserved = reservedSlugs(api)
  for (const word of ['active', 'search', 'timeline', 'stable', 'categories', 'tickers']) {
    assert.ok(reserved.has(word), word)
  }
  const more = reservedSlugs([
    ...api,
    { path: '/markets/packs/:id' },
    { path: '/admin/markets/import' },
    { path: '/market-pages/by-path' },
  ])
  assert.deepEqual(more, new Set([...reserved, 'import', 'packs']))
  for (const word of reserved) {
    const reply = await create(word)
    assertRefused(reply, 400, 'VALIDATION')
    assert.equal(at(reply.body, 'message', 0, 'field'), 'slug')
    assert.match(String(at(reply.body, 'message', 0, 'message')), /reserved by the paths/)
  }
  assert.equal((await create('active-volcanoes')).status, 201)
})

test('active markets are sorted in each way the API names', async () => {
  const [maker, taker] = [await live.trader(1e9), await live.trader(1e9)]
  const soon = live.nowMs() + HOUR_MS
  const quiet = await live.openMarket('quiet', { deadline: soon + 1 })
  const traded = await live.openMarket('traded', { deadline: soon - 1 })
  const deep = await live.openMarket('deep', { deadline: soon })
  await live.openMarket('second', { deadline: soon })
  const bid = async (market: typeof deep, ticks: number) => {
    await live.placed(maker, market, { ticks, sizeRaw: 100_000_000 })
  }
  await bid(deep, 500)
  await bid(quiet, 200)
  await bid(traded, 600)
  // This order takes the whole bid.
  await live.place(taker, traded, { outcome: 1, ticks: 400, sizeRaw: 100_000_000 })
  const dear = { outcome: 1, ticks: 400, sizeRaw: 100_000_000 } as const
  await live.placed(maker, quiet, dear)
  const others = ['active-volcanoes', 'ending', 'endless']
  const newest = ['second', 'deep', 'traded', 'quiet', ...others]
  const rows: [sortBy: string, slugs: string[]][] = [
    ['newest', newest],
    ['lp_rewards', newest],
    ['ending_soon', ['ending', 'traded', 'second', 'deep', 'quiet', 'active-volcanoes', 'endless']],
    ['high_value', ['traded', 'second', 'deep', 'quiet', ...others]],
    ['liquidity', ['quiet', 'deep', 'second', 'traded', ...others]],
    ['trending', ['traded', 'second', 'deep', 'quiet', ...others]],
  ]
  for (const [sortBy, slugs] of rows) assert.deepEqual(await slugsBy(sortBy), slugs, sortBy)
  // A later order changes the list that was already read.
  await bid(deep, 490)
  assert.deepEqual((await slugsBy('liquidity')).slice(0, 2), ['deep', 'quiet'])
  const wrong = await live.send('GET', '/markets/active?sortBy=oldest')
  assert.equal(codeOf(wrong), 'VALIDATION')
})

test('what traded lately is trending, above what traded more before', async () => {
  const [maker, taker] = [await live.trader(1e9), await live.trader(1e9)]
  const morning = await live.openMarket('morning')
  const evening = await live.openMarket('evening')
  const trade = async (market: typeof morning, shares: number) => {
    const wanted = { ticks: 500, sizeRaw: shares * 1_000_000 }
    for (const [trader, outcome] of [
      [maker, 0],
      [taker, 1],
    ] as const) {
      await live.placed(trader, market, { ...wanted, outcome })
    }
  }
  await trade(morning, 300)
  await trade(evening, 100)
  assert.deepEqual((await slugsBy('trending')).slice(0, 2), ['morning', 'evening'])
  // Eight hours are two halvings: the 300 shares count as 75.
  live.shiftClock(8 * HOUR_MS)
  await trade(evening, 100)
  assert.deepEqual((await slugsBy('trending')).slice(0, 2), ['evening', 'morning'])
  assert.equal((await slugsBy('high_value'))[0], 'morning')
})

test('GET /categories lists the categories of active markets by their numbers', async () => {
  const list = async () => (await live.send('GET', '/categories')).body
  assert.deepEqual(await list(), [])
  await create('storm', { categories: ['Weather', 'Nature'] })
  await create('match', { categories: ['Sports'] })
  const all = [
    { id: 1, name: 'Weather' },
    { id: 2, name: 'Nature' },
    { id: 3, name: 'Sports' },
  ]
  assert.deepEqual(await list(), all)
  const { body } = await live.send('GET', '/markets/active/3')
  assert.deepEqual(at(body, 'data', 0, 'categories'), ['Sports'])
  await live.admin('/admin/markets/match/resolve', { winningOutcomeIndex: 0 })
  assert.deepEqual(await list(), all.slice(0, 2))
  const again = await live.send('GET', '/categories')
  assert.match(String(again.headers.get('etag')), /^"/)
  const headers = { 'if-none-match': String(again.headers.get('etag')) }
  assert.equal((await live.send('GET', '/categories', { headers })).status, 304)
})

test('includeNextMarket=false leaves the next market out of lists and of searches', async () => {
  const series = {
    symbol: 'BTC',
    frequency: 'daily',
    stableSlug: 'btc-daily',
    slugPrefix: 'btc-1d',
    title: 'Bitcoin up or down',
    assetName: 'Bitcoin',
    strikePrice: '64000',
  }
  assert.equal((await live.admin('/admin/series', series)).status, 201)
  const { pipeline } = live.exchange
  const isOpen = () =>
    pipeline.published.all().some(({ market, status }) => market.slot && status === 'FUNDED')
  while (!isOpen()) {
    pipeline.tick()
    await new Promise(setImmediate)
  }
  for (const [path, list] of [
    ['/markets/active?', 'data'],
    ['/markets/search?query=bitcoin&', 'markets'],
  ]) {
    const read = async (query: string): Promise<Record<string, unknown>[]> => {
      const found = at((await live.read(path + query)).body, list)
      assert.ok(Array.isArray(found) && found.length > 0, path)
      return found
    }
    const [whole, included, bare] = [
      await read(''),
      await read('includeNextMarket=true'),
      await read('includeNextMarket=false'),
    ]
    assert.ok(
      whole.some((each) => at(each, 'nextMarket', 'slug') !== undefined),
      path,
    )
    assert.deepEqual(included, whole)
    const without = whole.map(({ nextMarket: _next, ...rest }) => rest)
    assert.deepEqual(bare, without, path)
  }
})

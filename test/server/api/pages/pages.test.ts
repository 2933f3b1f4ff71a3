import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { exchange } from '../../../support/exchange.ts'
import { at, textAt } from '../../../support/json-path.ts'
import type { LiveExchange } from '../../../support/live-exchange.ts'
import { assertRefused, type Reply } from '../../../support/replies.ts'

// Market pages as operators make them and as readers find them (rules §12.5).

const { live } = await exchange()
afterEach(async () => {
  for (const { id } of (await pages()).reverse()) await live.operator('DELETE', pagePath(id))
})

const pagePath = (id: string) => `/admin/market-pages/${id}`

/** Deepest last. */
async function pages(): Promise<{ id: string; path: string }[]> {
  const { body } = await live.operator('GET', '/admin/market-pages')
  const list = at(body, 'pages')
  assert.ok(Array.isArray(list))
  const all = list.map((each) => ({ id: textAt(each, 'id'), path: textAt(each, 'fullPath') }))
  return all.sort((one, other) => one.path.split('/').length - other.path.split('/').length)
}

async function makePage(slug: string, fields: object = {}): Promise<string> {
  const made = await live.operator('POST', '/admin/market-pages', { name: slug, slug, ...fields })
  assert.equal(made.status, 201, made.text)
  return textAt(made.body, 'id')
}

async function get(path: string): Promise<unknown> {
  const reply = await live.send('GET', path)
  assert.equal(reply.status, 200, `${path}: ${reply.text}`)
  return reply.body
}

const byPath = (path: string, redirect: 'follow' | 'manual' = 'manual') =>
  live.send('GET', `/market-pages/by-path?path=${encodeURIComponent(path)}`, { redirect })

function slugsOf(body: unknown): string[] {
  const data = at(body, 'data')
  assert.ok(Array.isArray(data))
  return data.map((each) => textAt(each, 'slug'))
}

async function refused(call: Promise<Reply>, status: number, code: string): Promise<void> {
  const reply = await call
  assertRefused(reply, status, code)
}

test('without a page, every category is a page of its own with its markets', async () => {
  await live.openMarket('btc-up', { categories: ['Crypto', 'Big & Bold'] })
  await live.openMarket('eth-up', { categories: ['Crypto'] })
  await live.openMarket('rain', { categories: ['Weather'] })
  const nodes = await get('/navigation')
  assert.deepEqual(nodes, [
    { id: '1', name: 'Crypto', slug: 'crypto', path: '/crypto', children: [], icon: '', count: 2 },
    {
      id: '2',
      name: 'Big & Bold',
      slug: 'big-bold',
      path: '/big-bold',
      children: [],
      icon: '',
      count: 1,
    },
    {
      id: '3',
      name: 'Weather',
      slug: 'weather',
      path: '/weather',
      children: [],
      icon: '',
      count: 1,
    },
  ])
  const page = await byPath('/big-bold')
  assert.deepEqual(at(page.body, 'breadcrumb'), [
    { name: 'Big & Bold', slug: 'big-bold', path: '/big-bold' },
  ])
  assert.deepEqual(slugsOf(await get('/market-pages/1/markets')), ['eth-up', 'btc-up'])
  assert.deepEqual(await get('/markets/categories/count'), {
    category: { 1: 2, 2: 1, 3: 1 },
    totalCount: 3,
  })
  const listed = await get('/markets/active/1?sortBy=newest')
  assert.deepEqual(slugsOf(listed), ['eth-up', 'btc-up'])
  assert.equal(at(listed, 'totalMarketsCount'), 2)
  assert.deepEqual(slugsOf(await get('/markets/active/99')), [])
  assert.deepEqual(slugsOf(await get('/markets/active?tradeType=amm')), [])
  assert.equal(slugsOf(await get('/markets/active?tradeType=clob&automationType=manual')).length, 3)
})

test('pages make a tree of paths; hidden ones and those below them are not in it', async () => {
  const crypto = await makePage('crypto', { baseFilter: { category: ['Crypto'] }, sortOrder: 2 })
  const btc = await makePage('btc', { parentId: crypto, baseFilter: { ticker: ['BTC'] } })
  const weather = await makePage('weather', { icon: 'sun', sortOrder: 1 })
  const hidden = await makePage('hidden', { inNavigation: false })
  await makePage('under', { parentId: hidden })
  const node = (id: string, slug: string, path: string, fields: object) => {
    return { id, name: slug, slug, path, children: [], icon: '', count: 0, ...fields }
  }
  const expected = [
    node(weather, 'weather', '/weather', { icon: 'sun', count: 3 }),
    node(crypto, 'crypto', '/crypto', {
      children: [node(btc, 'btc', '/crypto/btc', {})],
      count: 2,
    }),
  ]
  assert.deepEqual(await get('/navigation'), expected)
  const found = await byPath('crypto/btc/')
  assert.deepEqual(found.body, {
    id: btc,
    name: 'btc',
    slug: 'btc',
    fullPath: '/crypto/btc',
    description: null,
    baseFilter: { ticker: ['BTC'] },
    filterGroups: [],
    metadata: {},
    breadcrumb: [
      { name: 'crypto', slug: 'crypto', path: '/crypto' },
      { name: 'btc', slug: 'btc', path: '/crypto/btc' },
    ],
  })
  assert.equal((await byPath('/hidden/under')).status, 200)
  for (const home of ['', '/']) {
    const reply = await byPath(home)
    assert.deepEqual([reply.status, at(reply.body, 'id')], [200, '__home__'])
  }
  await refused(byPath('/crypto/eth'), 404, 'PAGE_NOT_FOUND')
  await refused(live.send('GET', '/market-pages/nope/markets'), 404, 'PAGE_NOT_FOUND')
  assert.equal(slugsOf(await get('/market-pages/__home__/markets')).length, 3)
})

test('a moved page and those below it answer 301 from every old path, in one step', async () => {
  const top = await makePage('top')
  const below = await makePage('below', { parentId: top })
  const edit = (id: string, body: object) => live.operator('PUT', pagePath(id), body)
  for (const slug of ['one', 'two', 'three']) assert.equal((await edit(top, { slug })).status, 200)
  for (const old of ['/top', '/one', '/two']) {
    const reply = await byPath(`${old}/below`)
    assert.equal(reply.status, 301)
    const location = '/market-pages/by-path?path=%2Fthree%2Fbelow'
    assert.equal(reply.headers.get('location'), location)
    assert.equal(textAt((await byPath(`${old}/below`, 'follow')).body, 'id'), below)
  }
  // A new page at an old path is found there, and back at an old path a page moves no more.
  const other = await makePage('one')
  assert.equal(textAt((await byPath('/one')).body, 'id'), other)
  assert.equal((await byPath('/one/below')).status, 301)
  assert.equal((await edit(top, { slug: 'two' })).status, 200)
  assert.equal((await byPath('/two')).status, 200)
  assert.equal(
    (await byPath('/three')).headers.get('location'),
    '/market-pages/by-path?path=%2Ftwo',
  )
  // A removed page leaves no path.
  assert.equal((await live.operator('DELETE', pagePath(below))).status, 200)
  await refused(byPath('/top/below'), 404, 'PAGE_NOT_FOUND')
})

test('a page that would break the tree is refused, and nothing changes', async () => {
  const ids = [await makePage('a')]
  for (const slug of ['b', 'c', 'd', 'e', 'f']) {
    ids.push(await makePage(slug, { parentId: ids.at(-1) }))
  }
  const post = (body: object) =>
    live.operator('POST', '/admin/market-pages', { name: 'x', ...body })
  const edit = (id: string, body: object) => live.operator('PUT', pagePath(id), body)
  const before = await pages()
  await refused(post({ slug: 'g', parentId: ids[5] }), 400, 'PAGE_TOO_DEEP')
  await refused(post({ slug: 'a' }), 409, 'PAGE_PATH_TAKEN')
  await refused(post({ slug: 'x', parentId: 'nobody' }), 400, 'PAGE_PARENT_INVALID')
  await refused(edit(ids[0], { parentId: ids[0] }), 400, 'PAGE_PARENT_INVALID')
  await refused(edit(ids[0], { parentId: ids[4] }), 400, 'PAGE_PARENT_INVALID')
  await refused(edit('nobody', { slug: 'x' }), 404, 'PAGE_NOT_FOUND')
  await refused(live.operator('DELETE', pagePath(ids[0])), 409, 'PAGE_NOT_EMPTY')
  await refused(live.operator('DELETE', pagePath('nobody')), 404, 'PAGE_NOT_FOUND')
  await refused(post({ slug: 'x', metadata: { x: 'y'.repeat(20_000) } }), 400, 'PAGE_TOO_LARGE')
  const other = await makePage('other')
  await refused(edit(ids[0], { parentId: other }), 400, 'PAGE_TOO_DEEP')
  assert.equal((await live.operator('DELETE', pagePath(other))).status, 200)
  for (const slug of ['', 'A', '-a', 'a/b', '..', 'a'.repeat(65)]) {
    await refused(post({ slug }), 400, 'VALIDATION')
  }
  for (const key of ['__proto__', '1st', 'a b', 'a'.repeat(65)]) {
    const baseFilter = JSON.parse(`{${JSON.stringify(key)}:["x"]}`)
    await refused(post({ slug: 'x', baseFilter }), 400, 'VALIDATION')
  }
  assert.deepEqual(await pages(), before)
})

test('what an operator keeps with a page comes back as it was', async () => {
  const metadata = JSON.parse('{"__proto__":{"a":1},"constructor":null,"2":[],"1":"é"}')
  const filterGroups = [{ slug: 'ticker', options: [{ label: 'B', value: 'BTC', metadata }] }]
  const id = await makePage('kept', { metadata, filterGroups, description: 'Words.' })
  const found = await byPath('/kept')
  assert.equal(JSON.stringify(at(found.body, 'metadata')), JSON.stringify(metadata))
  assert.deepEqual(at(found.body, 'filterGroups'), filterGroups)
  const edited = await live.operator('PUT', pagePath(id), { description: null })
  assert.equal(at(edited.body, 'description'), null)
  assert.equal(JSON.stringify(at(edited.body, 'metadata')), JSON.stringify(metadata))
})

test('pages, old paths, properties and categories survive a stop', async () => {
  const { live: other } = await exchange()
  const post = (path: string, body: object) => other.admin(path, body)
  const { body } = await post('/admin/market-pages', { name: 'Old', slug: 'old' })
  await other.operator('PUT', pagePath(textAt(body, 'id')), { slug: 'new' })
  await post('/admin/property-keys', { name: 'T', slug: 't', options: [{ value: 'x' }] })
  await other.openMarket('wet', { categories: ['Weather'], properties: { t: ['x'] } })
  const paths = [
    '/navigation',
    '/property-keys',
    '/markets/categories/count',
    '/markets/active/1',
    '/market-pages/by-path?path=/old',
    '/market-pages/__home__/markets?t=x',
  ]
  const readAll = async (each: LiveExchange) => {
    const replies = await Promise.all(
      paths.map((path) => each.send('GET', path, { redirect: 'manual' })),
    )
    return replies.map(({ status, text }) => [status, text])
  }
  const before = await readAll(other)
  await other.restart()
  assert.deepEqual(await readAll(other), before)
  assert.deepEqual(
    before.map(([status]) => status),
    [200, 200, 200, 200, 301, 200],
  )
})

test('each change of a page stands in the audit with its operator', async () => {
  const id = await makePage('watched')
  await live.operator('PUT', pagePath(id), { slug: 'seen' })
  await live.operator('DELETE', pagePath(id))
  const { body } = await live.operator('GET', '/admin/audit?limit=3')
  const acts = at(body, 'entries')
  assert.ok(Array.isArray(acts), JSON.stringify(body))
  assert.deepEqual(
    acts.map((act) => [at(act, 'kind'), at(act, 'pageId'), at(act, 'slug')]),
    [
      ['removeMarketPage', id, undefined],
      ['putMarketPage', id, 'seen'],
      ['putMarketPage', id, 'watched'],
    ],
  )
})

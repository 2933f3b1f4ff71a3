import assert from 'node:assert/strict'
import { test } from 'node:test'
import { APIError, Client } from '@limitless-exchange/sdk'
import { exchange } from '../support/exchange.ts'
import { textAt } from '../support/json-path.ts'
import { accepted } from '../support/replies.ts'

// The public client, unmodified from npm, reads pages, properties and lists of markets.

const { live } = await exchange()
const { pages, markets } = new Client({ baseURL: `http://127.0.0.1:${live.port}` })

async function made(path: string, body: object): Promise<string> {
  const reply = await accepted(live.operator('POST', path, body), 201)
  return textAt(reply.body, 'id')
}

const options = [
  { value: 'BTC', label: 'Bitcoin' },
  { value: 'wBTC', parent: 'BTC' },
]
const keyId = await made('/admin/property-keys', { name: 'Ticker', slug: 'ticker', options })
const top = await made('/admin/market-pages', { name: 'Crypto', slug: 'crypto', icon: 'coin' })
const page = await made('/admin/market-pages', {
  name: 'Bitcoin',
  slug: 'bitcoin',
  parentId: top,
  baseFilter: { tag: ['coin'] },
  filterGroups: [{ name: 'Ticker', slug: 'ticker', allowMultiple: true }],
})
for (const [slug, ticker] of [
  ['first', 'BTC'],
  ['second', 'wBTC'],
  ['third', 'ETH'],
] as const) {
  await live.openMarket(slug, { tags: ['coin'], properties: { ticker: [ticker] } })
}
await live.openMarket('rain', { categories: ['Weather'] })

const statusOf = (call: Promise<unknown>) =>
  call.then(
    () => 200,
    (error: unknown) => (error instanceof APIError ? error.status : 0),
  )

test('the client walks the tree of pages and follows a page that moved', async () => {
  const [crypto] = await pages.getNavigation()
  assert.deepEqual([crypto.path, crypto.icon], ['/crypto', 'coin'])
  assert.deepEqual(
    crypto.children.map(({ id, path }) => [id, path]),
    [[page, '/crypto/bitcoin']],
  )
  const found = await pages.getMarketPageByPath(crypto.children[0].path)
  assert.deepEqual(
    found.breadcrumb.map(({ path }) => path),
    ['/crypto', '/crypto/bitcoin'],
  )
  assert.deepEqual(
    found.filterGroups[0].options?.map(({ label, value }) => [label, value]),
    [
      ['Bitcoin', 'BTC'],
      ['wBTC', 'wBTC'],
    ],
  )
  for (const slug of ['coins', 'money']) {
    assert.equal((await live.operator('PUT', `/admin/market-pages/${top}`, { slug })).status, 200)
  }
  for (const old of ['/crypto', '/coins']) {
    const moved = await pages.getMarketPageByPath(`${old}/bitcoin`)
    assert.deepEqual([moved.id, moved.fullPath], [page, '/money/bitcoin'])
  }
  assert.equal((await pages.getMarketPageByPath('/')).id, '__home__')
  assert.equal(await statusOf(pages.getMarketPageByPath('/nowhere')), 404)
})

test('the client lists the markets of a page by page and by cursor, and filters them', async () => {
  const slugs = (all: readonly { slug: string }[]) => all.map(({ slug }) => slug)
  const paged = await pages.getMarkets(page, { page: 1, limit: 2, sort: '-createdAt' })
  assert.ok('pagination' in paged)
  assert.deepEqual(slugs(paged.data), ['third', 'second'])
  assert.deepEqual(paged.pagination, { page: 1, limit: 2, total: 3, totalPages: 2 })
  const seen: string[] = []
  const readOn = async (cursor: string | null): Promise<void> => {
    if (cursor === null) return
    const part = await pages.getMarkets(page, { cursor, limit: 1, filters: { ticker: ['BTC'] } })
    assert.ok('cursor' in part)
    seen.push(...slugs(part.data))
    await readOn(part.cursor.nextCursor)
  }
  await readOn('')
  assert.deepEqual(seen, ['second', 'first'])
  const filters = { ticker: ['ETH', 'wBTC'], tradeType: 'clob' }
  const chosen = await pages.getMarkets(page, { filters })
  assert.deepEqual(slugs(chosen.data), ['third', 'second'])
  assert.equal(await statusOf(pages.getMarkets(page, { filters: { nothing: true } })), 400)
  assert.equal(await statusOf(pages.getMarkets('nobody')), 404)
})

test('the client reads properties and their options', async () => {
  const [ticker] = await pages.getPropertyKeys()
  assert.deepEqual([ticker.id, ticker.slug, ticker.type], [keyId, 'ticker', 'select'])
  const whole = await pages.getPropertyKey(keyId)
  assert.deepEqual(whole.options, await pages.getPropertyOptions(keyId))
  const [bitcoin, wrapped] = whole.options ?? []
  assert.deepEqual(await pages.getPropertyOptions(keyId, bitcoin.id), [wrapped])
  assert.equal(await statusOf(pages.getPropertyKey('nothing')), 404)
})

test('the client lists active markets in each order', async () => {
  for (const sortBy of ['newest', 'lp_rewards', 'ending_soon', 'high_value'] as const) {
    const { data, totalMarketsCount } = await markets.getActiveMarkets({ sortBy, limit: 3 })
    assert.equal(totalMarketsCount, 4)
    assert.deepEqual(
      data.map(({ slug }) => slug),
      ['rain', 'third', 'second'],
    )
  }
  const last = await markets.getActiveMarkets({ page: 2, limit: 3 })
  assert.deepEqual(
    last.data.map(({ slug }) => slug),
    ['first'],
  )
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exchange } from '../../../support/exchange.ts'
import { at, textAt } from '../../../support/json-path.ts'
import { accepted, type Reply } from '../../../support/replies.ts'

// Markets of a page, filtered and counted, and the properties that they are filtered by (rules
// §12.5).

const { live } = await exchange()

const ticker = {
  name: 'Ticker',
  slug: 'ticker',
  options: [
    { value: 'coins', label: 'Coins', sortOrder: 1 },
    { value: 'BTC', label: 'Bitcoin', parent: 'coins' },
    { value: 'ETH', parent: 'coins', sortOrder: -1, metadata: { color: 'blue' } },
    { value: 'GOLD' },
  ],
}
const tickerId = await made('/admin/property-keys', ticker)
await made('/admin/property-keys', { name: 'Length', slug: 'length', type: 'multi-select' })
const page = await made('/admin/market-pages', {
  name: 'Prices',
  slug: 'prices',
  baseFilter: { tag: ['price'] },
  filterGroups: [
    { slug: 'ticker' },
    {
      slug: 'length',
      options: [
        { label: 'Day', value: 'day' },
        { label: 'Year', value: 'year' },
      ],
    },
  ],
})
const market = (slug: string, properties: object, tags = ['price'], fields: object = {}) =>
  live.openMarket(slug, { properties, tags, ...fields })
await market('btc-day', { ticker: ['BTC'], length: ['day'] }, ['price'], { deadline: 4e12 })
await market('btc-week', { ticker: ['BTC'], length: ['week'] }, ['price'], { deadline: 3e12 })
await market('eth-day', { ticker: ['ETH'], length: ['day', 'week'] })
await market('gold-day', { ticker: ['GOLD'], length: ['day'] }, ['price', 'metal'])
await market('rain', { ticker: ['BTC'], tradeType: ['amm'] }, [])

async function made(path: string, body: object): Promise<string> {
  const reply = await accepted(live.operator('POST', path, body), 201)
  return textAt(reply.body, 'id')
}

const read = (query = '', id = page) => live.send('GET', `/market-pages/${id}/markets${query}`)

async function listed(query = '', id = page): Promise<string[]> {
  const reply = await read(query, id)
  assert.equal(reply.status, 200, `${query}: ${reply.text}`)
  const data = at(reply.body, 'data')
  assert.ok(Array.isArray(data))
  return data.map((each) => textAt(each, 'slug'))
}

async function countsOf(query: string): Promise<unknown> {
  return at((await read(query)).body, 'counts')
}

async function wrong(query: string, field: string, id = page): Promise<void> {
  const reply = await read(query, id)
  assert.equal(reply.status, 400, `${query}: ${reply.text}`)
  assert.equal(at(reply.body, 'message', 0, 'field'), field, reply.text)
}

test('a market passes when it has one of the values of each key', async () => {
  assert.deepEqual(await listed(), ['gold-day', 'eth-day', 'btc-week', 'btc-day'])
  assert.deepEqual(await listed('?ticker=BTC'), ['btc-week', 'btc-day'])
  assert.deepEqual(await listed('?ticker=BTC&ticker=ETH&length=day'), ['eth-day', 'btc-day'])
  assert.deepEqual(await listed('?ticker[]=BTC&ticker[]=ETH&length=week'), ['eth-day', 'btc-week'])
  assert.deepEqual(await listed('?tag=metal'), ['gold-day'])
  assert.deepEqual(await listed('?tradeType=clob&ticker=GOLD'), ['gold-day'])
  assert.deepEqual(await listed('?ticker=NONE'), [])
  // A property cannot pass for a key that every market answers by itself.
  assert.deepEqual(await listed('?tradeType=amm', '__home__'), [])
})

test('a market with an option passes for every option above it', async () => {
  assert.deepEqual(await listed('?ticker=coins'), ['eth-day', 'btc-week', 'btc-day'])
  const edit = (parent: string | null) =>
    live.operator('PUT', `/admin/property-keys/${tickerId}`, {
      options: [{ value: 'ETH', parent }],
    })
  assert.equal((await edit(null)).status, 200)
  assert.deepEqual(await listed('?ticker=coins'), ['btc-week', 'btc-day'])
  assert.equal((await edit('coins')).status, 200)
})

test('counts state what each choice would show, while a filter is active', async () => {
  assert.equal(await countsOf(''), undefined)
  assert.deepEqual(await countsOf('?ticker=BTC'), {
    ticker: { ETH: 1, BTC: 2, GOLD: 1, coins: 3 },
    length: { day: 1, year: 0 },
  })
  assert.deepEqual(await countsOf('?length=day&tag=metal&tag=none'), {
    ticker: { ETH: 0, BTC: 0, GOLD: 1, coins: 0 },
    length: { day: 1, year: 0 },
    tag: { metal: 1, none: 0 },
  })
})

test('each field sorts both ways, and equal ones stand newest first', async () => {
  assert.deepEqual(await listed('?sort=id'), ['btc-day', 'btc-week', 'eth-day', 'gold-day'])
  assert.deepEqual(await listed('?sort=-id'), ['gold-day', 'eth-day', 'btc-week', 'btc-day'])
  const byDeadline = ['btc-week', 'btc-day', 'gold-day', 'eth-day']
  assert.deepEqual(await listed('?sort=deadline'), byDeadline)
  assert.deepEqual(await listed('?sort=-deadline'), ['gold-day', 'eth-day', 'btc-day', 'btc-week'])
  for (const sort of ['createdAt', 'updatedAt']) {
    assert.equal((await listed(`?sort=${sort}`)).length, 4)
    assert.equal((await listed(`?sort=-${sort}`)).length, 4)
  }
})

test('pages and cursors give every market once', async () => {
  const first = await read('?page=2&limit=3')
  assert.deepEqual(at(first.body, 'pagination'), { page: 2, limit: 3, total: 4, totalPages: 2 })
  assert.equal(at(first.body, 'cursor'), undefined)
  assert.deepEqual(await listed('?page=1000000&limit=100'), [])
  for (const sort of ['id', '-deadline', 'createdAt']) {
    const whole = await listed(`?sort=${sort}&length=day`)
    const seen: string[] = []
    let cursor = ''
    do {
      const query = `?sort=${sort}&limit=2&length=day&cursor=${cursor}`
      const { body } = await read(query)
      seen.push(...(await listed(query)))
      assert.equal(at(body, 'pagination'), undefined)
      const next = at(body, 'cursor', 'nextCursor')
      cursor = next === null ? '' : String(next)
    } while (cursor !== '')
    assert.deepEqual(seen, whole)
  }
})

test('a wrong query is refused and names the field', async () => {
  const cursorAt = async (query: string) =>
    textAt((await read(`${query}&limit=1&cursor=`)).body, 'cursor', 'nextCursor')
  const cursor = await cursorAt('?ticker=BTC')
  await wrong('?page=1&cursor=', 'cursor')
  await wrong(`?limit=1&cursor=${cursor}`, 'cursor')
  await wrong(`?ticker=BTC&limit=1&sort=id&cursor=${cursor}`, 'cursor')
  await wrong(`?ticker=BTC&cursor=${cursor}`, 'cursor', '__home__')
  const forged = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const digest = JSON.parse(Buffer.from(cursor, 'base64url').toString())[0]
  for (const odd of [
    'x',
    '%00',
    forged([]),
    forged({}),
    forged([digest, 1e308, 0, 1]),
    forged(0),
  ]) {
    await wrong(`?ticker=BTC&cursor=${odd}`, 'cursor')
  }
  await wrong('?nothing=1', 'nothing')
  await wrong('?filters=1', 'filters')
  for (const name of ['__proto__', 'constructor', 'toString', 'a'.repeat(65)]) {
    await wrong(`?${name}=x`, name)
  }
  await wrong('?page=0', 'page')
  await wrong('?page=1000000000', 'page')
  await wrong('?limit=101', 'limit')
  await wrong('?sort=slug', 'sort')
  await wrong(`?ticker=${'x'.repeat(65)}`, 'filters.ticker.0')
  const many = Array.from({ length: 65 }, (_none, index) => `ticker=${index}`).join('&')
  await wrong(`?${many}`, 'filters.ticker')
  const keys = Array.from({ length: 17 }, (_none, index) => `k${index}=1`).join('&')
  await wrong(`?${keys}`, 'filters')
  const both = Array.from({ length: 40 }, (_none, index) => `ticker=${index}&length=${index}`)
  await wrong(`?${both.join('&')}`, 'filters')
})

test('properties are read by slug, by id and by option', async () => {
  const list = await live.send('GET', '/property-keys')
  assert.ok(Array.isArray(list.body))
  assert.deepEqual(
    list.body.map((key) => [at(key, 'slug'), at(key, 'type'), at(key, 'options')]),
    [
      ['length', 'multi-select', undefined],
      ['ticker', 'select', undefined],
    ],
  )
  const one = await live.send('GET', `/property-keys/${tickerId}`)
  const options = at(one.body, 'options')
  assert.ok(Array.isArray(options))
  const values = (all: unknown) => {
    assert.ok(Array.isArray(all))
    return all.map((option) => textAt(option, 'value'))
  }
  assert.deepEqual(values(options), ['ETH', 'BTC', 'GOLD', 'coins'])
  assert.deepEqual(at(options[0], 'metadata'), { color: 'blue' })
  const all = await live.send('GET', `/property-keys/${tickerId}/options`)
  assert.deepEqual(all.body, options)
  const parentId = textAt(options[0], 'parentOptionId')
  const below = await live.send('GET', `/property-keys/${tickerId}/options?parentId=${parentId}`)
  assert.deepEqual(values(below.body), ['ETH', 'BTC'])
  const none = await live.send('GET', `/property-keys/${tickerId}/options?parentId=x`)
  assert.deepEqual(none.body, [])
  for (const path of ['/property-keys/x', '/property-keys/x/options']) {
    assert.equal((await live.send('GET', path)).status, 404)
  }
})

test('a property that would not be sound is refused, and nothing changes', async () => {
  const path = '/admin/property-keys'
  const put = (body: object) => live.operator('PUT', `${path}/${tickerId}`, body)
  const before = (await live.send('GET', `/property-keys/${tickerId}`)).text
  const code = async (call: Promise<Reply>) => at((await call).body, 'code')
  const odd = 'PROPERTY_OPTION_INVALID'
  assert.equal(await code(put({ options: [{ value: 'x', parent: 'y' }] })), odd)
  assert.equal(await code(put({ options: [{ value: 'coins', parent: 'BTC' }] })), odd)
  assert.equal(await code(put({ options: [{ value: 'GOLD', parent: 'GOLD' }] })), odd)
  assert.equal(await code(put({ removeOptions: ['coins'] })), odd)
  assert.equal(await code(put({ removeOptions: ['nothing'] })), odd)
  assert.equal(await code(put({ slug: 'length' })), 'PROPERTY_SLUG_TAKEN')
  assert.equal(
    await code(live.operator('POST', path, { name: 'T', slug: 'ticker' })),
    'PROPERTY_SLUG_TAKEN',
  )
  for (const slug of ['tag', 'page', 'sort', '__proto__', '1x']) {
    assert.equal(await code(live.operator('POST', path, { name: 'T', slug })), 'VALIDATION', slug)
  }
  const long = { metadata: { x: 'y'.repeat(1100) } }
  assert.equal(await code(put(long)), 'VALIDATION')
  assert.equal(await code(put({ options: [{ value: 'GOLD', ...long }] })), 'VALIDATION')
  assert.equal(await code(live.operator('PUT', `${path}/x`, {})), 'PROPERTY_NOT_FOUND')
  assert.equal(await code(live.operator('DELETE', `${path}/x`)), 'PROPERTY_NOT_FOUND')
  const chain = Array.from({ length: 7 }, (_none, index) => ({
    value: `c${index}`,
    parent: index === 0 ? null : `c${index - 1}`,
  }))
  assert.equal(await code(put({ options: chain })), odd)
  assert.equal((await live.send('GET', `/property-keys/${tickerId}`)).text, before)
})

test('a call with as many options as are allowed fits the journal', async () => {
  const label = 'é'.repeat(30)
  const options = Array.from({ length: 250 }, (_none, index) => {
    return {
      value: `v${index}`.padEnd(60, 'x'),
      label,
      parent: index > 0 ? `v0`.padEnd(60, 'x') : null,
    }
  })
  const id = await made('/admin/property-keys', { name: 'Wide', slug: 'wide', options })
  const removeOptions = options.map(({ value }) => value)
  const gone = await live.operator('PUT', `/admin/property-keys/${id}`, { removeOptions })
  assert.deepEqual(at(gone.body, 'options'), [])
  assert.equal((await live.operator('DELETE', `/admin/property-keys/${id}`)).status, 200)
})

test('a market that ends leaves every list, count and page', async () => {
  const ended = await live.openMarket('brief', {
    tags: ['price'],
    properties: { ticker: ['BTC'] },
  })
  assert.equal((await listed('?ticker=BTC'))[0], 'brief')
  const done = await live.admin(`/admin/markets/${ended.slug}/resolve`, { winningOutcomeIndex: 0 })
  assert.equal(done.status, 200)
  assert.deepEqual(await listed('?ticker=BTC'), ['btc-week', 'btc-day'])
  assert.deepEqual(at(await countsOf('?ticker=BTC'), 'ticker', 'BTC'), 2)
  const navigation = await live.send('GET', '/navigation')
  assert.equal(at(navigation.body, 0, 'count'), 4)
})

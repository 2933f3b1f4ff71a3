import assert from 'node:assert/strict'
import { test } from 'node:test'
import { searchMarkets } from '../../../../persistence/query/read/markets/search.ts'
import { exchange } from '../../../support/exchange.ts'
import { at } from '../../../support/json-path.ts'
import { patientSlice } from '../../../support/patient-slice.ts'
import { accepted, assertRefused, codeOf } from '../../../support/replies.ts'

// Searches over HTTP, from a market that an operator makes to the bytes that a reader gets.

const { live } = await exchange()

const MARKETS = [
  { slug: 'btc-150k', title: 'BTC above $150,000 on December 31?', categories: ['Crypto'] },
  { slug: 'fed-march', title: 'Will the Fed cut rates in March?', categories: ['Economy'] },
  { slug: 'rain-london', title: 'Will it rain in London tomorrow?', categories: ['Weather'] },
  { slug: 'eth-10k', title: 'Ethereum at $10,000 this year?', categories: ['Crypto'] },
]
for (const fields of MARKETS) {
  await accepted(live.admin('/admin/markets', { kind: 'clob', ...fields }), 201)
}
// The first search of a process reads the vectors, which takes long on a machine that is busy.
const all = { text: 'warm', similarityMin: 0, skip: 0, limit: 1 }
await live.exchange.query.request(searchMarkets, all, patientSlice())

const search = (query: string, more = '') =>
  live.send('GET', `/markets/search?query=${encodeURIComponent(query)}${more}`)

async function slugsOf(path: string): Promise<unknown[]> {
  const found = await accepted(live.send('GET', path))
  const markets = at(found.body, 'markets')
  assert.ok(Array.isArray(markets))
  return markets.map((each) => at(each, 'slug'))
}

test('a search finds a market that does not say its words, in its own bytes', async () => {
  const { body } = await search('bitcoin')
  assert.equal(at(body, 'markets', 0, 'slug'), 'btc-150k')
  assert.deepEqual([at(body, 'page'), at(body, 'limit')], [1, 10])
  const { body: detail } = await live.send('GET', '/markets/btc-150k')
  assert.deepEqual(at(body, 'markets', 0), detail)
  assert.deepEqual(await slugsOf('/markets/search?query=monetary+policy'), ['fed-march'])
})

test('a search before the first market does not spoil the searches behind it', async () => {
  const { live: young } = await exchange()
  const { query } = young.exchange
  assert.deepEqual(await query.request(searchMarkets, all, patientSlice()), {
    total: 0,
    marketIds: [],
  })
  const body = { kind: 'clob', slug: 'btc-200k', title: 'Bitcoin above 200,000?' }
  assert.equal((await young.admin('/admin/markets', body)).status, 201)
  await young.followed()
  const found = await young.send('GET', '/markets/search?query=bitcoin')
  assert.equal(at(found.body, 'markets', 0, 'slug'), 'btc-200k', found.text)
})

test('a page is a part of all that was found', async () => {
  const whole = await slugsOf('/markets/search?query=crypto')
  assert.deepEqual(new Set(whole), new Set(['btc-150k', 'eth-10k']))
  const { body } = await search('crypto', '&limit=1&page=2&includeNextMarket=true')
  assert.equal(at(body, 'markets', 0, 'slug'), whole[1])
  assert.deepEqual([at(body, 'total'), at(body, 'page'), at(body, 'limit')], [2, 2, 1])
  const { body: behind } = await search('crypto', '&page=1000')
  assert.deepEqual([at(behind, 'markets'), at(behind, 'total')], [[], 2])
})

test('a page has up to 100 markets, as clients of several exchanges ask', async () => {
  const { status, body } = await search('crypto', '&limit=100')
  assert.equal(status, 200)
  assert.equal(at(body, 'limit'), 100)
  const above = await search('crypto', '&limit=101')
  assert.equal(codeOf(above), 'VALIDATION')
})

test('a threshold of 1 leaves those that have every word', async () => {
  assert.deepEqual(await slugsOf('/markets/search?query=rain&similarityThreshold=1'), [
    'rain-london',
  ])
  assert.deepEqual(await slugsOf('/markets/search?query=weather&similarityThreshold=1'), [
    'rain-london',
  ])
  assert.deepEqual(await slugsOf('/markets/search?query=storm&similarityThreshold=1'), [])
})

test('what cannot be a search is refused with a sentence', async () => {
  for (const bad of [
    '',
    '?query=',
    `?query=${'a'.repeat(201)}`,
    `?query=${'a'.repeat(10_000)}`,
    '?query=a&limit=0',
    '?query=a&limit=101',
    '?query=a&page=0',
    '?query=a&page=1001',
    '?query=a&similarityThreshold=1.1',
    '?query=a&similarityThreshold=-0.1',
    '?query=a&includeNextMarket=perhaps',
    '?query=a&other=1',
    '?query=a&query=b',
    '?query=%ff%fe',
  ]) {
    const { status, text } = await live.send('GET', `/markets/search${bad}`)
    assert.ok(status === 400 || status === 414 || status === 431, `${bad.slice(0, 40)}: ${text}`)
  }
  assert.equal(codeOf(await live.send('GET', '/markets/search')), 'VALIDATION')
})

test('any signs are a search', async () => {
  for (const text of [
    '"',
    '*',
    'NEAR(a b)',
    'AND',
    '😀',
    '\u202e',
    '\u200b',
    'مرحبا',
    'a:b',
    '%00',
  ]) {
    assert.equal((await search(text)).status, 200, JSON.stringify(text))
  }
  assert.equal((await live.send('GET', '/markets/search?query=%00')).status, 200)
})

test('recommendations are other active markets, those of the same category first', async () => {
  const near = await slugsOf('/markets/btc-150k/post-trade-recommendations')
  assert.equal(near[0], 'eth-10k')
  assert.deepEqual(new Set(near), new Set(['eth-10k', 'fed-march', 'rain-london']))
  const unknown = await live.send('GET', '/markets/never-there/post-trade-recommendations')
  assertRefused(unknown, 404, 'MARKET_NOT_FOUND')
})

test('next to a group its own markets come first, then those of its category', async () => {
  const categories = ['Elections']
  const markets = ['aa', 'bb'].map((name) => ({ slug: `${name}-wins`, title: name }))
  const group = { slug: 'mayor', title: 'Who becomes mayor?', categories, markets }
  // Its words are nearer to those of the group than the names of people are.
  const like = { kind: 'clob', slug: 'new-mayor', title: 'Who becomes mayor next?', categories }
  assert.equal((await live.admin('/admin/groups', group)).status, 201)
  assert.equal((await live.admin('/admin/markets', like)).status, 201)
  const near = await slugsOf('/markets/mayor/post-trade-recommendations')
  assert.deepEqual(new Set(near.slice(0, 2)), new Set(['aa-wins', 'bb-wins']))
  assert.equal(near[2], 'new-mayor')
})

test('an address that floods with different searches is rate limited', async () => {
  const flood = Array.from({ length: 200 }, (_each, at) => search(`flood number ${at} of crypto`))
  const detail = await live.send('GET', '/markets/btc-150k')
  assert.equal(detail.status, 200)
  const statuses = new Set((await Promise.all(flood)).map(({ status }) => status))
  assert.ok(statuses.has(200))
  for (const status of statuses) assert.ok([200, 429, 503].includes(status), String(status))
  assert.equal((await search('crypto')).status, 200, 'the flood left nothing behind')
})

test('a market that is resolved is found no more, and is still recommended from', async () => {
  const resolved = await live.admin('/admin/markets/eth-10k/resolve', { winningOutcomeIndex: 0 })
  assert.equal(resolved.status, 200)
  assert.deepEqual(await slugsOf('/markets/search?query=crypto'), ['btc-150k'])
  const near = await slugsOf('/markets/eth-10k/post-trade-recommendations')
  assert.equal(near[0], 'btc-150k')
})

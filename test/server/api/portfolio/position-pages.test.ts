import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exchange } from '../../../support/exchange.ts'
import { at } from '../../../support/json-path.ts'
import { accepted } from '../../../support/replies.ts'

// Positions of a profile with more markets than one page shows.

const SHARE = 1_000_000
const MARKETS = 7
const { live, alice } = await exchange({ traders: { alice: 1000 * SHARE } })

for (let number = 1; number <= MARKETS; number++) {
  const market = await live.openMarket(`m${number}`)
  const conditionId = live.exchange.pipeline.clearing.catalogue.bySlug(market.slug)?.conditionId
  // An open order alone puts a market on the list, too.
  if (number % 3 === 0) await live.place(alice, market, { ticks: 100 })
  else await live.call(alice, 'POST', '/portfolio/split', { conditionId, amount: '1000000' })
}

async function page(query: string): Promise<unknown> {
  const reply = await accepted(live.call(alice, 'GET', `/portfolio/positions${query}`))
  return reply.body
}

function slugsOf(reply: unknown): unknown[] {
  const rows = at(reply, 'clob')
  assert(Array.isArray(rows))
  return rows.map((row) => at(row, 'market', 'slug'))
}

const ALL = Array.from({ length: MARKETS }, (_, index) => `m${MARKETS - index}`)

test('without parameters a reply has the first page, in the same shape', async () => {
  const whole = await page('')
  assert.deepEqual(slugsOf(whole), ALL)
  assert.deepEqual([at(whole, 'isWhole'), at(whole, 'nextCursor')], [true, null])
  const names = Object.keys(Object(whole)).sort()
  const known = [
    'accumulativePoints',
    'amm',
    'clob',
    'group',
    'isWhole',
    'points',
    'rewards',
    'summary',
  ]
  assert.deepEqual(names, [...known, 'nextCursor'].sort())
})

test('pages of any size give every market once, newest first', async () => {
  const whole = await page('')
  const rows = at(whole, 'clob')
  for (let limit = 1; limit <= MARKETS + 1; limit++) {
    const found: unknown[] = []
    for (let cursor: unknown = ''; cursor !== null; ) {
      const part = await page(`?limit=${limit}&cursor=${cursor}`)
      const shown = at(part, 'clob')
      assert(Array.isArray(shown))
      assert.ok(shown.length > 0 && shown.length <= limit)
      found.push(...shown)
      const isOnly = cursor === '' && at(part, 'nextCursor') === null
      assert.equal(at(part, 'isWhole'), isOnly, 'a part of several is not whole')
      cursor = at(part, 'nextCursor')
    }
    assert.deepEqual(found, rows, `pages of ${limit}`)
  }
})

test('one market is selected by its slug', async () => {
  const held = await page('?market=m4')
  assert.deepEqual(slugsOf(held), ['m4'])
  const ordered = await page('?market=m3')
  assert.equal(at(ordered, 'clob', 0, 'orders', 'liveOrders', 0, 'price'), 0.1)
  await live.openMarket('untouched')
  assert.deepEqual(slugsOf(await page('?market=untouched')), [])
  const unknown = await live.call(alice, 'GET', '/portfolio/positions?market=nothing')
  assert.equal(unknown.status, 404)
})

test('a cursor that is none of this list and a page that is too long are refused', async () => {
  for (const query of ['cursor=abc', 'cursor=MA', 'limit=0', 'limit=251', 'limit=x']) {
    const refused = await live.call(alice, 'GET', `/portfolio/positions?${query}`)
    assert.equal(refused.status, 400, query)
  }
})

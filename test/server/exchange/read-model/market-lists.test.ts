import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Market } from '../../../../engine/core/markets/catalogue.ts'
import { LIMITS } from '../../../../engine/domain/limits.ts'
import type { MarketStatus } from '../../../../engine/domain/markets/market.ts'
import { market as marketShape } from '../../../../server/api/shapes.ts'
import { integer } from '../../../../server/edge/http/schema/scalars.ts'
import { compile, list, object } from '../../../../server/edge/http/schema/schema.ts'
import { MarketLists } from '../../../../server/exchange/read-model/lists/market-lists.ts'
import { marketView } from '../../../../server/exchange/read-model/market-view.ts'
import { PublishedMarkets } from '../../../../server/exchange/read-model/published.ts'
import { at } from '../../../support/json-path.ts'
import { marketOf } from '../../../support/specs.ts'

// Lists of markets are joined from bytes; a market is encoded once per change.

const START_MS = 1_800_000_000_000
const COLLATERAL = { address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', decimals: 6 }
const USDC = { ...COLLATERAL, symbol: 'USDC' }
const pageShape = compile(object({ data: list(marketShape()), totalMarketsCount: integer(0) }))

class Shown {
  readonly published = new PublishedMarkets()
  readonly time = { nowMs: START_MS }
  readonly lists = new MarketLists(this.published, USDC, () => this.time.nowMs)

  constructor(count: number, fieldsOf: (marketId: number) => Partial<Market> = () => ({})) {
    for (let marketId = 1; marketId <= count; marketId++) {
      this.published.add(marketOf(marketId, fieldsOf(marketId)))
    }
  }

  change(marketId: number, status: MarketStatus = 'FUNDED'): void {
    const market = this.published.byId(marketId)?.market
    assert.ok(market !== undefined)
    this.time.nowMs++
    this.published.refresh({ ...market, status, updatedMs: this.time.nowMs })
  }

  page(page = 1, limit = 25) {
    const value: unknown = JSON.parse(
      this.lists.page({ sortBy: 'newest', page, limit }).whole().toString(),
    )
    assert.ok(pageShape.holds(value), JSON.stringify(pageShape.issues(value)))
    return value
  }

  slugs(): string[] {
    const value: { slug: string }[] = JSON.parse(this.lists.slugs().toString())
    return value.map((entry) => entry.slug)
  }

  views(...marketIds: number[]) {
    return marketIds.map((marketId) => {
      const published = this.published.byId(marketId)
      assert.ok(published !== undefined)
      const view: unknown = JSON.parse(JSON.stringify(marketView(published, USDC, this.time.nowMs)))
      return view
    })
  }
}

test('a page has the open markets as they are now, newest first, up to the last one', () => {
  const shown = new Shown(7)
  assert.deepEqual(shown.page(1, 3), { data: shown.views(7, 6, 5), totalMarketsCount: 7 })
  assert.deepEqual(shown.page(3, 3), { data: shown.views(1), totalMarketsCount: 7 })
  assert.deepEqual(shown.page(4, 3), { data: [], totalMarketsCount: 7 })
  shown.change(6)
  assert.deepEqual(shown.page(1, 3), { data: shown.views(7, 6, 5), totalMarketsCount: 7 })
  shown.change(7, 'RESOLVED')
  shown.published.add(marketOf(8))
  assert.deepEqual(shown.page(1, 3), { data: shown.views(8, 6, 5), totalMarketsCount: 7 })
  assert.deepEqual(
    shown.slugs(),
    [8, 6, 5, 4, 3, 2, 1].map((id) => `market-${id}`),
  )
})

test('a market is encoded once per change, however often and on any page it is read', () => {
  const shown = new Shown(LIMITS.booksMax)
  for (let page = 1; page <= 1000; page++) shown.lists.page({ sortBy: 'newest', page, limit: 25 })
  assert.equal(shown.lists.encodedCount, LIMITS.booksMax)
  // A market that changes a thousand times between two reads is encoded once.
  for (let move = 0; move < 1000; move++) shown.change(LIMITS.booksMax)
  for (let limit = 1; limit <= 25; limit++) shown.page(1, limit)
  assert.equal(shown.lists.encodedCount, LIMITS.booksMax + 1)
})

test('the list of slugs is the same bytes until a market is added or ends', () => {
  const shown = new Shown(100)
  const before = shown.lists.slugs()
  assert.equal(shown.lists.slugs(), before)
  shown.change(3, 'RESOLVED')
  assert.notEqual(shown.lists.slugs(), before)
  assert.equal(shown.slugs().length, 99)
})

test('the list of slugs has the strike price of a title that was changed, and the ticker', () => {
  const properties = { ticker: ['BTC', 'ETH'] }
  const shown = new Shown(2, (marketId) => (marketId === 1 ? { properties } : {}))
  const entries = () => JSON.parse(shown.lists.slugs().toString()).map(Object)
  const reported = () =>
    entries().map((entry: unknown) => [at(entry, 'strikePrice'), at(entry, 'ticker')])
  assert.deepEqual(reported(), [
    [null, null],
    [null, 'BTC'],
  ])
  const market = shown.published.byId(1)?.market
  assert.ok(market !== undefined)
  shown.published.refresh({ ...market, title: 'Above $95,000?' })
  assert.deepEqual(reported(), [
    [null, null],
    ['95000', 'BTC'],
  ])
})

test('a market is shown as expired once its deadline has passed, without other change', () => {
  const shown = new Shown(2, (marketId) => ({ deadlineMs: START_MS + marketId * 1000 }))
  const expired = () => shown.page().data.map((market) => at(market, 'expired'))
  assert.deepEqual(expired(), [false, false])
  shown.time.nowMs = START_MS + 1000
  assert.deepEqual(expired(), [false, true])
  shown.time.nowMs = START_MS + 2000
  assert.deepEqual(expired(), [true, true])
})

test('encoded markets take bounded memory, and pages are right beyond the bound', () => {
  const description = '\u20ac'.repeat(LIMITS.descriptionCharactersMax)
  const many = Math.ceil((LIMITS.marketBytesCachedMax * 1.5) / (description.length * 3))
  const shown = new Shown(many, () => ({ description }))
  for (let page = 1; page * 25 <= many; page++) {
    shown.lists.page({ sortBy: 'newest', page, limit: 25 })
    assert.ok(shown.lists.heldBytes <= LIMITS.marketBytesCachedMax)
  }
  assert.deepEqual(shown.page(1, 2), { data: shown.views(many, many - 1), totalMarketsCount: many })
})

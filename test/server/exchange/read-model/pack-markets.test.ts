import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Market } from '../../../../engine/core/markets/catalogue.ts'
import { PublishedMarkets } from '../../../../server/exchange/read-model/published.ts'
import { marketOf } from '../../../support/specs.ts'

// The markets that packs can be made of are kept in order as they change.

function shown(count: number): PublishedMarkets {
  const published = new PublishedMarkets()
  for (let marketId = 1; marketId <= count; marketId++) published.add(marketOf(marketId))
  return published
}

test('they are listed newest first, in pages', () => {
  const { forPacks } = shown(5)
  assert.deepEqual(forPacks.page(0, 2), [5, 4])
  assert.deepEqual(forPacks.page(2, 2), [3, 2])
  assert.deepEqual(forPacks.page(4, 2), [1])
  assert.deepEqual(forPacks.page(5, 2), [])
  assert.equal(forPacks.count, 5)
})

test('a market leaves the list and comes back to its place; pools and groups are not in it', () => {
  const published = shown(4)
  const { forPacks } = published
  published.refresh(marketOf(2, { status: 'LOCKED' }))
  published.refresh(marketOf(4, { status: 'RESOLVED', payoutNumerators: [1, 0] }))
  assert.deepEqual(forPacks.page(0, 10), [3, 1])
  published.refresh(marketOf(2))
  assert.deepEqual(forPacks.page(0, 10), [3, 2, 1])
  published.refresh(marketOf(3, { isFailed: true }))
  published.remove(marketOf(4))
  published.add(marketOf(5, { kind: 'group' }))
  published.add(marketOf(6, { kind: 'amm', poolAddress: `0x${'a'.repeat(40)}` }))
  published.add(marketOf(7))
  assert.deepEqual(forPacks.page(0, 10), [7, 2, 1])
})

test('a page looks at no market, however many there are', () => {
  for (const count of [10, 3000]) {
    let reads = 0
    const published = new PublishedMarkets()
    for (let marketId = 1; marketId <= count; marketId++) {
      const get = (market: Market, key: keyof Market) => {
        reads++
        return market[key]
      }
      published.add(new Proxy(marketOf(marketId), { get }))
    }
    const before = reads
    assert.equal(published.forPacks.page(0, 5).length, 5)
    assert.equal(published.forPacks.count, count)
    assert.deepEqual([before > 0, reads - before], [true, 0], `${count} markets`)
  }
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { orderbookListSteps } from '../../../../server/exchange/read-model/book-lists.ts'
import { orderbookBytes } from '../../../../server/exchange/read-model/book-views.ts'
import { PublishedMarkets } from '../../../../server/exchange/read-model/published.ts'
import { marketOf } from '../../../support/specs.ts'

// Many books in one reply: how much of it one step encodes.

const START_MS = 1_800_000_000_000
const BOOKS = 50

function books() {
  const published = new PublishedMarkets()
  const all = Array.from({ length: BOOKS }, (_, at) => published.add(marketOf(at + 1)))
  for (const each of all) {
    for (let ticks = 1; ticks < 999; ticks++) each.depth.rested(ticks, 1_000_000, ticks < 500)
  }
  const requested = all.map((each) => ({ slug: each.market.slug, published: each }))
  return { published, all, requested }
}

const encodedIn = (all: readonly { bookBytes: Buffer | null }[]) =>
  all.filter(({ bookBytes }) => bookBytes !== null).length

test('a step encodes one book, and none that is encoded already', () => {
  const { all, requested } = books()
  orderbookBytes(all[3], START_MS)
  const steps = orderbookListSteps(requested, () => START_MS)
  let before = encodedIn(all)
  let count = 0
  let step = steps.next()
  for (; step.done !== true; step = steps.next()) {
    count++
    assert.equal(encodedIn(all), before + 1, 'one book in a step')
    before++
  }
  assert.equal(count, BOOKS - 1)
  const body: { books: { book: { bids: object[]; asks: object[] } }[] } = JSON.parse(
    step.value.whole().toString(),
  )
  assert.equal(body.books.length, BOOKS)
  assert.deepEqual(body.books[0].book.bids[0], { price: 0.499, size: 1_000_000, side: 'BUY' })
  assert.deepEqual(body.books[0].book.asks[0], { price: 0.5, size: 1_000_000, side: 'SELL' })
  assert.equal(body.books[0].book.bids.length + body.books[0].book.asks.length, 998)
  const again = orderbookListSteps(requested, () => START_MS)
  assert.equal(again.next().done, true, 'nothing changed, so one step joins all')
})

test('a book that changes behind its step is not encoded again', () => {
  const { published, all, requested } = books()
  const steps = orderbookListSteps(requested, () => START_MS)
  steps.next()
  for (const { market, depth } of all) {
    depth.rested(499, 5_000_000, true)
    published.refresh({ ...market, updatedMs: START_MS + 1 })
  }
  let step = steps.next()
  while (step.done !== true) step = steps.next()
  assert.equal(all[0].bookBytes, null, 'the last step encodes nothing')
  const body: { books: { book: { bids: object[] } }[] } = JSON.parse(step.value.whole().toString())
  const best = body.books.map(({ book }) => book.bids[0])
  assert.deepEqual(best[0], { price: 0.499, size: 1_000_000, side: 'BUY' })
  assert.deepEqual(best[1], { price: 0.499, size: 6_000_000, side: 'BUY' })
})

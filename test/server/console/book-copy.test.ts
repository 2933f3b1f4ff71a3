import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BookCopy } from '../../../server/console/exchange/book-copy.ts'
import type { Level } from '../../../server/console/exchange/shapes.ts'

// The copy of a book in a browser: what it takes, and when it must say that it is behind.

const level = (price: number, size: number): Level => ({ price, size })

function whole(sequence: number, bids: readonly Level[], asks: readonly Level[]) {
  const orderbook = { bids, asks, midpoint: 0.5, lastTradePrice: 0.51 }
  return { marketSlug: 'rain', orderbook, sequence }
}

function changes(sequence: number, bids: readonly Level[], asks: readonly Level[] = []) {
  return { marketSlug: 'rain', bids, asks, midpoint: 0.4, lastTradePrice: 0.4, sequence }
}

function copyAt7(): BookCopy {
  const copy = new BookCopy()
  copy.takeWhole(whole(7, [level(0.48, 100), level(0.47, 200)], [level(0.55, 300)]))
  return copy
}

test('changes before the first whole book change nothing', () => {
  const copy = new BookCopy()
  assert.equal(copy.takeChanges(changes(1, [level(0.5, 1)])), 'ignored')
  assert.equal(copy.isCurrent, false)
  assert.deepEqual(copy.bids, [])
})

test('changes follow by one: sizes are absolute, and 0 ends a level', () => {
  const copy = copyAt7()
  assert.equal(
    copy.takeChanges(changes(8, [level(0.48, 0), level(0.46, 5)], [level(0.55, 9)])),
    'current',
  )
  assert.deepEqual(copy.bids, [level(0.47, 200), level(0.46, 5)])
  assert.deepEqual(copy.asks, [level(0.55, 9)])
  assert.equal(copy.sequence, 8)
  assert.equal(copy.midpoint, 0.4)
  assert.equal(copy.lastTradePrice, 0.4)
})

test('a frame too far ahead is a gap: nothing is taken until a whole book comes', () => {
  const copy = copyAt7()
  assert.equal(copy.takeChanges(changes(9, [level(0.1, 1)])), 'gap')
  assert.equal(copy.isCurrent, false)
  assert.equal(copy.takeChanges(changes(8, [level(0.2, 1)])), 'ignored')
  assert.equal(copy.takeChanges(changes(10, [level(0.2, 1)])), 'ignored')
  assert.deepEqual(copy.bids, [level(0.48, 100), level(0.47, 200)])
  assert.equal(copy.takeWhole(whole(10, [level(0.3, 4)], [])), 'current')
  assert.equal(copy.isCurrent, true)
  assert.deepEqual(copy.bids, [level(0.3, 4)])
  assert.deepEqual(copy.asks, [])
})

test('a frame that is known already changes nothing, and is no gap', () => {
  const copy = copyAt7()
  assert.equal(copy.takeChanges(changes(7, [level(0.1, 1)])), 'ignored')
  assert.equal(copy.takeChanges(changes(3, [level(0.1, 1)])), 'ignored')
  assert.equal(copy.isCurrent, true)
  assert.equal(copy.bestBid, 0.48)
})

test('a whole book that is older than a current copy changes nothing', () => {
  const copy = copyAt7()
  assert.equal(copy.takeWhole(whole(6, [level(0.1, 1)], [])), 'ignored')
  assert.equal(copy.sequence, 7)
  assert.equal(copy.bestBid, 0.48)
})

test('a whole book of the same number may be newer: it replaces the copy', () => {
  const copy = copyAt7()
  assert.equal(copy.takeWhole(whole(7, [level(0.2, 1)], [])), 'current')
  assert.equal(copy.bestBid, 0.2)
})

test('after a lost link only a whole book helps, of a server that counts again too', () => {
  const copy = copyAt7()
  copy.lose()
  assert.equal(copy.isCurrent, false)
  assert.equal(copy.takeChanges(changes(8, [level(0.1, 1)])), 'ignored')
  assert.equal(copy.takeWhole(whole(1, [level(0.33, 3)], [])), 'current')
  assert.equal(copy.sequence, 1)
  assert.equal(copy.takeChanges(changes(2, [level(0.34, 3)])), 'current')
  assert.equal(copy.bestBid, 0.34)
})

test('levels come best first, and an empty side has no best', () => {
  const copy = new BookCopy()
  copy.takeWhole(whole(1, [level(0.1, 1), level(0.3, 2), level(0.2, 3)], []))
  assert.deepEqual(
    copy.bids.map(({ price }) => price),
    [0.3, 0.2, 0.1],
  )
  assert.equal(copy.bestAsk, null)
  copy.takeChanges(changes(2, [], [level(0.7, 1), level(0.6, 1)]))
  assert.equal(copy.bestAsk, 0.6)
  assert.deepEqual(
    copy.asks.map(({ price }) => price),
    [0.6, 0.7],
  )
})

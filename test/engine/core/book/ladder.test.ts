import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  link,
  occupiedFrom,
  occupiedUpTo,
  resetLadder,
  unlink,
} from '../../../../engine/core/book/ladder.ts'
import { levels } from '../../../../engine/core/book/levels.ts'

const { bestAskOf, bestBidOf, NO_ASK, NO_BID } = levels

import { freshSeed, Random } from '../../../support/random.ts'

const EDGES = [1, 2, 30, 31, 32, 33, 62, 63, 64, 65, 495, 511, 512, 959, 960, 990, 991, 992, 998]
const TICKS = [...EDGES, 999]
const BOOK = 3

test('a single level is found from every tick, at the edges of bitmap words too', () => {
  for (const only of TICKS) {
    resetLadder(BOOK)
    link(1, BOOK, only, true)
    for (let ticks = 0; ticks <= 1000; ticks++) {
      assert.equal(occupiedFrom(BOOK, ticks), ticks <= only ? only : NO_ASK)
      assert.equal(occupiedUpTo(BOOK, ticks), ticks >= only ? only : NO_BID)
    }
    unlink(1)
    assert.equal(bestBidOf[BOOK], NO_BID)
    assert.equal(occupiedFrom(BOOK, 1), NO_ASK)
  }
})

test('between any two levels the search stops at the nearer one', () => {
  for (const low of TICKS) {
    for (const high of TICKS) {
      if (low >= high) continue
      resetLadder(BOOK)
      link(1, BOOK, low, true)
      link(2, BOOK, high, false)
      assert.equal(occupiedFrom(BOOK, low + 1), high)
      assert.equal(occupiedUpTo(BOOK, high - 1), low)
      assert.deepEqual([bestBidOf[BOOK], bestAskOf[BOOK]], [low, high])
      unlink(1)
      assert.deepEqual([bestBidOf[BOOK], bestAskOf[BOOK]], [NO_BID, high])
      unlink(2)
      assert.deepEqual([bestBidOf[BOOK], bestAskOf[BOOK]], [NO_BID, NO_ASK])
    }
  }
})

test('best prices and searches equal a plain set of levels through random links', () => {
  const random = new Random(freshSeed())
  resetLadder(BOOK)
  resetLadder(BOOK - 1)
  resetLadder(BOOK + 1)
  const ticksOf = new Map<number, number>()
  // Bids are below 500 and asks above, because levels that meet would have matched.
  for (let step = 0; step < 60_000; step++) {
    const slot = random.between(1, 60)
    if (ticksOf.has(slot)) {
      unlink(slot)
      ticksOf.delete(slot)
    } else {
      const ticks = random.chance(0.5) ? random.pick(TICKS) : random.between(1, 999)
      link(slot, BOOK, ticks, ticks < 500)
      ticksOf.set(slot, ticks)
    }
    const levels = [...ticksOf.values()]
    const at = random.between(0, 1000)
    const from = Math.min(NO_ASK, ...levels.filter((ticks) => ticks >= at))
    const upTo = Math.max(NO_BID, ...levels.filter((ticks) => ticks <= at))
    assert.equal(occupiedFrom(BOOK, at), from)
    assert.equal(occupiedUpTo(BOOK, at), upTo)
    assert.equal(bestBidOf[BOOK], Math.max(NO_BID, ...levels.filter((ticks) => ticks < 500)))
    assert.equal(bestAskOf[BOOK], Math.min(NO_ASK, ...levels.filter((ticks) => ticks >= 500)))
  }
  assert.equal(occupiedFrom(BOOK - 1, 1), NO_ASK)
  assert.equal(occupiedFrom(BOOK + 1, 1), NO_ASK)
  for (const slot of ticksOf.keys()) unlink(slot)
})

// Hot path. bench/book.bench.ts
// One YES ladder per book: 1024 levels with FIFO queues, an occupancy bitmap and the best prices.
//
//   level = book × 1024 + ticks      word = book × 32 + (ticks >> 5)
//
// Invariants: a level holds one side; its bit is set if and only if its queue is not empty; bestBid
// is the highest bid (0 if none), bestAsk the lowest ask (1000 if none); bestBid < bestAsk between
// commands. Tick 0 is not a price: its queue contains held orders, as bids. Best prices and walks
// stay at tick 1 and above, so matching never sees held orders.

import type { Slot } from '../../domain/ids.ts'
import { levels } from './levels.ts'
import { orderPool } from './order-pool.ts'

const { BOOKS, LEVELS_SHIFT, NO_ASK, NO_BID, bestAskOf, bestBidOf, headOf, tailOf } = levels
const { leftOf, levelOf, nextOf, previousOf } = orderPool

const TICKS_MASK = (1 << LEVELS_SHIFT) - 1
const BITMAP_SHIFT = LEVELS_SHIFT - 5
const bitmap = new Int32Array(BOOKS << BITMAP_SHIFT)
// One bit per bitmap word. A book of the exchange has one summary word, a wider one has more.
const SUMMARY_SHIFT = BITMAP_SHIFT - 5
const SUMMARY_WORDS = 1 << SUMMARY_SHIFT
const summary = new Int32Array(BOOKS << SUMMARY_SHIFT)
const NO_WORD = -1

export function resetLadder(book: number): void {
  headOf.fill(0, book << LEVELS_SHIFT, (book + 1) << LEVELS_SHIFT)
  tailOf.fill(0, book << LEVELS_SHIFT, (book + 1) << LEVELS_SHIFT)
  bitmap.fill(0, book << BITMAP_SHIFT, (book + 1) << BITMAP_SHIFT)
  summary.fill(0, book << SUMMARY_SHIFT, (book + 1) << SUMMARY_SHIFT)
  bestBidOf[book] = NO_BID
  bestAskOf[book] = NO_ASK
}

/** Lowest occupied tick at or above `ticks`; 1000 if none. */
export function occupiedFrom(book: number, ticks: number): number {
  if (ticks >= NO_ASK) return NO_ASK
  const word = ticks >> 5
  const here = bitmap[(book << BITMAP_SHIFT) + word] & (-1 << (ticks & 31))
  if (here !== 0) return (word << 5) + lowestBit(here)
  const next = wordAbove(book, word)
  if (next === NO_WORD) return NO_ASK
  return (next << 5) + lowestBit(bitmap[(book << BITMAP_SHIFT) + next])
}

/** Highest occupied tick at or below `ticks`; 0 if none. */
export function occupiedUpTo(book: number, ticks: number): number {
  if (ticks <= NO_BID) return NO_BID
  const word = ticks >> 5
  const bit = ticks & 31
  const here = bitmap[(book << BITMAP_SHIFT) + word] & (bit === 31 ? -1 : (1 << (bit + 1)) - 1)
  if (here !== 0) return (word << 5) + highestBit(here)
  const next = wordBelow(book, word)
  if (next === NO_WORD) return NO_BID
  return (next << 5) + highestBit(bitmap[(book << BITMAP_SHIFT) + next])
}

function wordAbove(book: number, word: number): number {
  const first = book << SUMMARY_SHIFT
  const bit = word & 31
  let at = word >> 5
  let found = bit === 31 ? 0 : summary[first + at] & (-1 << (bit + 1))
  while (found === 0) {
    if (++at >= SUMMARY_WORDS) return NO_WORD
    found = summary[first + at]
  }
  return (at << 5) + lowestBit(found)
}

function wordBelow(book: number, word: number): number {
  const first = book << SUMMARY_SHIFT
  let at = word >> 5
  let found = summary[first + at] & ((1 << (word & 31)) - 1)
  while (found === 0) {
    if (--at < 0) return NO_WORD
    found = summary[first + at]
  }
  return (at << 5) + highestBit(found)
}

function lowestBit(word: number): number {
  return 31 - Math.clz32(word & -word)
}

function highestBit(word: number): number {
  return 31 - Math.clz32(word)
}

/** Appends an order to the queue of its level. */
export function link(slot: Slot, book: number, ticks: number, isBid: boolean): void {
  const level = (book << LEVELS_SHIFT) + ticks
  levelOf[slot] = level
  nextOf[slot] = 0
  const tail = tailOf[level]
  previousOf[slot] = tail
  tailOf[level] = slot
  if (tail !== 0) {
    nextOf[tail] = slot
    return
  }
  headOf[level] = slot
  const word = ticks >> 5
  bitmap[(book << BITMAP_SHIFT) + word] |= 1 << (ticks & 31)
  summary[(book << SUMMARY_SHIFT) + (word >> 5)] |= 1 << (word & 31)
  if (isBid) {
    if (ticks > bestBidOf[book]) bestBidOf[book] = ticks
  } else if (ticks < bestAskOf[book]) bestAskOf[book] = ticks
}

/** Removes an order from anywhere in its queue, and updates the best prices. */
export function unlink(slot: Slot): void {
  const level = levelOf[slot]
  const next = nextOf[slot]
  const previous = previousOf[slot]
  leftOf[slot] = 0
  if (previous === 0) headOf[level] = next
  else nextOf[previous] = next
  if (next === 0) tailOf[level] = previous
  else previousOf[next] = previous
  if (previous === 0 && next === 0) emptied(level >> LEVELS_SHIFT, level & TICKS_MASK)
}

function emptied(book: number, ticks: number): void {
  const word = ticks >> 5
  const index = (book << BITMAP_SHIFT) + word
  bitmap[index] &= ~(1 << (ticks & 31))
  if (bitmap[index] === 0) {
    summary[(book << SUMMARY_SHIFT) + (word >> 5)] &= ~(1 << (word & 31))
  }
  if (ticks === bestBidOf[book]) bestBidOf[book] = occupiedUpTo(book, ticks)
  else if (ticks === bestAskOf[book]) bestAskOf[book] = occupiedFrom(book, ticks)
}

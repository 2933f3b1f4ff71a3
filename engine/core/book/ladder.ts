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
const bitmap = new Int32Array(BOOKS << 5)
/** One bit per bitmap word. */
const summary = new Int32Array(BOOKS)

export function resetLadder(book: number): void {
  headOf.fill(0, book << LEVELS_SHIFT, (book + 1) << LEVELS_SHIFT)
  tailOf.fill(0, book << LEVELS_SHIFT, (book + 1) << LEVELS_SHIFT)
  bitmap.fill(0, book << 5, (book + 1) << 5)
  summary[book] = 0
  bestBidOf[book] = NO_BID
  bestAskOf[book] = NO_ASK
}

/** Lowest occupied tick at or above `ticks`; 1000 if none. */
export function occupiedFrom(book: number, ticks: number): number {
  if (ticks >= NO_ASK) return NO_ASK
  const word = ticks >> 5
  const here = bitmap[(book << 5) + word] & (-1 << (ticks & 31))
  if (here !== 0) return (word << 5) + lowestBit(here)
  const above = word === 31 ? 0 : summary[book] & (-1 << (word + 1))
  if (above === 0) return NO_ASK
  const next = lowestBit(above)
  return (next << 5) + lowestBit(bitmap[(book << 5) + next])
}

/** Highest occupied tick at or below `ticks`; 0 if none. */
export function occupiedUpTo(book: number, ticks: number): number {
  if (ticks <= NO_BID) return NO_BID
  const word = ticks >> 5
  const bit = ticks & 31
  const here = bitmap[(book << 5) + word] & (bit === 31 ? -1 : (1 << (bit + 1)) - 1)
  if (here !== 0) return (word << 5) + 31 - Math.clz32(here)
  const below = summary[book] & ((1 << word) - 1)
  if (below === 0) return NO_BID
  const next = 31 - Math.clz32(below)
  return (next << 5) + 31 - Math.clz32(bitmap[(book << 5) + next])
}

function lowestBit(word: number): number {
  return 31 - Math.clz32(word & -word)
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
  bitmap[(book << 5) + word] |= 1 << (ticks & 31)
  summary[book] |= 1 << word
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
  const index = (book << 5) + word
  bitmap[index] &= ~(1 << (ticks & 31))
  if (bitmap[index] === 0) summary[book] &= ~(1 << word)
  if (ticks === bestBidOf[book]) bestBidOf[book] = occupiedUpTo(book, ticks)
  else if (ticks === bestAskOf[book]) bestAskOf[book] = occupiedFrom(book, ticks)
}

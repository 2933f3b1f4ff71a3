// Hot path. bench/book.bench.ts
// Columns of the orders that rest or are held in this thread's books, by global slot. Slot 0 is
// unused.
// Invariant: leftOf[slot] > 0 if and only if the order is linked into its level's queue. Untouched
// pages of a column cost only address space, so every thread can have full columns.

import { LIMITS } from '../../domain/limits.ts'

const SLOTS = LIMITS.orderSlotsMax

/**
 * Hot modules copy the columns into their own constants. V8 embeds these in the code, but loads and
 * checks an imported binding at each use.
 */
export const orderPool = {
  leftOf: new Float64Array(SLOTS),
  nextOf: new Int32Array(SLOTS),
  previousOf: new Int32Array(SLOTS),
  ownerOf: new Int32Array(SLOTS),
  generationOf: new Uint32Array(SLOTS),
  /** book × 1024 + ladder ticks. */
  levelOf: new Int32Array(SLOTS),
} as const

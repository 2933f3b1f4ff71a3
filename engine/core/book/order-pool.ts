// Hot path. bench/book.bench.ts
// Columns of the orders resting or held in this thread's books, by global slot. Slot 0 is no order.
// Invariant: leftOf[slot] > 0 exactly while the order is linked into the queue of its level.
// Untouched pages of a column cost address space only, so every thread can hold full columns.

import { LIMITS } from '../../domain/limits.ts'

const SLOTS = LIMITS.orderSlotsMax

/**
 * Hot modules copy the columns into constants of their own. V8 embeds those in the code, but loads
 * and checks an imported binding at every use.
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

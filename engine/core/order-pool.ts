// Hot path. bench/book.bench.ts
// Columns of the orders resting in this thread's books, by global slot. Slot 0 is no order.
// Invariant: leftOf[slot] > 0 exactly while the order is linked into the queue of its level.
// Untouched pages of a column cost address space only, so every thread can hold full columns.

import { LIMITS } from '../domain/limits.ts'

const SLOTS = LIMITS.orderSlotsMax

export const leftOf = new Float64Array(SLOTS)
export const nextOf = new Int32Array(SLOTS)
export const previousOf = new Int32Array(SLOTS)
export const ownerOf = new Int32Array(SLOTS)
export const generationOf = new Uint32Array(SLOTS)
/** book × 1024 + ladder ticks. */
export const levelOf = new Int32Array(SLOTS)

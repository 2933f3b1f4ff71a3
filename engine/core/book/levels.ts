// Hot path. bench/book.bench.ts
// Columns of the ladders: head and tail of each level's queue, and the best prices of each book.

import { LIMITS } from '../../domain/limits.ts'

const BOOKS = LIMITS.booksMax + 1
const LEVELS_SHIFT = 10

/** Hot modules copy these into their own constants; order-pool.ts explains why. */
export const levels = {
  BOOKS,
  LEVELS_SHIFT,
  NO_BID: 0,
  NO_ASK: 1000,
  /** Not a price: the queue of orders held by the taker delay. Matching never visits it. */
  HELD_TICKS: 0,
  headOf: new Int32Array(BOOKS << LEVELS_SHIFT),
  tailOf: new Int32Array(BOOKS << LEVELS_SHIFT),
  bestBidOf: new Int32Array(BOOKS),
  bestAskOf: new Int32Array(BOOKS),
} as const

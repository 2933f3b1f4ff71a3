// Hot path. bench/book.bench.ts
// Columns of the ladders: the ends of each level's queue, and the best prices of each book.

import { LIMITS } from '../../domain/limits.ts'

const BOOKS = LIMITS.marketsMax + 1
const LEVELS_SHIFT = 10

/** Taken apart into constants by each hot module, for the reason order-pool.ts gives. */
export const levels = {
  BOOKS,
  LEVELS_SHIFT,
  NO_BID: 0,
  NO_ASK: 1000,
  /** No price: this queue of a book keeps the orders that taker delay holds, out of every walk. */
  HELD_TICKS: 0,
  headOf: new Int32Array(BOOKS << LEVELS_SHIFT),
  tailOf: new Int32Array(BOOKS << LEVELS_SHIFT),
  bestBidOf: new Int32Array(BOOKS),
  bestAskOf: new Int32Array(BOOKS),
} as const

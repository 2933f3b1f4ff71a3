// Hot path. bench/book.bench.ts
// Columns of the ladders: the ends of each level's queue, and the best prices of each book.

import { LIMITS } from '../../domain/limits.ts'

const BOOKS = LIMITS.booksMax + 1
const LEVELS_SHIFT = 10

/** Each hot module copies these into constants of its own; order-pool.ts says why. */
export const levels = {
  BOOKS,
  LEVELS_SHIFT,
  NO_BID: 0,
  NO_ASK: 1000,
  /** No price: the orders that taker delay holds wait in this queue, where no walk reaches them. */
  HELD_TICKS: 0,
  headOf: new Int32Array(BOOKS << LEVELS_SHIFT),
  tailOf: new Int32Array(BOOKS << LEVELS_SHIFT),
  bestBidOf: new Int32Array(BOOKS),
  bestAskOf: new Int32Array(BOOKS),
} as const

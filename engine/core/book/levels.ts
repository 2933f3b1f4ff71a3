// Hot path. bench/book.bench.ts
// Columns of the ladders: head and tail of each level's queue, and the best prices of each book.

import { arena } from './arena.ts'

const { books, levelsShift, noAsk } = arena

/** Hot modules copy these into their own constants; order-pool.ts explains why. */
export const levels = {
  BOOKS: books,
  LEVELS_SHIFT: levelsShift,
  NO_BID: 0,
  NO_ASK: noAsk,
  /** Not a price: the queue of orders held by the taker delay. Matching never visits it. */
  HELD_TICKS: 0,
  headOf: new Int32Array(books << levelsShift),
  tailOf: new Int32Array(books << levelsShift),
  bestBidOf: new Int32Array(books),
  bestAskOf: new Int32Array(books).fill(noAsk),
} as const

// Hot path. bench/book.bench.ts
// Columns of the ladders: the ends of each level's queue, and the best prices of each book.

import { LIMITS } from '../domain/limits.ts'

export const LEVELS_SHIFT = 10
export const NO_BID = 0
export const NO_ASK = 1000
export const BOOKS = LIMITS.marketsMax + 1

export const headOf = new Int32Array(BOOKS << LEVELS_SHIFT)
export const tailOf = new Int32Array(BOOKS << LEVELS_SHIFT)
export const bestBidOf = new Int32Array(BOOKS)
export const bestAskOf = new Int32Array(BOOKS)

// The shape of the arena that holds all books of a thread. The modules of the hot path copy it into
// their own constants when they load. A program with wider books changes it before it loads them
// (bench/published); the exchange never does.

import { LIMITS } from '../../domain/limits.ts'

export const arena = {
  books: LIMITS.booksMax + 1,
  /** A book has 2 ** levelsShift levels; its prices are 1 to noAsk - 1. */
  levelsShift: 10,
  noAsk: 1000,
}

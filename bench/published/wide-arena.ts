// One book of 2^16 levels: prices of the published benchmark run over tens of thousands of ticks.
// Import this file before any file of the book.

import { arena } from '../../engine/core/book/arena.ts'

arena.books = 2
arena.levelsShift = 16
arena.noAsk = 0xffff

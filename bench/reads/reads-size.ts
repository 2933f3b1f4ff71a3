// The exchange that `make bench-reads` reads: how many markets it has, and which id is which.

import { marketSpec } from '../../test/support/specs.ts'

export interface ReadsSize {
  /** Four of five have a book; the fifth is a group of two of them. */
  readonly active: number
  readonly resolved: number
  readonly trades: number
}

/** Active markets come in blocks: two of their own, a group, and its two children. */
export const BLOCK = { markets: 5, books: 4, groupAt: 2 } as const

/** Slugs: `market-1` to `market-{resolved}` are resolved, the next `active` are open. */
export function slugOf(marketId: number): string {
  return marketSpec(marketId).slug
}

export function booksOf({ active }: ReadsSize): number {
  return (active / BLOCK.markets) * BLOCK.books
}

/** The market of a book, counted from 1. */
export function marketOfBook({ resolved }: ReadsSize, book: number): number {
  const block = Math.floor((book - 1) / BLOCK.books)
  const at = (book - 1) % BLOCK.books
  return resolved + 1 + block * BLOCK.markets + (at < BLOCK.groupAt ? at : at + 1)
}

/** A group, counted from 0. */
export function groupOf({ resolved }: ReadsSize, index: number): number {
  return resolved + 1 + index * BLOCK.markets + BLOCK.groupAt
}

// By what lists tell markets apart, besides what an operator says of them.

import type { PublishedMarket } from './published.ts'

/** By what a market is traded. Every market has a book of its own. */
export function tradeTypeOf(_published: PublishedMarket): 'amm' | 'clob' | 'group' {
  return 'clob'
}

/** What runs a market. Operators run every market by hand. */
export function automationTypeOf(_published: PublishedMarket): 'manual' | 'lumy' | 'sports' {
  return 'manual'
}

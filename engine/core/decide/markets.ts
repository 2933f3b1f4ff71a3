// Gates of commands on markets and groups. Each returns the refusal, or null if the command may be
// stamped.

import type { NewMarket, Resolution } from '../../domain/command.ts'
import { LIMITS } from '../../domain/limits.ts'
import {
  kindOf,
  type MarketChange,
  type MarketSpec,
  STATUS_CHANGES,
  takesOrders,
} from '../../domain/markets/market.ts'
import { REJECT, type Reject } from '../../domain/reject-precedence.ts'
import type { TimeMs } from '../../domain/units.ts'
import type { Clearing } from '../clearing.ts'
import { type Market, venueAddresses } from '../markets/catalogue.ts'
import { decideCategories } from './pages.ts'

/**
 * Whether these markets may be created, some of which take one of the first `booksMax` books. Slugs
 * of archived markets are in the read tables, where the caller checks them.
 */
export function decideMarkets(
  { catalogue, series }: Clearing,
  specs: readonly MarketSpec[],
  booksMax: number = LIMITS.booksMax,
): Reject | null {
  const slugs = new Set(specs.map(({ slug }) => slug))
  if (slugs.size < specs.length) return REJECT.SLUG_TAKEN
  for (const slug of slugs) {
    if (catalogue.bySlug(slug) !== undefined || series.claims(slug)) return REJECT.SLUG_TAKEN
  }
  const bookCount = specs.filter(takesBook).length
  const hasBooks = catalogue.freeBooks(bookCount, booksMax).length === bookCount
  if (!hasBooks || catalogue.lastId + specs.length > LIMITS.marketsEverMax) {
    return REJECT.MARKET_LIMIT
  }
  const fresh = new Set(specs.flatMap(venueAddresses))
  for (const known of fresh) if (catalogue.venues.has(known)) fresh.delete(known)
  if (catalogue.venues.size + fresh.size > LIMITS.venueAddressesMax) return REJECT.VENUE_LIMIT
  return decideCategories(
    catalogue,
    specs.flatMap(({ categories }) => categories),
  )
}

/** Whether the market has a book from its creation. A slot gets its book at its start. */
function takesBook(spec: MarketSpec): boolean {
  return kindOf(spec) === 'clob' && spec.slot === undefined
}

/** The markets of these specs, with the next ids and the lowest free books. */
export function newMarkets(
  { catalogue }: Clearing,
  specs: readonly MarketSpec[],
  booksMax: number = LIMITS.booksMax,
): NewMarket[] {
  const books = catalogue.freeBooks(specs.filter(takesBook).length, booksMax)
  return specs.map((market, index) => {
    const book = takesBook(market) ? (books.shift() ?? 0) : 0
    return { marketId: catalogue.lastId + 1 + index, book, market }
  })
}

export function decideEdit(
  { catalogue }: Clearing,
  { categories = [] }: MarketChange,
): Reject | null {
  return decideCategories(catalogue, categories)
}

/** Whether the market has a book or a pool. A group has neither. */
function isTraded(market: Market): boolean {
  return market.book !== 0 || kindOf(market) === 'amm'
}

/** A trading market may be locked. A slot is locked only by its end. */
export function decideLock(market: Market): Reject | null {
  const isOpen = takesOrders(market.status) && isTraded(market) && market.slot === undefined
  return isOpen ? null : REJECT.MARKET_STATUS
}

/** A locked market may trade again until its deadline. */
export function decideUnlock(market: Market, nowMs: TimeMs): Reject | null {
  const { slot, status, deadlineMs } = market
  if (status !== 'LOCKED' || !isTraded(market) || slot !== undefined) return REJECT.MARKET_STATUS
  return deadlineMs !== null && deadlineMs <= nowMs ? REJECT.MARKET_STATUS : null
}

export function decideFlag(market: Market, isFlagged: boolean): Reject | null {
  const isOther = market.status === (isFlagged ? 'FUNDED' : 'FUNDED_FLAGGED')
  return isOther && isTraded(market) ? null : REJECT.MARKET_STATUS
}

function isPayout(payoutNumerators: readonly number[]): boolean {
  const whole = payoutNumerators.every((each) => Number.isSafeInteger(each) && each >= 0)
  const sum = payoutNumerators.reduce((total, each) => total + each, 0)
  return payoutNumerators.length === 2 && whole && sum > 0 && Number.isSafeInteger(sum)
}

/** For single markets. The children of a group are resolved together (`decideGroup`). */
export function decideResolve(market: Market, payoutNumerators: readonly number[]): Reject | null {
  if (!STATUS_CHANGES[market.status].includes('RESOLVED')) return REJECT.MARKET_RESOLVED
  if (market.groupId !== undefined || kindOf(market) === 'group') return REJECT.MARKET_OF_GROUP
  return isPayout(payoutNumerators) ? null : REJECT.PAYOUT_INVALID
}

/** Returns the payouts of all children: exactly one child of a group wins (rules §6.3). */
export function decideGroup(
  { catalogue }: Clearing,
  group: Market,
  winner: Market | undefined,
): readonly Resolution[] | Reject {
  if (kindOf(group) !== 'group') return REJECT.MARKET_NOT_GROUP
  if (!STATUS_CHANGES[group.status].includes('RESOLVED')) return REJECT.MARKET_RESOLVED
  const children = catalogue.childrenOf(group.marketId)
  if (winner === undefined || !children.includes(winner)) return REJECT.WINNER_NOT_IN_GROUP
  return children.map(({ marketId }) => {
    const payoutNumerators = marketId === winner.marketId ? ([1, 0] as const) : ([0, 1] as const)
    return { marketId, payoutNumerators }
  })
}

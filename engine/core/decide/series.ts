// Gates of commands on series and prices.

import { LIMITS } from '../../domain/limits.ts'
import type { MarketSpec } from '../../domain/markets/market.ts'
import { BOUNDARY_WAIT_MS, type SeriesSpec } from '../../domain/markets/series.ts'
import { REJECT, type Reject } from '../../domain/reject-precedence.ts'
import type { TimeMs } from '../../domain/units.ts'
import type { Clearing } from '../clearing.ts'
import { decideCategories } from './pages.ts'

/**
 * A live series has a unique symbol, frequency and sub-frequency, a unique stable slug, and unique
 * slot slugs. Slugs of archived markets are in the read tables, where the caller checks them.
 */
export function decideSeries({ catalogue, series }: Clearing, spec: SeriesSpec): Reject | null {
  if (series.count >= LIMITS.seriesMax) return REJECT.SERIES_LIMIT
  const { stableSlug, slugPrefix } = spec
  const isTaken = catalogue.bySlug(stableSlug) !== undefined || series.claims(stableSlug)
  if (isTaken || series.byPrefix(slugPrefix) !== undefined) return REJECT.SLUG_TAKEN
  const isSlot = new RegExp(`^${slugPrefix}-[0-9]+$`)
  if (catalogue.all().some(({ slug }) => isSlot.test(slug))) return REJECT.SLUG_TAKEN
  if (series.byKey(spec) !== undefined) return REJECT.SERIES_EXISTS
  return decideCategories(catalogue, spec.categories)
}

/**
 * The market of the next slot; null at the market limit, or if another market took the slug before
 * the series claimed it. A slot gets its book at its start.
 */
export function newSlot({ catalogue }: Clearing, market: MarketSpec) {
  const marketId = catalogue.lastId + 1
  const isFull = marketId > LIMITS.marketsEverMax || catalogue.bySlug(market.slug) !== undefined
  return isFull ? null : ({ kind: 'createMarket', marketId, book: 0, market } as const)
}

/** A report must be for a symbol of a series, and neither old nor from the future. */
export function decideReport(
  { series }: Clearing,
  symbol: string,
  atMs: TimeMs,
  nowMs: TimeMs,
): Reject | null {
  if (!series.hasSymbol(symbol)) return REJECT.SYMBOL_UNKNOWN
  const ageMs = nowMs - atMs
  const isTimely = ageMs >= -LIMITS.clockToleranceMs && ageMs <= BOUNDARY_WAIT_MS
  return isTimely ? null : REJECT.REPORT_NOT_TIMELY
}

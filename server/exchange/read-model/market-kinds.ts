// Classifies markets for lists, beyond what the operator sets.

import { kindOf, type MarketKind } from '../../../engine/domain/markets/market.ts'
import { addTo, type GrowingSum } from '../../../engine/domain/units.ts'
import { poolLiquidityRaw } from './pool-views.ts'
import type { PublishedMarket } from './published.ts'

/** How a market is traded. */
export function tradeTypeOf({ market }: PublishedMarket): MarketKind {
  return kindOf(market)
}

/** Children of a group that a refusal names. */
const NAMED_MAX = 20

/** The fields of a refusal of a group where a single market was required: it names the children. */
export function childrenNamed({ market, children }: PublishedMarket) {
  const slugs = children.slice(0, NAMED_MAX).map((child) => child.market.slug)
  const what = `${market.slug} is a group of ${children.length} markets, and this call requires one`
  const message = `Market not found: ${what}; name one of \`markets\`.`
  return { message, markets: slugs }
}

/** What drives a market: the clock of its series, a match, or its operator alone. */
export function automationTypeOf({
  market,
  isOfMatch,
}: PublishedMarket): 'manual' | 'lumy' | 'sports' {
  if (market.slot !== undefined) return 'lumy'
  return isOfMatch ? 'sports' : 'manual'
}

/** The collateral traded in the market; for a group, in all its children. */
export function listedVolume({ volume, children }: PublishedMarket): GrowingSum {
  if (children.length === 0) return volume
  const sum = { raw: 0, carries: 0 }
  for (const child of children) {
    sum.carries += child.volume.carries
    addTo(sum, child.volume.raw)
  }
  return sum
}

/** Collateral value of the resting orders. */
export function restingRaw(published: PublishedMarket): number {
  published.restingRaw ??= published.depth.restingRaw()
  return published.restingRaw
}

/** Collateral value of resting orders: of all children for a group; the liquidity of a pool. */
export function listedRestingRaw(published: PublishedMarket): number {
  const { children, pool } = published
  if (pool !== null) return poolLiquidityRaw(pool)
  if (children.length === 0) return restingRaw(published)
  return children.reduce((sum, child) => sum + restingRaw(child), 0)
}

/** Recent volume (day-figures.ts); for a group, of all its children; 0 for none. */
export function listedTrend({ day, children }: PublishedMarket): number {
  if (children.length === 0) return day?.trend() ?? 0
  const trends = children.map((child) => child.day?.trend() ?? 0)
  const highest = Math.max(...trends)
  return highest === 0
    ? 0
    : highest + Math.log2(trends.reduce((sum, each) => sum + 2 ** (each - highest), 0))
}

// By what lists tell markets apart, besides what an operator says of them.

import { kindOf, type MarketKind } from '../../../engine/domain/markets/market.ts'
import { addTo, type GrowingSum } from '../../../engine/domain/units.ts'
import { poolLiquidityRaw } from './kept/shown-pools.ts'
import { type PublishedMarket, restingRaw } from './published.ts'

/** By what a market is traded. */
export function tradeTypeOf({ market }: PublishedMarket): MarketKind {
  return kindOf(market)
}

/** What runs a market. Slots of series are made by the exchange itself. */
export function automationTypeOf({ market }: PublishedMarket): 'manual' | 'lumy' | 'sports' {
  return market.slot === undefined ? 'manual' : 'lumy'
}

/** The collateral traded in it; of a group, in all its children. */
export function listedVolume({ volume, children }: PublishedMarket): GrowingSum {
  if (children.length === 0) return volume
  const sum = { raw: 0, carries: 0 }
  for (const child of children) {
    sum.carries += child.volume.carries
    addTo(sum, child.volume.raw)
  }
  return sum
}

/** The collateral that resting orders stand for; of a group, in all its children; of a pool. */
export function listedRestingRaw(published: PublishedMarket): number {
  const { children, pool } = published
  if (pool !== null) return poolLiquidityRaw(pool)
  if (children.length === 0) return restingRaw(published)
  return children.reduce((sum, child) => sum + restingRaw(child), 0)
}

// The public reads that `make bench-reads` measures. Add a row for a new read.

import { LIMITS } from '../engine/domain/limits.ts'
import type { Random } from '../test/support/random.ts'
import { type ReadsSize, slugOf } from './reads-folder.ts'

/** Picks what one call asks for. */
export interface ReadsWorld {
  readonly random: Random
  readonly size: ReadsSize
  /** The slug of some active market. */
  readonly slug: () => string
}

export interface Read {
  readonly name: string
  readonly path: (world: ReadsWorld) => string
  /** The reply has every active market, so it grows with them and has no aim. */
  readonly isWhole?: boolean
}

const LIMIT = LIMITS.activeMarketsLimitMax

function pageOf({ random, size }: ReadsWorld): number {
  return 1 + random.below(Math.ceil(size.active / LIMIT))
}

function tradesOf({ size }: ReadsWorld): number {
  return Math.floor(size.trades / size.active)
}

const events = (world: ReadsWorld, page: number, limit: number) =>
  `/markets/${world.slug()}/events?page=${page}&limit=${limit}`

function slugsOf({ slug }: ReadsWorld): string {
  return Array.from({ length: LIMITS.orderbooksMax }, slug).join(',')
}

export const READS: readonly Read[] = [
  { name: 'active markets, any page', path: (world) => `/markets/active?page=${pageOf(world)}` },
  ...(['high_value', 'liquidity', 'ending_soon'] as const).map((sortBy) => ({
    name: `active markets by ${sortBy}`,
    path: () => `/markets/active?sortBy=${sortBy}`,
  })),
  { name: 'slugs', path: () => '/markets/active/slugs', isWhole: true },
  { name: 'tickers', path: () => '/markets/tickers', isWhole: true },
  { name: 'exchange info', path: () => '/exchange-info' },
  { name: 'detail', path: ({ slug }) => `/markets/${slug()}` },
  {
    name: 'detail of a resolved market',
    path: ({ random, size }) => `/markets/${slugOf(1 + random.below(size.resolved))}`,
  },
  { name: 'detail of no market', path: ({ random }) => `/markets/none-${random.below(1e9)}` },
  { name: 'order book', path: ({ slug }) => `/markets/${slug()}/orderbook` },
  { name: '50 order books', path: (world) => `/markets/orderbooks?slugs=${slugsOf(world)}` },
  { name: 'events', path: (world) => events(world, 1, 100) },
  {
    name: 'events, a page far back',
    path: (world) => events(world, 1 + world.random.below(tradesOf(world)), 1),
  },
  { name: 'feed', path: ({ slug }) => `/markets/${slug()}/get-feed-events?limit=25` },
  ...(['1h', '1d', '1m', 'all'] as const).map((interval) => ({
    name: `prices of ${interval}`,
    path: ({ slug }: ReadsWorld) => `/markets/${slug()}/historical-price?interval=${interval}`,
  })),
  { name: 'tape', path: ({ slug }) => `/markets/${slug()}/trades` },
]

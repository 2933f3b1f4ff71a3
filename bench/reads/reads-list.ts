// The public reads that `make bench-reads` measures. Add a row for a new read.

import type { Random } from '../../test/support/random.ts'
import { BLOCK, booksOf, groupOf, type ReadsSize, slugOf } from './reads-size.ts'
import { ASSETS, optionOf, PAGES, PROPERTIES, TOPICS, uuidOf } from './reads-text.ts'

/** Picks what one call asks for. */
export interface ReadsWorld {
  readonly random: Random
  readonly size: ReadsSize
  /** The slug of some active market that has a book. */
  readonly slug: () => string
}

export interface Read {
  readonly name: string
  readonly path: (world: ReadsWorld) => string
  /** The reply has every active market, so it grows with them and has no aim. */
  readonly isWhole?: boolean
}

/** Markets on a page: a small exchange has full pages too, and as many groups in all. */
const LIMIT = 10
/** Books of one call: a part of those that a small exchange has, so that both replies are equal. */
const BOOKS_MAX = 30
/** So many markets pass one filter, or are of one topic, in a small exchange too. */
const FILTERED = 'limit=2'
/** Markets on one page of those that packs can be made of. */
const PACK_MARKETS = 20

/** Lists show a group in place of its children. */
function listedOf({ active }: ReadsSize): number {
  return (active / BLOCK.markets) * (BLOCK.groupAt + 1)
}

function pageOf({ random, size }: ReadsWorld): number {
  return 1 + random.below(Math.ceil(listedOf(size) / LIMIT))
}

function tradesOf(size: ReadsSize): number {
  return Math.floor(size.trades / booksOf(size))
}

function groupSlug({ random, size }: ReadsWorld): string {
  return slugOf(groupOf(size, random.below(size.active / BLOCK.markets)))
}

/** Some of the filters that readers choose: equally many in a small and in a large exchange. */
function filterOf({ random }: ReadsWorld, keys: number): string {
  const chosen = Array.from({ length: keys }, (_, at) => {
    return `property-${at}=${optionOf(random.below(4))}`
  })
  return chosen.join('&')
}

const pageMarkets = (query: string, page: string = PAGES.all) =>
  `/market-pages/${page}/markets?${query}`

const events = (world: ReadsWorld, page: number, limit: number) =>
  `/markets/${world.slug()}/events?page=${page}&limit=${limit}`

function slugsOf({ slug, size }: ReadsWorld): string {
  const slugs = new Set<string>()
  while (slugs.size < Math.min(BOOKS_MAX, booksOf(size))) slugs.add(slug())
  return [...slugs].join(',')
}

export const READS: readonly Read[] = [
  {
    name: 'active markets, any page',
    path: (world) => `/markets/active?limit=${LIMIT}&page=${pageOf(world)}`,
  },
  ...(['high_value', 'liquidity', 'ending_soon'] as const).map((sortBy) => ({
    name: `active markets by ${sortBy}`,
    path: () => `/markets/active?limit=${LIMIT}&sortBy=${sortBy}`,
  })),
  {
    name: 'active markets of a category',
    path: ({ random }) => `/markets/active/${1 + random.below(TOPICS)}?${FILTERED}`,
  },
  {
    name: 'active groups, any page',
    path: ({ random, size }) => {
      const pages = Math.ceil(size.active / BLOCK.markets / LIMIT)
      return `/markets/active?tradeType=group&limit=${LIMIT}&page=${1 + random.below(pages)}`
    },
  },
  { name: 'category counts', path: () => '/markets/categories/count' },
  { name: 'navigation', path: () => '/navigation' },
  { name: 'page by path', path: () => '/market-pages/by-path?path=/topic' },
  {
    name: 'page markets, any page',
    path: (world) => pageMarkets(`limit=${LIMIT}&page=${pageOf(world)}`),
  },
  { name: 'page markets of a topic', path: () => pageMarkets(FILTERED, PAGES.topic) },
  {
    name: 'page markets, one filter',
    path: (world) => pageMarkets(`${filterOf(world, 1)}&${FILTERED}`),
  },
  {
    name: 'page markets, two filters',
    path: (world) => pageMarkets(`${filterOf(world, 2)}&${FILTERED}`),
  },
  {
    name: 'page markets, a filter of every key',
    path: (world) => pageMarkets(`${filterOf(world, PROPERTIES)}&${FILTERED}`),
  },
  {
    name: 'page markets by cursor',
    path: (world) => pageMarkets(`${filterOf(world, 1)}&${FILTERED}&cursor=`),
  },
  { name: 'property keys', path: () => '/property-keys' },
  {
    name: 'options of a property',
    path: ({ random }) => `/property-keys/${uuidOf(100 + random.below(PROPERTIES))}/options`,
  },
  {
    name: 'search',
    path: ({ random }) =>
      `/markets/search?query=${encodeURIComponent(random.pick([...ASSETS]))}&limit=10`,
  },
  { name: 'slugs', path: () => '/markets/active/slugs', isWhole: true },
  { name: 'tickers', path: () => '/markets/tickers', isWhole: true },
  { name: 'exchange info', path: () => '/exchange-info' },
  { name: 'fees', path: () => '/fees' },
  { name: 'time', path: () => '/time' },
  { name: 'detail', path: ({ slug }) => `/markets/${slug()}` },
  { name: 'detail of a group', path: (world) => `/markets/${groupSlug(world)}` },
  {
    name: 'detail of a resolved market',
    path: ({ random, size }) => `/markets/${slugOf(1 + random.below(size.resolved))}`,
  },
  { name: 'detail of no market', path: ({ random }) => `/markets/none-${random.below(1e9)}` },
  { name: 'order book', path: ({ slug }) => `/markets/${slug()}/orderbook` },
  { name: 'many order books', path: (world) => `/markets/orderbooks?slugs=${slugsOf(world)}` },
  { name: 'events', path: (world) => events(world, 1, 100) },
  {
    name: 'events, a page far back',
    path: (world) => events(world, 1 + world.random.below(tradesOf(world.size)), 1),
  },
  { name: 'feed', path: ({ slug }) => `/markets/${slug()}/get-feed-events?limit=25` },
  ...(['1h', '1d', '1m', 'all'] as const).map((interval) => ({
    name: `prices of ${interval}`,
    path: ({ slug }: ReadsWorld) => `/markets/${slug()}/historical-price?interval=${interval}`,
  })),
  {
    name: 'prices of a group',
    path: (world) => `/markets/${groupSlug(world)}/historical-price`,
  },
  {
    name: 'recommendations',
    path: ({ slug }) => `/markets/${slug()}/post-trade-recommendations`,
  },
  { name: 'tape', path: ({ slug }) => `/markets/${slug()}/trades` },
  ...(['all', 'featured'] as const).map((audience) => ({
    name: `feed of the exchange, ${audience}`,
    // Pages of many sizes: one that was asked for is kept for a minute.
    path: ({ random }: ReadsWorld) =>
      `/feed/trading?audience=${audience}&limit=${20 + random.below(10)}`,
  })),
  {
    name: 'markets for packs, any page',
    path: ({ random, size }) =>
      `/parlay/markets?page=${1 + random.below(Math.ceil(booksOf(size) / PACK_MARKETS))}`,
  },
]

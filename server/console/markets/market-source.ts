// Where the list comes from: all active markets, those of a category, or those of a page that an
// operator made.

import { read } from '../exchange/api.ts'
import type { MarketList, MarketView } from '../exchange/shapes.ts'

export const PAGE_SIZE = 25

export const SORTS = [
  ['newest', 'Newest'],
  ['high_value', 'Most traded'],
  ['ending_soon', 'Ending soon'],
  ['liquidity', 'Deepest'],
] as const
export type Sort = (typeof SORTS)[number][0]

/** A page of an operator knows fields to sort by, and not these two. */
const FIELDS: Readonly<Record<Sort, string>> = {
  newest: '-createdAt',
  ending_soon: 'deadline',
  high_value: '-createdAt',
  liquidity: '-createdAt',
}

export interface NavigationNode {
  readonly id: string
  readonly name: string
  readonly slug: string
  readonly children: readonly NavigationNode[]
  readonly count: number
}

interface PageList {
  readonly data: readonly MarketView[]
  readonly pagination: { readonly total: number }
}

export interface Part {
  readonly markets: readonly MarketView[]
  readonly totalCount: number
}

/** Categories have numbers; the pages of an operator have other ids. */
export function isCategory({ id }: NavigationNode): boolean {
  return /^\d+$/.test(id)
}

export async function readPart(
  place: NavigationNode | null,
  sort: Sort,
  page: number,
  signal: AbortSignal,
): Promise<Part> {
  if (place !== null && !isCategory(place)) {
    const params = `page=${page}&limit=${PAGE_SIZE}&sort=${FIELDS[sort]}`
    const path = `/market-pages/${encodeURIComponent(place.id)}/markets?${params}`
    const { data, pagination } = await read<PageList>(path, signal)
    return { markets: data, totalCount: pagination.total }
  }
  const category = place === null ? '' : `/${place.id}`
  const params = `page=${page}&limit=${PAGE_SIZE}&sortBy=${sort}&includeNextMarket=true`
  const { data, totalMarketsCount } = await read<MarketList>(
    `/markets/active${category}?${params}`,
    signal,
  )
  return { markets: data, totalCount: totalMarketsCount }
}

export function readNavigation(signal: AbortSignal): Promise<readonly NavigationNode[]> {
  return read<readonly NavigationNode[]>('/navigation', signal)
}

export function readCounts(signal: AbortSignal): Promise<{ readonly totalCount: number }> {
  return read<{ totalCount: number }>('/markets/categories/count', signal)
}

export async function searchMarkets(
  query: string,
  signal: AbortSignal,
): Promise<readonly MarketView[]> {
  const params = `query=${encodeURIComponent(query)}&limit=${PAGE_SIZE}&includeNextMarket=true`
  const { markets } = await read<{ readonly markets: readonly MarketView[] }>(
    `/markets/search?${params}`,
    signal,
  )
  return markets
}

/** The node of a slug or an id, anywhere in the tree. */
export function nodeOf(nodes: readonly NavigationNode[], name: string): NavigationNode | undefined {
  for (const node of nodes) {
    if (node.slug === name || node.id === name) return node
    const below = nodeOf(node.children, name)
    if (below !== undefined) return below
  }
  return undefined
}

// Gates of market pages and properties. Each returns the refusal, or null if the command may be
// stamped.

import { LIMITS } from '../../domain/limits.ts'
import type {
  MarketPage,
  PlacedPage,
  PropertyKey,
  PropertyOption,
} from '../../domain/markets/market-page.ts'
import { REJECT, type Reject } from '../../domain/reject-precedence.ts'
import type { Clearing } from '../clearing.ts'
import type { Catalogue } from '../markets/catalogue.ts'

/** Why a market may not have these categories, or null. */
export function decideCategories(
  { categories }: Catalogue,
  names: readonly string[],
): Reject | null {
  const fresh = new Set(names.filter((name) => categories.idOf(name) === 0))
  const isOver = fresh.size > 0 && categories.count + fresh.size > LIMITS.categoriesMax
  return isOver ? REJECT.CATEGORY_LIMIT : null
}

type Pages = ReadonlyMap<string, PlacedPage>

/** The level of a page, 1 at the top. */
function depthOf({ fullPath }: PlacedPage): number {
  return fullPath.split('/').length - 1
}

function isBelow(path: string, top: string): boolean {
  return path.startsWith(`${top}/`)
}

/** Levels of the page's subtree, including its own. */
function heightOf(pages: Pages, page: PlacedPage | undefined): number {
  if (page === undefined) return 1
  const below = [...pages.values()].filter(({ fullPath }) => isBelow(fullPath, page.fullPath))
  const deepest = below.reduce((most, each) => Math.max(most, depthOf(each)), depthOf(page))
  return deepest - depthOf(page) + 1
}

export function decideMarketPage({ pages: { tree } }: Clearing, page: MarketPage): Reject | null {
  const { pages } = tree
  const before = pages.get(page.pageId)
  if (before === undefined && pages.size >= LIMITS.marketPagesMax) return REJECT.PAGE_LIMIT
  const parent = page.parentId === null ? null : pages.get(page.parentId)
  if (parent === undefined) return REJECT.PAGE_PARENT_INVALID
  if (parent !== null && before !== undefined) {
    const isOwn = parent === before || isBelow(parent.fullPath, before.fullPath)
    if (isOwn) return REJECT.PAGE_PARENT_INVALID
  }
  const depth = (parent === null ? 0 : depthOf(parent)) + heightOf(pages, before)
  if (depth > LIMITS.pageDepthMax) return REJECT.PAGE_TOO_DEEP
  const isTaken = [...pages.values()].some(({ pageId, parentId, slug }) => {
    return pageId !== page.pageId && parentId === page.parentId && slug === page.slug
  })
  return isTaken ? REJECT.PAGE_PATH_TAKEN : null
}

export function decidePageRemoval({ pages: { tree } }: Clearing, pageId: string): Reject | null {
  if (!tree.pages.has(pageId)) return REJECT.PAGE_NOT_FOUND
  const hasPages = [...tree.pages.values()].some(({ parentId }) => parentId === pageId)
  return hasPages ? REJECT.PAGE_NOT_EMPTY : null
}

/** Each option has a chain of parents within its key, and values are unique. */
function areOptionsSound(options: ReadonlyMap<string, PropertyOption>): boolean {
  const values = new Set([...options.values()].map(({ value }) => value))
  if (values.size < options.size) return false
  /** The level of each option, 1 at the top. */
  const depths = new Map<string, number>()
  for (const option of options.values()) {
    const chain: string[] = []
    let next: PropertyOption | undefined = option
    let depth: number | undefined
    while (depth === undefined) {
      // A cycle counts as too long a chain.
      if (next === undefined || chain.length === LIMITS.optionDepthMax) return false
      chain.push(next.optionId)
      const { parentOptionId }: PropertyOption = next
      depth = parentOptionId === null ? 0 : depths.get(parentOptionId)
      if (depth === undefined) next = options.get(parentOptionId ?? '')
    }
    for (const optionId of chain.reverse()) depths.set(optionId, ++depth)
    if (depth > LIMITS.optionDepthMax) return false
  }
  return true
}

export interface KeyChange {
  readonly key: PropertyKey
  readonly options: readonly PropertyOption[]
  readonly removedOptionIds: readonly string[]
}

export function decidePropertyKey(
  { properties }: Clearing,
  { key, options, removedOptionIds }: KeyChange,
): Reject | null {
  const { keys, optionCount } = properties
  const before = keys.get(key.keyId)
  if (before === undefined && keys.size >= LIMITS.propertyKeysMax) return REJECT.PROPERTY_LIMIT
  for (const { keyId, slug } of keys.values()) {
    if (slug === key.slug && keyId !== key.keyId) return REJECT.PROPERTY_SLUG_TAKEN
  }
  const known: readonly PropertyOption[] = before?.options ?? []
  const after = new Map(known.map((option) => [option.optionId, option]))
  for (const optionId of removedOptionIds) {
    if (!after.delete(optionId)) return REJECT.PROPERTY_OPTION_INVALID
  }
  for (const option of options) after.set(option.optionId, option)
  if (!areOptionsSound(after)) return REJECT.PROPERTY_OPTION_INVALID
  const inAll = optionCount - known.length + after.size
  const isFull = after.size > LIMITS.optionsPerKeyMax || inAll > LIMITS.propertyOptionsMax
  return isFull ? REJECT.PROPERTY_LIMIT : null
}

export function decideKeyRemoval({ properties }: Clearing, keyId: string): Reject | null {
  return properties.keys.has(keyId) ? null : REJECT.PROPERTY_NOT_FOUND
}

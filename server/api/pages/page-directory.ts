// The published pages: by path, by id, and as a tree. An exchange without pages has one page per
// category of its active markets. Everything is encoded once per change.

import { createHash } from 'node:crypto'
import { LIMITS } from '../../../engine/domain/limits.ts'
import type { PlacedPage } from '../../../engine/domain/markets/market-page.ts'
import type { Bits } from '../../exchange/read-model/lists/bits.ts'
import { type Facets, type Filter, OWN_FACETS } from '../../exchange/read-model/lists/facets.ts'
import type { FieldSort, MarketLists } from '../../exchange/read-model/lists/market-lists.ts'
import type { Place } from '../../exchange/read-model/lists/ordered-list.ts'
import type { PublishedMarket } from '../../exchange/read-model/published.ts'
import { Joined } from '../../messages/payload.ts'
import type { Issue } from '../../messages/refusal.ts'
import {
  contentOf,
  type FilterGroup,
  type FilterValues,
  NO_CONTENT,
  optionsShown,
  type PageChanges,
  type PageContent,
} from './page-changes.ts'

/** Id of the home page, which operators do not create. */
export const HOME_ID = '__home__'

export interface ShownPage {
  readonly id: string
  readonly name: string
  readonly slug: string
  readonly fullPath: string
  readonly parentId: string | null
  readonly description: string | null
  readonly icon: string
  readonly isInNavigation: boolean
  readonly content: PageContent
}

interface Node {
  readonly id: string
  readonly name: string
  readonly slug: string
  readonly path: string
  readonly children: readonly Node[]
  readonly icon: string
  readonly count: number
}

const HOME: ShownPage = {
  id: HOME_ID,
  name: 'Home',
  slug: '',
  fullPath: '/',
  parentId: null,
  description: null,
  icon: '',
  isInNavigation: false,
  content: NO_CONTENT,
}

type ShownOptions = ReturnType<typeof optionsShown>

interface Shown {
  readonly pagesVersion: number
  /** The version of the categories that the pages are built from; -1 when they are not. */
  readonly facetsVersion: number
  /** In their order. */
  readonly all: readonly ShownPage[]
  readonly byId: ReadonlyMap<string, ShownPage>
  readonly byPath: ReadonlyMap<string, ShownPage>
}

export function filterOf(values: PageContent['baseFilter']): Filter {
  return new Map(Object.entries(values))
}

export class PageDirectory {
  readonly #changes: PageChanges
  readonly #facets: Facets
  #shown: Shown | null = null
  #navigation: { readonly key: string; readonly bytes: Buffer } | null = null
  /** Encoded pages; cleared when a page or a property changes. */
  #encoded = new Map<string, Buffer>()
  #encodedKey = ''
  #options: { readonly version: number; readonly bySlug: Map<string, ShownOptions> } | null = null

  constructor(changes: PageChanges, facets: Facets) {
    this.#changes = changes
    this.#facets = facets
  }

  /** Every page in order; a new list after each change. */
  all(): readonly ShownPage[] {
    return this.#pages().all
  }

  byId(id: string): ShownPage | undefined {
    return id === HOME_ID ? HOME : this.#pages().byId.get(id)
  }

  /** The page at the path, or the page that moved away from it. */
  byPath(path: string): { readonly page: ShownPage; readonly isMoved: boolean } | undefined {
    const trimmed = path.replace(/^\/?/, '/').replace(/(?<=.)\/$/, '')
    if (trimmed === '/') return { page: HOME, isMoved: false }
    const page = this.#pages().byPath.get(trimmed)
    if (page !== undefined) return { page, isMoved: false }
    const moved = this.#changes.tree.moved.get(trimmed)
    const now = moved === undefined ? undefined : this.#pages().byId.get(moved)
    return now === undefined ? undefined : { page: now, isMoved: true }
  }

  /** The JSON of a page. */
  encoded(page: ShownPage): Buffer {
    const { pagesVersion, facetsVersion } = this.#pages()
    const key = `${pagesVersion} ${facetsVersion} ${this.#changes.keysVersion}`
    if (this.#encodedKey !== key) this.#encoded = new Map()
    this.#encodedKey = key
    const bytes = this.#encoded.get(page.id) ?? Buffer.from(JSON.stringify(this.#viewOf(page)))
    this.#encoded.set(page.id, bytes)
    return bytes
  }

  #viewOf(page: ShownPage) {
    const { id, name, slug, fullPath, description, content } = page
    const { baseFilter, filterGroups, metadata } = content
    return {
      id,
      name,
      slug,
      fullPath,
      description,
      baseFilter,
      filterGroups: filterGroups.map((group) => this.#withOptions(group)),
      metadata,
      breadcrumb: this.breadcrumb(page),
    }
  }

  /** A group that lists no options has those of the property with its slug. */
  #withOptions(group: FilterGroup): FilterGroup {
    if (group.options !== undefined || group.slug === undefined) return group
    const options = this.optionsOf(group.slug)
    return options === undefined ? group : { ...group, options: [...options] }
  }

  /** The options of a property by its slug; undefined for an unknown property. */
  optionsOf(slug: string): ShownOptions | undefined {
    const { keys, keysVersion } = this.#changes
    if (this.#options?.version !== keysVersion) {
      this.#options = { version: keysVersion, bySlug: new Map() }
      for (const key of keys.values()) this.#options.bySlug.set(key.slug, optionsShown(key))
    }
    return this.#options.bySlug.get(slug)
  }

  /** The path of pages from the top down to this one. */
  breadcrumb(page: ShownPage) {
    const trail: { name: string; slug: string; path: string }[] = []
    let next: ShownPage | undefined = page
    while (next !== undefined) {
      trail.unshift({ name: next.name, slug: next.slug, path: next.fullPath })
      next = this.#parentOf(next)
    }
    return trail
  }

  #parentOf({ parentId }: ShownPage): ShownPage | undefined {
    return parentId === null ? undefined : this.#pages().byId.get(parentId)
  }

  /** The JSON of the page tree. */
  navigation(): Buffer {
    this.#facets.catchUp()
    const key = `${this.#changes.version} ${this.#facets.version}`
    if (this.#navigation?.key === key) return this.#navigation.bytes
    const below = new Map<string | null, ShownPage[]>()
    for (const page of this.#pages().byId.values()) {
      if (!page.isInNavigation) continue
      const beside = below.get(page.parentId)
      if (beside === undefined) below.set(page.parentId, [page])
      else beside.push(page)
    }
    const bytes = Buffer.from(JSON.stringify(this.#nodes(below, null)))
    this.#navigation = { key, bytes }
    return bytes
  }

  #nodes(below: ReadonlyMap<string | null, ShownPage[]>, parentId: string | null): Node[] {
    return (below.get(parentId) ?? []).map(({ id, name, slug, fullPath: path, icon, content }) => {
      const count = this.#facets.countOf(filterOf(content.baseFilter))
      return { id, name, slug, path, children: this.#nodes(below, id), icon, count }
    })
  }

  #pages(): Shown {
    const { version: pagesVersion, tree } = this.#changes
    const isOwn = tree.pages.size > 0
    if (!isOwn) this.#facets.catchUp()
    const facetsVersion = isOwn ? -1 : this.#facets.valuesVersionOf('category')
    const known = this.#shown
    if (known?.pagesVersion === pagesVersion && known.facetsVersion === facetsVersion) return known
    const all = isOwn ? sorted([...tree.pages.values()]).map(shownOf) : this.#categoryPages()
    const byId = new Map(all.map((page) => [page.id, page]))
    const byPath = new Map(all.map((page) => [page.fullPath, page]))
    this.#shown = { pagesVersion, facetsVersion, all, byId, byPath }
    return this.#shown
  }

  #categoryPages(): ShownPage[] {
    const taken = new Set<string>()
    const ids = this.#facets.categories()
    return ids.map(({ id, name }) => {
      const plain = slugOf(name)
      const slug = plain === '' || taken.has(plain) ? `${plain}${plain && '-'}${id}` : plain
      taken.add(slug)
      const baseFilter = { categoryId: [id] }
      const content = { ...NO_CONTENT, baseFilter }
      return { ...HOME, id, name, slug, fullPath: `/${slug}`, isInNavigation: true, content }
    })
  }
}

function slugOf(name: string): string {
  const words = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
  return words.replaceAll(/^-|-$/g, '').slice(0, 64)
}

/** Lowest order first, then by name. */
function sorted(pages: PlacedPage[]): PlacedPage[] {
  return pages.sort((one, other) => {
    if (one.sortOrder !== other.sortOrder) return one.sortOrder - other.sortOrder
    return one.name < other.name ? -1 : one.name > other.name ? 1 : 0
  })
}

function shownOf(page: PlacedPage): ShownPage {
  const { pageId: id, name, slug, fullPath, parentId, description, icon, isInNavigation } = page
  const content = contentOf(page)
  return { id, name, slug, fullPath, parentId, description, icon, isInNavigation, content }
}

// The markets of a page, filtered and sorted, by page number or by cursor. The counts of the filter
// options are computed once per query, and then cached by what they depend on.

export interface PageParams {
  readonly page?: number
  /** '' for the first page. */
  readonly cursor?: string
  readonly limit: number
  readonly sort: FieldSort
  readonly filters: FilterValues
}

interface Parts {
  readonly changes: PageChanges
  readonly directory: PageDirectory
  readonly lists: MarketLists
}

const wrong = (field: string, message: string): Issue => ({ field, message })
const NOT_OF_QUERY = 'is not a cursor of this query'

export class PageMarkets {
  readonly #changes: PageChanges
  readonly #directory: PageDirectory
  readonly #lists: MarketLists
  /** Values of keys without options, sorted; only groups of pages have such keys. */
  readonly #sorted = new Map<string, { version: number; values: readonly string[] }>()

  constructor({ changes, directory, lists }: Parts) {
    this.#changes = changes
    this.#directory = directory
    this.#lists = lists
  }

  /** The JSON of the reply, or the error of the call. */
  read(shown: ShownPage, request: PageParams): Joined | Issue {
    const issue = this.#issueOf(shown, request)
    if (issue !== null) return issue
    const filter = filterOf(request.filters)
    const bits = this.#passing(shown, filter)
    const isPaged = request.cursor === undefined
    const found = isPaged ? this.#byPage(request, bits) : this.#byCursor(shown, request, bits)
    if (found === null) return wrong('cursor', NOT_OF_QUERY)
    const paging = JSON.stringify(found.paging).slice(1, -1)
    const counts = filter.size === 0 ? '' : this.#countsText(shown, filter, request.filters)
    const rest = counts === '' ? paging : `${paging},"counts":${counts}`
    const data = this.#lists.joined(found.markets)
    return new Joined(['{"data":[', ...data, `],${rest}}`])
  }

  #issueOf(shown: ShownPage, { page, cursor, filters }: PageParams): Issue | null {
    if (page !== undefined && cursor !== undefined) {
      return wrong('cursor', 'cannot be combined with page')
    }
    const known = new Set<string>(OWN_FACETS)
    for (const { slug } of this.#changes.keys.values()) known.add(slug)
    for (const { slug } of shown.content.filterGroups) if (slug !== undefined) known.add(slug)
    let count = 0
    for (const [key, values] of Object.entries(filters)) {
      if (!known.has(key)) return wrong(key, 'is not a known query parameter or filter')
      count += values.length
    }
    const isOver = count > LIMITS.filterValuesMax
    return isOver
      ? wrong('filters', `must have at most ${LIMITS.filterValuesMax} filter values`)
      : null
  }

  /** Null for every active market. */
  #passing({ content }: ShownPage, filter: Filter): Bits | null {
    const { facets } = this.#lists
    facets.catchUp()
    const base = filterOf(content.baseFilter)
    if (base.size === 0 && filter.size === 0) return null
    const bits = facets.passing(base)
    if (filter.size > 0) bits.keepIn(facets.passing(filter))
    return bits
  }

  #byPage({ page = 1, limit, sort }: PageParams, bits: Bits | null) {
    const list = this.#lists.ordered(sort)
    const markets = list.page((page - 1) * limit, limit, bits)
    const total = bits?.count ?? list.count
    const pagination = { page, limit, total, totalPages: Math.ceil(total / limit) }
    return { markets, paging: { pagination } }
  }

  /** Null when the cursor is not one for this query. */
  #byCursor(
    shown: ShownPage,
    { cursor = '', limit, sort, filters }: PageParams,
    bits: Bits | null,
  ) {
    const query = digestOf(shown.id, sort, filters)
    const place = cursor === '' ? null : placeIn(cursor, query)
    if (place === undefined) return null
    const list = this.#lists.ordered(sort)
    // Reads one extra market to know whether there is another page.
    const found =
      place === null ? list.page(0, limit + 1, bits) : list.after(place, limit + 1, bits)
    const markets = found.slice(0, limit)
    const last: PublishedMarket | undefined = found.length > limit ? markets.at(-1) : undefined
    const nextCursor = last === undefined ? null : cursorOf(list.placeOf(last), query)
    return { markets, paging: { cursor: { nextCursor } } }
  }

  /** The JSON of the number of markets for each value, if it replaced the selected values. */
  #countsText(shown: ShownPage, filter: Filter, filters: FilterValues): string {
    const { content } = shown
    const { version, keysVersion } = this.#changes
    const { facets } = this.#lists
    const found = content.filterGroups.map(({ slug = '' }) => facets.valuesVersionOf(slug))
    return this.#lists.filterCounts.text({
      name: JSON.stringify([shown.id, chosenOf(filters)]),
      stamp: [version, keysVersion, ...found].join(' '),
      base: filterOf(content.baseFilter),
      filter,
      values: () => this.#counted(shown, filter),
    })
  }

  /** The values to count of each key: those of the call, and those of the page's groups. */
  #counted(shown: ShownPage, filter: Filter): Map<string, string[]> {
    const values = new Map<string, Set<string>>()
    for (const [key, chosen] of filter) values.set(key, new Set(chosen))
    for (const group of shown.content.filterGroups) {
      const { slug: key } = group
      if (key === undefined) continue
      const known = values.get(key) ?? new Set<string>()
      values.set(key, known)
      for (const value of this.#valuesOf(key, group)) {
        if (known.size === LIMITS.filterCountsMax) break
        known.add(value)
      }
    }
    return new Map([...values].map(([key, each]) => [key, [...each]]))
  }

  /** The values listed in the group, else its property's options, else the values of markets. */
  #valuesOf(key: string, group: FilterGroup): readonly string[] {
    const options = group.options ?? this.#directory.optionsOf(key)
    if (options !== undefined) return options.map(({ value }) => value)
    const { facets } = this.#lists
    const version = facets.valuesVersionOf(key)
    const known = this.#sorted.get(key)
    if (known?.version === version) return known.values
    const values = [...facets.valuesOf(key)].sort().slice(0, LIMITS.filterCountsMax)
    // Pages that were removed had other keys.
    if (this.#sorted.size >= LIMITS.marketPagesMax) this.#sorted.clear()
    this.#sorted.set(key, { version, values })
    return values
  }
}

/** The same text for all calls that select the same values. */
function chosenOf(filters: FilterValues) {
  const chosen = Object.entries(filters).map(([key, values]) => [key, [...values].sort()] as const)
  return chosen.sort(([one], [other]) => (one < other ? -1 : 1))
}

/** Identifies a query, so that a cursor of another one is refused. */
function digestOf(pageId: string, sort: FieldSort, filters: FilterValues): string {
  const text = JSON.stringify([pageId, sort, chosenOf(filters)])
  return createHash('sha256').update(text).digest('base64url').slice(0, 16)
}

function cursorOf({ high, low, id }: Place, query: string): string {
  return Buffer.from(JSON.stringify([query, high, low, id])).toString('base64url')
}

/** Undefined for a text that is not a cursor for the query. */
function placeIn(cursor: string, query: string): Place | undefined {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    if (!Array.isArray(parts) || parts.length !== 4 || parts[0] !== query) return undefined
    const [high, low, id]: unknown[] = parts.slice(1)
    if (!Number.isSafeInteger(high) || !Number.isSafeInteger(low) || !Number.isSafeInteger(id)) {
      return undefined
    }
    return { high: Number(high), low: Number(low), id: Number(id) }
  } catch {
    return undefined
  }
}

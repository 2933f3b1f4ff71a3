// The markets of a page, filtered and sorted, by page number or by cursor. The counts of the filter
// options are computed once per query, and then cached by what they depend on.

import { createHash } from 'node:crypto'
import { LIMITS } from '../../../engine/domain/limits.ts'
import type { Bits } from '../../exchange/read-model/lists/bits.ts'
import { type Filter, OWN_FACETS } from '../../exchange/read-model/lists/facets.ts'
import type { FieldSort, MarketLists } from '../../exchange/read-model/lists/market-lists.ts'
import type { Place } from '../../exchange/read-model/lists/ordered-list.ts'
import type { PublishedMarket } from '../../exchange/read-model/published.ts'
import { Joined } from '../../messages/payload.ts'
import type { Issue } from '../../messages/refusal.ts'
import type { PageChanges } from './page-changes.ts'
import { filterOf, type PageDirectory, type ShownPage } from './page-directory.ts'
import type { FilterGroup, FilterValues } from './page-views.ts'

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

// The markets of a page, filtered and sorted, by number of page or by cursor. One read walks the
// active markets once, and the values of each filter key that is counted.

import { createHash } from 'node:crypto'
import { LIMITS } from '../../../engine/domain/limits.ts'
import type { Issue } from '../../http/schema/schema.ts'
import type { Bits } from '../../pipeline/shown/bits.ts'
import { type Filter, OWN_FACETS } from '../../pipeline/shown/facets.ts'
import type { FieldSort, MarketLists } from '../../pipeline/shown/market-lists.ts'
import type { Place } from '../../pipeline/shown/ordered-list.ts'
import type { PublishedMarket } from '../../pipeline/shown/published.ts'
import type { PageChanges } from './page-changes.ts'
import type { FilterValues } from './page-content.ts'
import { filterOf, type PageDirectory, type ShownPage } from './page-directory.ts'

export interface PageAsk {
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

  constructor({ changes, directory, lists }: Parts) {
    this.#changes = changes
    this.#directory = directory
    this.#lists = lists
  }

  /** The JSON of the reply, or what is wrong with the call. */
  read(shown: ShownPage, ask: PageAsk): Buffer | Issue {
    const issue = this.#issueOf(shown, ask)
    if (issue !== null) return issue
    const filter = filterOf(ask.filters)
    const bits = this.#passing(shown, filter)
    const isPaged = ask.cursor === undefined
    const found = isPaged ? this.#byPage(ask, bits) : this.#byCursor(shown, ask, bits)
    if ('message' in found) return found
    const counts = filter.size === 0 ? {} : { counts: this.#counts(shown, filter) }
    const rest = JSON.stringify({ ...found.paging, ...counts }).slice(1)
    const data = this.#lists.joined(found.markets)
    return Buffer.concat([Buffer.from('{"data":['), ...data, Buffer.from(`],${rest}`)])
  }

  #issueOf(shown: ShownPage, { page, cursor, filters }: PageAsk): Issue | null {
    if (page !== undefined && cursor !== undefined) {
      return wrong('cursor', 'may not be given together with page')
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
    return isOver ? wrong('', `must have at most ${LIMITS.filterValuesMax} filter values`) : null
  }

  #passing({ content }: ShownPage, filter: Filter): Bits {
    const { facets } = this.#lists
    facets.catchUp()
    const bits = facets.passing(filterOf(content.baseFilter))
    if (filter.size > 0) bits.keepIn(facets.passing(filter))
    return bits
  }

  #byPage({ page = 1, limit, sort }: PageAsk, bits: Bits) {
    const markets = this.#lists.ordered(sort).page((page - 1) * limit, limit, bits)
    const total = bits.count
    const pagination = { page, limit, total, totalPages: Math.ceil(total / limit) }
    return { markets, paging: { pagination } }
  }

  #byCursor(shown: ShownPage, { cursor = '', limit, sort, filters }: PageAsk, bits: Bits) {
    const query = digestOf(shown.id, sort, filters)
    const place = cursor === '' ? null : placeIn(cursor, query)
    if (place === undefined) return wrong('cursor', NOT_OF_QUERY)
    const list = this.#lists.ordered(sort)
    // One more than asked for tells whether a page follows.
    const found =
      place === null ? list.page(0, limit + 1, bits) : list.behind(place, limit + 1, bits)
    const markets = found.slice(0, limit)
    const last: PublishedMarket | undefined = found.length > limit ? markets.at(-1) : undefined
    const nextCursor = last === undefined ? null : cursorOf(list.placeOf(last), query)
    return { markets, paging: { cursor: { nextCursor } } }
  }

  /** For each key, how many markets each value would show in place of those that are chosen. */
  #counts(shown: ShownPage, filter: Filter): Record<string, Record<string, number>> {
    const counts: Record<string, Record<string, number>> = {}
    const groups = new Map(
      shown.content.filterGroups.map((group) => [group.slug ?? '', group] as const),
    )
    groups.delete('')
    const all = this.#passing(shown, filter)
    for (const key of new Set([...groups.keys(), ...filter.keys()])) {
      const others = new Map([...filter].filter(([each]) => each !== key))
      const bits = filter.has(key) ? this.#passing(shown, others) : all
      const group = groups.get(key)
      const values = new Set([
        ...(filter.get(key) ?? []),
        ...(group === undefined ? [] : this.#valuesOf(key, group)),
      ])
      const counted = [...values].slice(0, LIMITS.filterCountsMax)
      const { facets } = this.#lists
      counts[key] = Object.fromEntries(
        counted.map((value) => [value, facets.countIn(bits, key, value)]),
      )
    }
    return counts
  }

  #valuesOf(key: string, group: ShownPage['content']['filterGroups'][number]): Iterable<string> {
    const { options } = this.#directory.withOptions(group)
    if (options !== undefined) return options.map(({ value }) => value)
    return [...this.#lists.facets.valuesOf(key)].sort()
  }
}

/** Names a query, so that a cursor of another one is refused. */
function digestOf(pageId: string, sort: FieldSort, filters: FilterValues): string {
  const chosen = Object.entries(filters).map(([key, values]) => [key, [...values].sort()] as const)
  chosen.sort(([one], [other]) => (one < other ? -1 : 1))
  const text = JSON.stringify([pageId, sort, chosen])
  return createHash('sha256').update(text).digest('base64url').slice(0, 16)
}

function cursorOf({ high, low, id }: Place, query: string): string {
  return Buffer.from(JSON.stringify([query, high, low, id])).toString('base64url')
}

/** Undefined for a text that is no cursor of the query. */
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

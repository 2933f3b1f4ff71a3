// The number of markets that each choice of a filter would show, as JSON. The counts of a query are
// cached and updated by the markets that changed since: on a venue with a new market every second,
// each reader counts few markets instead of all. Invariants: the cached counts equal those of
// `Facets.countsIn` at their version; `#held` is the sum of the cached counts.

import { LIMITS } from '../../../../engine/domain/limits.ts'
import type { FacetChange, Facets, Filter, Pair } from './facets.ts'

/** The subject of the counts: the markets that pass for `base`, by the values of each key. */
export interface CountedQuery {
  /** Unique among the cached queries. */
  readonly name: string
  /** Covers what determines the values besides the markets; a change rebuilds the counts. */
  readonly stamp: string
  readonly base: Filter
  readonly filter: Filter
  /** Called only when the counts are rebuilt. */
  readonly values: () => ReadonlyMap<string, readonly string[]>
}

interface Kept {
  readonly stamp: string
  version: number
  readonly counts: ReadonlyMap<string, Map<string, number>>
  /** The number of these counts. */
  readonly size: number
  /** Null after a change. */
  text: string | null
}

export class FilterCounts {
  readonly #facets: Facets
  /** By name, the most recently used last. */
  readonly #kept = new Map<string, Kept>()
  #held = 0
  /** Full counts of all markets since the start. */
  countedCount = 0

  constructor(facets: Facets) {
    this.#facets = facets
  }

  /** The number of cached counts. */
  get held(): number {
    return this.#held
  }

  /** The JSON of the counts by key and value. The facets must be up to date. */
  text(query: CountedQuery): string {
    const kept = this.#current(query)
    kept.text ??= JSON.stringify(
      Object.fromEntries([...kept.counts].map(([key, each]) => [key, Object.fromEntries(each)])),
    )
    return kept.text
  }

  #current(query: CountedQuery): Kept {
    const { version } = this.#facets
    const known = this.#kept.get(query.name)
    if (known !== undefined) this.#drop(query.name, known)
    const changes = known?.stamp === query.stamp ? this.#facets.changesSince(known.version) : null
    const kept = known !== undefined && changes !== null ? known : this.#counted(query)
    if (kept === known) for (const change of changes ?? []) follow(kept, query, change)
    kept.version = version
    this.#keep(query.name, kept)
    return kept
  }

  #counted({ stamp, base, filter, values }: CountedQuery): Kept {
    this.countedCount++
    const facets = this.#facets
    const countOf = facets.countsIn(facets.passing(base), filter)
    const counts = new Map<string, Map<string, number>>()
    let size = 0
    for (const [key, each] of values()) {
      counts.set(key, new Map(each.map((value) => [value, countOf(key, value)])))
      size += each.length
    }
    return { stamp, version: facets.version, counts, size, text: null }
  }

  #keep(name: string, kept: Kept): void {
    this.#kept.set(name, kept)
    this.#held += kept.size
    for (const [oldest, each] of this.#kept) {
      const isFew = this.#kept.size <= LIMITS.countedQueriesMax
      if (isFew && this.#held <= LIMITS.filterCountsKeptMax) return
      this.#drop(oldest, each)
    }
  }

  #drop(name: string, { size }: Kept): void {
    this.#kept.delete(name)
    this.#held -= size
  }
}

/** Removes the market as it was before the change from the counts, and adds it as it is after. */
function follow(kept: Kept, query: CountedQuery, { before, after }: FacetChange): void {
  count(kept, query, before, -1)
  count(kept, query, after, 1)
}

function count(kept: Kept, { base, filter }: CountedQuery, pairs: readonly Pair[], by: number) {
  if (pairs.length === 0 || missedOf(base, pairs).length > 0) return
  const missed = missedOf(filter, pairs)
  if (missed.length > 1) return
  for (const [key, value] of pairs) {
    if (missed.length === 1 && key !== missed[0]) continue
    const values = kept.counts.get(key)
    const known = values?.get(value)
    if (values === undefined || known === undefined) continue
    values.set(value, known + by)
    kept.text = null
  }
}

/** The keys of the filter for which a market with these pairs does not pass. */
function missedOf(filter: Filter, pairs: readonly Pair[]): string[] {
  const keys: string[] = []
  for (const [key, wanted] of filter) {
    if (!pairs.some(([own, value]) => own === key && wanted.includes(value))) keys.push(key)
  }
  return keys
}

// Filters of the active-markets list: for each key the values that markets have, and for each value
// the slots of these markets. Updated by what changed since the last read. Invariant: the slots of
// a value are those whose recorded pairs name it.

import { assert } from '../../../../engine/domain/assert.ts'
import type { ActiveMarkets } from '../active-markets.ts'
import { automationTypeOf, tradeTypeOf } from '../market-kinds.ts'
import type { PublishedMarket } from '../published.ts'
import { Bits } from './bits.ts'

/** A market passes when it has one of the values for each key. */
export type Filter = ReadonlyMap<string, readonly string[]>

/** Filter keys that every market answers; properties use the slugs of their keys. */
export const OWN_FACETS = ['category', 'categoryId', 'tag', 'tradeType', 'automationType'] as const

/** The inputs of a filter besides the markets. */
export interface FacetWords {
  /** 0 for a name without a number. */
  readonly categoryIdOf: (name: string) => number
  /** Rises when `above` changes. */
  readonly version: () => number
  /** The values above this one; a market with the value also passes for these. */
  readonly above: (key: string, value: string) => readonly string[]
}

export type Pair = readonly [key: string, value: string]

/** The pairs of a market before and after a change; empty while it is not active. */
export interface FacetChange {
  readonly before: readonly Pair[]
  readonly after: readonly Pair[]
}

/** The markets that have one value. */
interface Having {
  /** Unique among the values of all keys; numbers of removed values are reused. */
  readonly number: number
  readonly slots: number[]
  /** The slots as a set, built when many markets have the value; null after a change. */
  bits: Bits | null
}

/** The values of one key. */
interface Values {
  readonly byValue: Map<string, Having>
  /** Identifies this set of values; no other set of any key has the same. */
  version: number
}

/** The market at the time its pairs were recorded: an edit replaces these fields. */
interface Noted {
  readonly owner: PublishedMarket
  readonly sources: readonly unknown[]
  readonly pairs: readonly Pair[]
  /** The numbers of the values of its pairs. */
  readonly numbers: Int32Array
}

/** The number of markets that a value would show. */
export type CountOf = (key: string, value: string) => number

const OWN: ReadonlySet<string> = new Set(OWN_FACETS)
const NO_WORDS: FacetWords = { categoryIdOf: () => 0, version: () => 0, above: () => [] }
/** With more changes than this, every slot is checked. */
const ONE_BY_ONE_MAX = 1024
/** Changes kept for readers that count by them. */
const CHANGES_KEPT_MAX = 256

export class Facets {
  readonly #active: ActiveMarkets<PublishedMarket>
  readonly #words: FacetWords
  #byKey = new Map<string, Values>()
  /** The key of the value with a number; null for a free number. */
  readonly #keyOf: (Values | null)[] = []
  readonly #freeNumbers: number[] = []
  #valueSets = 0
  #noted: (Noted | undefined)[] = []
  #seenAt = -1
  #wordsVersion = 0
  /** The newest changes, oldest first; the last one produced `version`. */
  #changes: FacetChange[] = []
  /** Rises when the facets of a market change. */
  version = 0

  constructor(active: ActiveMarkets<PublishedMarket>, words: FacetWords = NO_WORDS) {
    this.#active = active
    this.#words = words
  }

  /** Every slot is below it. */
  get slotsEnd(): number {
    return this.#active.slotsEnd
  }

  /** Call it before each read. */
  catchUp(): void {
    const { at, slotsEnd } = this.#active
    const wordsVersion = this.#words.version()
    if (this.#wordsVersion !== wordsVersion) this.#renew()
    this.#wordsVersion = wordsVersion
    if (this.#seenAt === at) return
    const slots = this.#active.slotsSince(this.#seenAt, ONE_BY_ONE_MAX)
    if (slots !== null) for (const slot of slots) this.#reconcile(slot)
    else for (let slot = 0; slot < slotsEnd; slot++) this.#reconcile(slot)
    this.#seenAt = at
  }

  /** The words changed: every market is recorded again. */
  #renew(): void {
    this.#byKey = new Map()
    this.#keyOf.length = 0
    this.#freeNumbers.length = 0
    this.#noted = []
    this.#seenAt = -1
    this.#changes = []
    this.version++
  }

  #reconcile(slot: number): void {
    const noted = this.#noted[slot]
    const owner = this.#active.ownerOf(slot)
    if (noted === undefined && owner === undefined) return
    if (noted !== undefined && noted.owner === owner && isSame(noted.sources, owner)) return
    const before = noted?.pairs ?? []
    const pairs = owner === undefined ? [] : this.pairsOf(owner)
    this.#note({ before, after: pairs })
    for (const pair of before) this.#remove(pair, slot)
    this.#noted[slot] = undefined
    if (owner === undefined) return
    const numbers = Int32Array.from(pairs, (pair) => this.#add(pair, slot))
    this.#noted[slot] = { owner, sources: sourcesOf(owner), pairs, numbers }
  }

  #note(change: FacetChange): void {
    this.version++
    this.#changes.push(change)
    // Half of them are dropped at once, so a change costs little.
    if (this.#changes.length > 2 * CHANGES_KEPT_MAX) this.#changes.splice(0, CHANGES_KEPT_MAX)
  }

  /** The changes after `version`, oldest first; null when too many or no longer known. */
  changesSince(version: number): readonly FacetChange[] | null {
    const count = this.version - version
    if (count === 0) return []
    return count <= Math.min(CHANGES_KEPT_MAX, this.#changes.length)
      ? this.#changes.slice(-count)
      : null
  }

  /** The pairs of the market for each key, whether it is active or not. */
  pairsOf(published: PublishedMarket): readonly Pair[] {
    const { categories, tags, properties = {} } = published.market
    const byKey: [key: string, values: readonly string[]][] = [
      ['category', categories],
      ['categoryId', categories.map((name) => String(this.#words.categoryIdOf(name)))],
      ['tag', tags],
      ['tradeType', [tradeTypeOf(published)]],
      ['automationType', [automationTypeOf(published)]],
    ]
    for (const [key, values] of Object.entries(properties)) {
      if (OWN.has(key)) continue
      byKey.push([key, values.flatMap((value) => [value, ...this.#words.above(key, value)])])
    }
    return byKey.flatMap(([key, values]) => [...new Set(values)].map((value): Pair => [key, value]))
  }

  /** Returns the number of the value. */
  #add([key, value]: Pair, slot: number): number {
    const values = this.#byKey.get(key) ?? { byValue: new Map<string, Having>(), version: 0 }
    this.#byKey.set(key, values)
    const known = values.byValue.get(value)
    if (known === undefined) {
      const number = this.#freeNumbers.pop() ?? this.#keyOf.length
      this.#keyOf[number] = values
      values.byValue.set(value, { number, slots: [slot], bits: null })
      values.version = ++this.#valueSets
      return number
    }
    known.slots.push(slot)
    known.bits = null
    return known.number
  }

  #remove([key, value]: Pair, slot: number): void {
    const values = this.#byKey.get(key)
    const having = values?.byValue.get(value)
    if (values === undefined || having === undefined) return
    const { slots, number } = having
    const last = slots.pop()
    if (last !== undefined && last !== slot) slots[slots.indexOf(slot)] = last
    having.bits = null
    if (slots.length > 0) return
    this.#keyOf[number] = null
    this.#freeNumbers.push(number)
    values.byValue.delete(value)
    values.version = ++this.#valueSets
    if (values.byValue.size === 0) this.#byKey.delete(key)
  }

  /** The set of a value with many markets; null when counting its slots is as fast. */
  #setOf(having: Having): Bits | null {
    const { slotsEnd } = this.#active
    if (having.slots.length < Bits.wordsFor(slotsEnd)) return null
    if (having.bits !== null) return having.bits
    having.bits = new Bits(slotsEnd)
    for (const slot of having.slots) having.bits.add(slot)
    return having.bits
  }

  /** The markets that pass; all active ones without a filter. */
  passing(filter: Filter): Bits {
    let bits: Bits | null = null
    for (const [key, values] of filter) {
      const ofKey = this.#having(key, values)
      if (bits === null) bits = ofKey
      else bits.keepIn(ofKey)
    }
    return bits ?? this.#everyone()
  }

  /** The markets that have one of the values. */
  #having(key: string, wanted: readonly string[]): Bits {
    const bits = new Bits(this.#active.slotsEnd)
    const byValue = this.#byKey.get(key)?.byValue
    for (const value of wanted) {
      const having = byValue?.get(value)
      if (having !== undefined) this.#addTo(bits, having)
    }
    return bits
  }

  #addTo(bits: Bits, having: Having): void {
    const set = this.#setOf(having)
    if (set !== null) bits.addAll(set)
    else for (const slot of having.slots) bits.add(slot)
  }

  #everyone(): Bits {
    const bits = new Bits(this.#active.slotsEnd)
    for (const having of this.#byKey.get('tradeType')?.byValue.values() ?? [])
      this.#addTo(bits, having)
    return bits
  }

  /** The number of markets that pass; for a filter of one value it is already known. */
  countOf(filter: Filter): number {
    const [first, ...others] = filter
    if (first === undefined) return this.#active.count
    const [key, values] = first
    if (others.length > 0 || values.length > 1) return this.passing(filter).count
    return this.#byKey.get(key)?.byValue.get(values[0])?.slots.length ?? 0
  }

  /** The values of a key that some active market has, in no particular order. */
  valuesOf(key: string): Iterable<string> {
    return this.#byKey.get(key)?.byValue.keys() ?? []
  }

  /** A number that differs for each set of values of the key; 0 for none. */
  valuesVersionOf(key: string): number {
    return this.#byKey.get(key)?.version ?? 0
  }

  /** The categories of active markets by rising number. */
  categories(): { readonly id: string; readonly name: string }[] {
    const ids = new Map<string, string>()
    for (const name of this.valuesOf('category')) {
      ids.set(String(this.#words.categoryIdOf(name)), name)
    }
    const all = [...ids].map(([id, name]) => ({ id, name }))
    return all.sort((one, other) => Number(one.id) - Number(other.id))
  }

  /**
   * For each value, counts the markets of `base` that have it and pass for all other keys of the
   * filter: the result of the list if this value replaced those of its key. All values are counted
   * in one walk: a market that misses one key counts for the values of that key, a market that
   * misses two keys for none.
   */
  countsIn(base: Bits, filter: Filter): CountOf {
    const counts = new Int32Array(this.#keyOf.length)
    const keyOf = this.#keyOf
    const chosen = [...filter].map(([key, values]) => {
      return { bits: this.#having(key, values), values: this.#byKey.get(key) }
    })
    for (const slot of base.slots()) {
      const noted = this.#noted[slot]
      assert(noted !== undefined, 'a market of a set is recorded')
      let misses = 0
      let missed: Values | undefined
      for (const { bits, values } of chosen) {
        if (bits.has(slot)) continue
        misses++
        if (misses > 1) break
        missed = values
      }
      if (misses > 1) continue
      const { numbers } = noted
      if (misses === 0) for (let at = 0; at < numbers.length; at++) counts[numbers[at]]++
      else if (missed !== undefined) {
        for (let at = 0; at < numbers.length; at++) {
          const number = numbers[at]
          if (keyOf[number] === missed) counts[number]++
        }
      }
    }
    return (key, value) => {
      const having = this.#byKey.get(key)?.byValue.get(value)
      return having === undefined ? 0 : counts[having.number]
    }
  }
}

function sourcesOf(published: PublishedMarket): readonly unknown[] {
  const { categories, tags, properties } = published.market
  return [categories, tags, properties, tradeTypeOf(published), automationTypeOf(published)]
}

/** Runs for each market whose book changed, so it allocates no list. */
function isSame(sources: readonly unknown[], published: PublishedMarket): boolean {
  const { categories, tags, properties } = published.market
  return (
    sources[0] === categories &&
    sources[1] === tags &&
    sources[2] === properties &&
    sources[3] === tradeTypeOf(published) &&
    sources[4] === automationTypeOf(published)
  )
}

// By what active markets are filtered: for each key the values that markets have, and for each
// value the slots of these markets. Kept by what changed since the last read. Invariant: the slots
// of a value are those whose noted pairs name it.

import type { ActiveMarkets } from '../active-markets.ts'
import { automationTypeOf, tradeTypeOf } from '../market-kinds.ts'
import type { PublishedMarket } from '../published.ts'
import { Bits } from './bits.ts'

/** A market passes when it has, for each key, one of the values. */
export type Filter = ReadonlyMap<string, readonly string[]>

/** Filter keys that every market answers; properties have the slugs of their keys. */
export const OWN_FACETS = ['category', 'categoryId', 'tag', 'tradeType', 'automationType'] as const

/** What a filter needs besides the markets. */
export interface FacetWords {
  /** 0 for a name without a number. */
  readonly categoryIdOf: (name: string) => number
  /** Grows when `above` changes. */
  readonly version: () => number
  /** The values above this one; a market that has the value passes for these too. */
  readonly above: (key: string, value: string) => readonly string[]
}

type Pair = readonly [key: string, value: string]

/** The markets that have one value. */
interface Having {
  readonly slots: number[]
  /** The slots as a set, made when many markets have the value; null after a change. */
  bits: Bits | null
}

/** The market as it was when its pairs were noted: an edit replaces these fields. */
interface Noted {
  readonly owner: PublishedMarket
  readonly sources: readonly unknown[]
  readonly pairs: readonly Pair[]
}

const OWN: ReadonlySet<string> = new Set(OWN_FACETS)
const NO_WORDS: FacetWords = { categoryIdOf: () => 0, version: () => 0, above: () => [] }
/** More changes than this: every slot is looked at. */
const ONE_BY_ONE_MAX = 1024

export class Facets {
  readonly #active: ActiveMarkets<PublishedMarket>
  readonly #words: FacetWords
  #byKey = new Map<string, Map<string, Having>>()
  #noted: (Noted | undefined)[] = []
  #seenAt = -1
  #wordsVersion = 0
  /** Grows when the facets of a market change. */
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

  /** The words changed: every market is noted again. */
  #renew(): void {
    this.#byKey = new Map()
    this.#noted = []
    this.#seenAt = -1
    this.version++
  }

  #reconcile(slot: number): void {
    const noted = this.#noted[slot]
    const owner = this.#active.ownerOf(slot)
    if (noted === undefined && owner === undefined) return
    if (noted !== undefined && noted.owner === owner && isSame(noted.sources, owner)) return
    this.version++
    for (const pair of noted?.pairs ?? []) this.#remove(pair, slot)
    this.#noted[slot] = undefined
    if (owner === undefined) return
    const pairs = this.pairsOf(owner)
    for (const pair of pairs) this.#add(pair, slot)
    this.#noted[slot] = { owner, sources: sourcesOf(owner), pairs }
  }

  /** What the market has of each key, whether it is active or not. */
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

  #add([key, value]: Pair, slot: number): void {
    const values = this.#byKey.get(key) ?? new Map<string, Having>()
    this.#byKey.set(key, values)
    const having = values.get(value)
    if (having === undefined) {
      values.set(value, { slots: [slot], bits: null })
      return
    }
    having.slots.push(slot)
    having.bits = null
  }

  #remove([key, value]: Pair, slot: number): void {
    const values = this.#byKey.get(key)
    const having = values?.get(value)
    if (values === undefined || having === undefined) return
    const { slots } = having
    const last = slots.pop()
    if (last !== undefined && last !== slot) slots[slots.indexOf(slot)] = last
    having.bits = null
    if (slots.length > 0) return
    values.delete(value)
    if (values.size === 0) this.#byKey.delete(key)
  }

  /** The set of a value that many markets have; null when its slots are counted as fast. */
  #setOf(having: Having): Bits | null {
    const { slotsEnd } = this.#active
    if (having.slots.length < Bits.wordsFor(slotsEnd)) return null
    if (having.bits !== null) return having.bits
    having.bits = new Bits(slotsEnd)
    for (const slot of having.slots) having.bits.add(slot)
    return having.bits
  }

  /** The markets that pass; every active one without a filter. */
  passing(filter: Filter): Bits {
    let bits: Bits | null = null
    for (const [key, values] of filter) {
      const ofKey = this.having(key, values)
      if (bits === null) bits = ofKey
      else bits.keepIn(ofKey)
    }
    return bits ?? this.#everyone()
  }

  /** The markets that have one of the values. */
  having(key: string, wanted: readonly string[]): Bits {
    const bits = new Bits(this.#active.slotsEnd)
    const values = this.#byKey.get(key)
    for (const value of wanted) {
      const having = values?.get(value)
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
    for (const having of this.#byKey.get('tradeType')?.values() ?? []) this.#addTo(bits, having)
    return bits
  }

  /** How many markets pass; a filter of one value is counted already. */
  countOf(filter: Filter): number {
    const [first, ...others] = filter
    if (first === undefined) return this.#active.count
    const [key, values] = first
    if (others.length > 0 || values.length > 1) return this.passing(filter).count
    return this.#byKey.get(key)?.get(values[0])?.slots.length ?? 0
  }

  /** The values of a key that some active market has, in no order. */
  valuesOf(key: string): Iterable<string> {
    return this.#byKey.get(key)?.keys() ?? []
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

  /** How many markets of `bits` have the value. */
  countIn(bits: Bits, key: string, value: string): number {
    const having = this.#byKey.get(key)?.get(value)
    if (having === undefined) return 0
    const set = this.#setOf(having)
    if (set !== null) return set.countIn(bits)
    let count = 0
    for (const slot of having.slots) if (bits.has(slot)) count++
    return count
  }
}

function sourcesOf(published: PublishedMarket): readonly unknown[] {
  const { categories, tags, properties } = published.market
  return [categories, tags, properties, tradeTypeOf(published), automationTypeOf(published)]
}

/** Runs for each market whose book moved, so it makes no list. */
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

// The active markets in one order, updated by what changed since the last read. A market's position
// is found by its worth at the time it was placed, so the worth is stored in columns by slot.
// Invariants: `#order` holds the slots of `#held`, by falling worth, equal ones newest first.

import { assert } from '../../../../engine/domain/assert.ts'
import type { ActiveMarkets, Noted } from '../active-markets.ts'
import type { Bits } from './bits.ts'

/** The sort keys of an order. */
export interface Worth<T> {
  /** Highest first. */
  readonly high: (each: T) => number
  /** Breaks ties. */
  readonly low?: (each: T) => number
  /** The last tie-breaker; unique per market. */
  readonly id: (each: T) => number
}

/** The market after which a page begins. */
export interface Place {
  readonly high: number
  readonly low: number
  readonly id: number
}

/** With more changes than this, the list is sorted as a whole. */
const ONE_BY_ONE_MAX = 256

export class OrderedList<T extends Noted<T>> {
  readonly #active: ActiveMarkets<T>
  readonly #worth: Worth<T>
  #order = new Int32Array(64)
  #count = 0
  #held: (T | undefined)[] = []
  #high = new Float64Array(64)
  #low = new Float64Array(64)
  #id = new Float64Array(64)
  #seenAt = -1

  constructor(active: ActiveMarkets<T>, worth: Worth<T>) {
    this.#active = active
    this.#worth = worth
  }

  /** Call it before each read. */
  catchUp(): void {
    const { at } = this.#active
    if (this.#seenAt === at) return
    const slots = this.#active.slotsSince(this.#seenAt, ONE_BY_ONE_MAX)
    if (slots === null) {
      this.#sortAgain()
    } else {
      // A market that changed its slot has one place for both, so the old one is removed first.
      for (const slot of slots) this.#clear(slot)
      for (const slot of slots) this.#fill(slot)
    }
    this.#seenAt = at
  }

  get count(): number {
    return this.#count
  }

  /** All markets, in order. */
  *all(): Iterable<T> {
    for (let at = 0; at < this.#count; at++) yield this.#at(at)
  }

  /** Up to `limit` markets after the first `skip`; only those in `bits`, if given. */
  page(skip: number, limit: number, bits: Bits | null): T[] {
    if (bits === null) return this.#slice(skip, Math.min(this.#count, skip + limit))
    const found: T[] = []
    let left = skip
    for (let at = 0; at < this.#count && found.length < limit; at++) {
      if (!bits.has(this.#order[at])) continue
      if (left > 0) left--
      else found.push(this.#at(at))
    }
    return found
  }

  /** Up to `limit` markets after the place; only those in `bits`, if given. */
  after(place: Place, limit: number, bits: Bits | null): T[] {
    const from = this.#firstAfter(place)
    if (bits === null) return this.#slice(from, Math.min(this.#count, from + limit))
    const found: T[] = []
    for (let at = from; at < this.#count && found.length < limit; at++) {
      if (bits.has(this.#order[at])) found.push(this.#at(at))
    }
    return found
  }

  /** The place of a market of the list, by its recorded worth. */
  placeOf({ activeSlot: slot }: T): Place {
    return { high: this.#high[slot], low: this.#low[slot], id: this.#id[slot] }
  }

  #at(at: number): T {
    const found = this.#held[this.#order[at]]
    assert(found !== undefined, 'a listed slot is held')
    return found
  }

  #slice(from: number, end: number): T[] {
    const found: T[] = []
    for (let at = from; at < end; at++) found.push(this.#at(at))
    return found
  }

  /** Removes the slot from the order, unless its position is current. */
  #clear(slot: number): void {
    const held = this.#held[slot]
    if (held === undefined) return
    const owner = this.#active.ownerOf(slot)
    if (held !== owner || !this.#isAsPlaced(slot, owner)) this.#remove(slot)
  }

  #fill(slot: number): void {
    const owner = this.#active.ownerOf(slot)
    if (owner !== undefined && this.#held[slot] === undefined) this.#insert(slot, owner)
  }

  #isAsPlaced(slot: number, owner: T): boolean {
    const { high, low } = this.#worth
    return this.#high[slot] === high(owner) && this.#low[slot] === (low?.(owner) ?? 0)
  }

  #remove(slot: number): void {
    const at = this.#firstAfter(this.#placeAt(slot)) - 1
    this.#order.copyWithin(at, at + 1, this.#count)
    this.#count--
    this.#held[slot] = undefined
  }

  #insert(slot: number, owner: T): void {
    this.#write(slot, owner)
    const at = this.#firstAfter(this.#placeAt(slot))
    this.#order.copyWithin(at + 1, at, this.#count)
    this.#order[at] = slot
    this.#count++
  }

  #placeAt(slot: number): Place {
    return { high: this.#high[slot], low: this.#low[slot], id: this.#id[slot] }
  }

  #write(slot: number, owner: T): void {
    if (slot >= this.#high.length || this.#count + 1 >= this.#order.length) this.#grow(slot)
    this.#held[slot] = owner
    this.#high[slot] = this.#worth.high(owner)
    this.#low[slot] = this.#worth.low?.(owner) ?? 0
    this.#id[slot] = this.#worth.id(owner)
  }

  #grow(slot: number): void {
    const length = 2 * Math.max(slot + 1, this.#order.length)
    this.#high = grown(this.#high, new Float64Array(length))
    this.#low = grown(this.#low, new Float64Array(length))
    this.#id = grown(this.#id, new Float64Array(length))
    this.#order = grown(this.#order, new Int32Array(length))
  }

  /** The index of the first market after the place. */
  #firstAfter({ high, low, id }: Place): number {
    let from = 0
    let end = this.#count
    while (from < end) {
      const middle = (from + end) >> 1
      const slot = this.#order[middle]
      const order = this.#high[slot] - high || this.#low[slot] - low || this.#id[slot] - id
      if (order < 0) end = middle
      else from = middle + 1
    }
    return from
  }

  /** The slots that are already in order come first, because the sort benefits from them. */
  #sortAgain(): void {
    const before = [...this.#order.subarray(0, this.#count)]
    const end = this.#active.slotsEnd
    const isKnown = new Uint8Array(Math.max(end, this.#held.length))
    for (const slot of before) isKnown[slot] = 1
    const slots: number[] = []
    const take = (slot: number) => {
      const owner = this.#active.ownerOf(slot)
      if (owner === undefined) return
      this.#write(slot, owner)
      slots.push(slot)
    }
    this.#held = []
    this.#count = 0
    if (end >= this.#high.length) this.#grow(end)
    for (const slot of before) take(slot)
    for (let slot = 0; slot < end; slot++) if (isKnown[slot] === 0) take(slot)
    slots.sort(
      (one, other) =>
        this.#high[other] - this.#high[one] ||
        this.#low[other] - this.#low[one] ||
        this.#id[other] - this.#id[one],
    )
    this.#order.set(slots)
    this.#count = slots.length
  }
}

function grown<A extends Float64Array | Int32Array>(from: A, into: A): A {
  into.set(from)
  return into
}

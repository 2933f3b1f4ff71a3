import { assert } from './assert.ts'

/**
 * Items in progress, each under a number that is reused after the item is removed. A Map would
 * retain memory: its outgrown tables hold old items and point to the next table, so one table in
 * the old generation keeps all later ones alive until a full collection.
 */
export class Slab<T> {
  readonly #items: (T | null)[] = [null]
  readonly #free: number[] = []

  get count(): number {
    return this.#items.length - 1 - this.#free.length
  }

  /** Stores the item and returns its number, from 1. */
  put(item: T): number {
    const at = this.#free.pop() ?? this.#items.length
    this.#items[at] = item
    return at
  }

  at(at: number): T {
    const item = this.#items[at]
    assert(item !== null && item !== undefined, 'an item that is read is stored')
    return item
  }

  take(at: number): T {
    const item = this.#items[at]
    assert(item !== null && item !== undefined, 'an item that is removed is stored')
    this.#items[at] = null
    this.#free.push(at)
    return item
  }

  /** All items, in no particular order. */
  all(): T[] {
    return this.#items.filter((item) => item !== null)
  }
}

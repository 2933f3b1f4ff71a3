import { assert } from './assert.ts'

/**
 * Items under way, each under a number that is free again once the item is taken out. A Map would
 * keep memory that it no longer uses: its outgrown tables hold their old items and point to the
 * next table. So one table that grew old keeps all later ones alive until the whole heap is
 * collected.
 */
export class Slab<T> {
  readonly #items: (T | null)[] = [null]
  readonly #free: number[] = []

  get count(): number {
    return this.#items.length - 1 - this.#free.length
  }

  /** Stores the item and gives its number, from 1. */
  put(item: T): number {
    const at = this.#free.pop() ?? this.#items.length
    this.#items[at] = item
    return at
  }

  at(at: number): T {
    const item = this.#items[at]
    assert(item !== null && item !== undefined, 'an item that is read was put in')
    return item
  }

  take(at: number): T {
    const item = this.#items[at]
    assert(item !== null && item !== undefined, 'an item that is taken out was put in')
    this.#items[at] = null
    this.#free.push(at)
    return item
  }

  /** All items, in no order. */
  all(): T[] {
    return this.#items.filter((item) => item !== null)
  }
}

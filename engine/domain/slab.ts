import { assert } from './assert.ts'

/**
 * Things on their way, each under a number that is free again once it is taken out. A Map would
 * hold what it gave back: its outgrown tables keep what they held and point to the next, so one
 * that grew old keeps all later ones alive until the whole heap is collected.
 */
export class Slab<T> {
  readonly #items: (T | null)[] = [null]
  readonly #free: number[] = []

  get count(): number {
    return this.#items.length - 1 - this.#free.length
  }

  /** Gives the item's number, from 1. */
  put(item: T): number {
    const at = this.#free.pop() ?? this.#items.length
    this.#items[at] = item
    return at
  }

  at(at: number): T {
    const item = this.#items[at]
    assert(item !== null && item !== undefined, 'what is looked at was put in')
    return item
  }

  take(at: number): T {
    const item = this.#items[at]
    assert(item !== null && item !== undefined, 'what is taken out was put in')
    this.#items[at] = null
    this.#free.push(at)
    return item
  }

  /** All that is in it, in no order. */
  all(): T[] {
    return this.#items.filter((item) => item !== null)
  }
}

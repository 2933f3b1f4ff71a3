// Numbers of categories, counted from 1 by first use in a market, permanently. Only commands add to
// them; one thread writes. They are not in the state hash, because older hashes lack them and they
// follow from the markets in the journal.

import { assert } from '../../domain/assert.ts'

export type CapturedCategories = readonly string[]

export class Categories {
  /** Each change creates a new list. */
  #names: readonly string[] = []
  readonly #ids = new Map<string, number>()

  get count(): number {
    return this.#names.length
  }

  /** 0 for a name never used by a market. */
  idOf(name: string): number {
    return this.#ids.get(name) ?? 0
  }

  nameOf(categoryId: number): string | undefined {
    return this.#names[categoryId - 1]
  }

  /** Numbers the new names. */
  note(names: readonly string[]): void {
    const fresh = [...new Set(names)].filter((name) => !this.#ids.has(name))
    if (fresh.length === 0) return
    this.#names = [...this.#names, ...fresh]
    for (const name of fresh) this.#ids.set(name, this.#ids.size + 1)
  }

  capture(): CapturedCategories {
    return this.#names
  }

  restore(captured: CapturedCategories): void {
    assert(this.#names.length === 0, 'only a fresh state is restored')
    this.note(captured)
  }
}

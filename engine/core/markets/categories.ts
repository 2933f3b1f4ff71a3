// Numbers of categories: each name has the number of its first appearance in a new market, counted
// from 1, for ever. Only commands add to them; one thread writes. Older journals have no hash of
// them, so they are no facts of the state hash: they follow from the markets in the journal alone.

import { assert } from '../../domain/assert.ts'

export type CapturedCategories = readonly string[]

export class Categories {
  /** Every change makes a new list. */
  #names: readonly string[] = []
  readonly #ids = new Map<string, number>()

  get count(): number {
    return this.#names.length
  }

  /** 0 for a name that no market ever had. */
  idOf(name: string): number {
    return this.#ids.get(name) ?? 0
  }

  nameOf(categoryId: number): string | undefined {
    return this.#names[categoryId - 1]
  }

  /** Numbers the names that are new. */
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

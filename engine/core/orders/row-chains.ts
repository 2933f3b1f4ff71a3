// Hot path. bench/core.bench.ts
// Position rows that have live orders, chained by a key: their account, or their market. So whoever
// cancels all of an account or of a market looks at no row in vain. It follows from the orders and
// is no state of its own: the order of a chain decides nothing that is replayed.
// Invariant: a row is in one chain of its kind while it has live orders, and in none else.

import { wideByAccount, wideEnough } from '../cells/columns.ts'

export class RowChains {
  /** First row by key; then, by row, the next and the one before. 0 = none. */
  #first = new Int32Array(1024)
  #next = new Int32Array(1024)
  #previous = new Int32Array(1024)

  /** Follow `nextOf` to 0. */
  firstOf(key: number): number {
    return key < this.#first.length ? this.#first[key] : 0
  }

  nextOf(row: number): number {
    return this.#next[row]
  }

  add(key: number, row: number): void {
    if (key >= this.#first.length) this.#first = wideByAccount(this.#first, key)
    if (row >= this.#next.length) {
      this.#next = wideEnough(this.#next, row)
      this.#previous = wideEnough(this.#previous, row)
    }
    const next = this.#first[key]
    this.#next[row] = next
    this.#previous[row] = 0
    if (next !== 0) this.#previous[next] = row
    this.#first[key] = row
  }

  remove(key: number, row: number): void {
    const next = this.#next[row]
    const previous = this.#previous[row]
    if (previous === 0) this.#first[key] = next
    else this.#next[previous] = next
    if (next !== 0) this.#previous[next] = previous
  }
}

// Hot path. bench/core.bench.ts
// Position rows with live orders, chained by account or by book. So a cancel of all orders of an
// account or a market visits only rows with orders. The chains are derived from the orders and are
// not state: no replay depends on their order.
// Invariant: a row with live orders is in exactly one chain of its kind; other rows are in none.

import { wideByAccount, wideEnough } from '../cells/columns.ts'

export class RowChains {
  /** `#first` is the first row of a key; `#next` and `#previous` are by row. 0 = none. */
  #first = new Int32Array(1024)
  #next = new Int32Array(1024)
  #previous = new Int32Array(1024)

  /** The first row of the key. Follow `nextOf` until 0. */
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

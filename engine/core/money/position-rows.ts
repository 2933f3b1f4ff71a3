// Hot path. bench/core.bench.ts
// Finds the row of an account's position in a market. Released rows are reused, so the number of
// rows is bounded by the number of live positions (design §10).
// Invariants: a cell is 0 or a live row; rows with the same home cell follow it without gaps; at
// most half of the cells are in use; a row is live or in the free chain.

import { assert } from '../../domain/assert.ts'
import type { AccountId, MarketId, PositionRow } from '../../domain/ids.ts'
import { LIMITS } from '../../domain/limits.ts'
import { positionShares } from '../../domain/share-limits.ts'
import { wideEnough } from '../cells/columns.ts'
import { SharedCounts } from '../cells/shared-counts.ts'

const FIRST_ROWS = 1024

export class PositionRows {
  #cells = new Int32Array(FIRST_ROWS * 2)
  /** For a live row, its account; for a free row, the next free row. */
  #accountOf = new Int32Array(FIRST_ROWS)
  /** 0 = a free row. */
  #marketOf = new Int32Array(FIRST_ROWS)
  /** Head of the free chain; 0 = none. */
  #free = 0
  /** Live rows, in total and per account. */
  readonly live = new SharedCounts(positionShares(LIMITS.positionsMax))
  /** All rows are below this. Row 0 = none. */
  end = 1

  /** The largest number of rows. */
  get capacity(): number {
    return this.live.shares.whole.capacity
  }

  /** Live rows. */
  get count(): number {
    return this.live.all
  }

  isLive(row: PositionRow): boolean {
    return this.#marketOf[row] !== 0
  }

  accountOf(row: PositionRow): AccountId {
    return this.#accountOf[row]
  }

  /** 0 if the row is free. */
  marketOf(row: PositionRow): MarketId {
    return this.#marketOf[row]
  }

  /** The row of an account in a market; 0 if it has none. */
  find(accountId: AccountId, marketId: MarketId): PositionRow {
    return this.#cells[this.#cellOf(accountId, marketId)]
  }

  add(accountId: AccountId, marketId: MarketId): PositionRow {
    const row = this.#free === 0 ? this.end++ : this.#free
    if (row === this.#free) this.#free = this.#accountOf[row]
    else if (row === this.#accountOf.length) this.#grow()
    this.#put(row, accountId, marketId)
    return row
  }

  /** Releases a row. The caller's columns no longer use it. */
  remove(row: PositionRow): void {
    assert(this.isLive(row), 'a row is released once')
    this.#close(this.#cellOf(this.#accountOf[row], this.#marketOf[row]))
    this.live.remove(this.#accountOf[row])
    this.#marketOf[row] = 0
    this.#accountOf[row] = this.#free
    this.#free = row
  }

  /** Account and market of all rows from 0; 0 and 0 for a free row. */
  capture(): Uint32Array {
    const pairs = new Uint32Array(this.end * 2)
    for (let row = 1; row < this.end; row++) {
      if (!this.isLive(row)) continue
      pairs[row * 2] = this.#accountOf[row]
      pairs[row * 2 + 1] = this.#marketOf[row]
    }
    return pairs
  }

  /** Restores captured rows under the same numbers, because live orders refer to them. */
  restore(pairs: Uint32Array): void {
    assert(this.end === 1, 'only a fresh state is restored')
    this.end = pairs.length / 2
    if (this.end > this.#accountOf.length) this.#grow()
    // In descending order, so that the free chain starts with the lowest rows.
    for (let row = this.end - 1; row > 0; row--) {
      if (pairs[row * 2 + 1] !== 0) this.#put(row, pairs[row * 2], pairs[row * 2 + 1])
      else {
        this.#accountOf[row] = this.#free
        this.#free = row
      }
    }
  }

  #put(row: PositionRow, accountId: AccountId, marketId: MarketId): void {
    this.#accountOf[row] = accountId
    this.#marketOf[row] = marketId
    this.#cells[this.#cellOf(accountId, marketId)] = row
    this.live.add(accountId)
  }

  #homeOf(accountId: AccountId, marketId: MarketId): number {
    const mixed = Math.imul(Math.imul(accountId, 0x9e3779b1) ^ marketId, 0x85ebca6b)
    return (mixed ^ (mixed >>> 15)) & (this.#cells.length - 1)
  }

  /** The cell of the pair, or the empty cell where it would go. */
  #cellOf(accountId: AccountId, marketId: MarketId): number {
    const cells = this.#cells
    const mask = cells.length - 1
    let cell = this.#homeOf(accountId, marketId)
    for (let row = cells[cell]; row !== 0; row = cells[cell]) {
      if (this.#accountOf[row] === accountId && this.#marketOf[row] === marketId) return cell
      cell = (cell + 1) & mask
    }
    return cell
  }

  /** Empties a cell. Later rows that may use it move up, so that no gap is left. */
  #close(cell: number): void {
    const cells = this.#cells
    const mask = cells.length - 1
    let gap = cell
    for (let next = (gap + 1) & mask; cells[next] !== 0; next = (next + 1) & mask) {
      const row = cells[next]
      const home = this.#homeOf(this.#accountOf[row], this.#marketOf[row])
      if (((next - home) & mask) < ((next - gap) & mask)) continue
      cells[gap] = row
      gap = next
    }
    cells[gap] = 0
  }

  #grow(): void {
    this.#accountOf = wideEnough(this.#accountOf, this.end)
    this.#marketOf = wideEnough(this.#marketOf, this.end)
    let length = this.#cells.length
    while (length < this.#accountOf.length * 2) length *= 2
    this.#cells = new Int32Array(length)
    for (let row = 1; row < this.end; row++) {
      if (!this.isLive(row)) continue
      this.#cells[this.#cellOf(this.#accountOf[row], this.#marketOf[row])] = row
    }
  }
}

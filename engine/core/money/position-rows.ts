// Hot path. bench/core.bench.ts
// Finds the row that holds an account's position in a market. Rows count from 1 and are never given
// back.
// Invariants: a cell holds a row or 0; rows with the same home cell follow it without a gap; at
// most half of the cells are taken.

import type { AccountId, MarketId, PositionRow } from '../../domain/ids.ts'
import { wideEnough } from '../cells/columns.ts'

const FIRST_ROWS = 1024

export class PositionRows {
  #cells = new Int32Array(FIRST_ROWS * 2)
  #accountOf = new Int32Array(FIRST_ROWS)
  #marketOf = new Int32Array(FIRST_ROWS)
  /** Every row is below this. Row 0 means none. */
  end = 1

  accountOf(row: PositionRow): AccountId {
    return this.#accountOf[row]
  }

  marketOf(row: PositionRow): MarketId {
    return this.#marketOf[row]
  }

  /** The row of an account in a market; 0 when it never had one. */
  find(accountId: AccountId, marketId: MarketId): PositionRow {
    return this.#cells[this.#cellOf(accountId, marketId)]
  }

  add(accountId: AccountId, marketId: MarketId): number {
    const row = this.end++
    if (row === this.#accountOf.length) this.#grow()
    this.#accountOf[row] = accountId
    this.#marketOf[row] = marketId
    this.#cells[this.#cellOf(accountId, marketId)] = row
    return row
  }

  /** The cell that holds the pair, or the empty cell where it would go. */
  #cellOf(accountId: AccountId, marketId: MarketId): number {
    const cells = this.#cells
    const mask = cells.length - 1
    const mixed = Math.imul(Math.imul(accountId, 0x9e3779b1) ^ marketId, 0x85ebca6b)
    let cell = (mixed ^ (mixed >>> 15)) & mask
    for (let row = cells[cell]; row !== 0; row = cells[cell]) {
      if (this.#accountOf[row] === accountId && this.#marketOf[row] === marketId) return cell
      cell = (cell + 1) & mask
    }
    return cell
  }

  #grow(): void {
    this.#accountOf = wideEnough(this.#accountOf, this.end)
    this.#marketOf = wideEnough(this.#marketOf, this.end)
    this.#cells = new Int32Array(this.#accountOf.length * 2)
    for (let row = 1; row < this.end - 1; row++) {
      this.#cells[this.#cellOf(this.#accountOf[row], this.#marketOf[row])] = row
    }
  }
}

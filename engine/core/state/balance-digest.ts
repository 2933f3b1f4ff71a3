// Folds all balances into one text, to compare the ledgers of main and the follower. It adds
// hashes, so row order does not matter and nothing is sorted: main is blocked while it folds. It
// detects mistakes, not attacks.

import { systemAccountAt } from '../../domain/ids.ts'
import type { Clearing } from '../clearing.ts'

const PER_HIGH = 2 ** -32

function mixed(hash: number, low: number, high: number): number {
  const one = Math.imul(hash ^ low, 0x85ebca6b)
  const both = Math.imul(one ^ (one >>> 13) ^ high, 0xc2b2ae35)
  return both ^ (both >>> 16)
}

/** Sums two 32-bit hashes of each entry. */
class Fold {
  #first = 0
  #second = 0

  add(kind: number, holder: number, raws: Float64Array): void {
    let first = mixed(0x9e3779b1, holder, kind)
    let second = mixed(0x165667b1, holder, kind)
    for (let index = 0; index < raws.length; index++) {
      const low = raws[index] >>> 0
      const high = (raws[index] - low) * PER_HIGH
      first = mixed(first, low, high)
      second = mixed(second, low, high)
    }
    this.#first = (this.#first + first) | 0
    this.#second = (this.#second + second) | 0
  }

  text(): string {
    return [this.#first, this.#second]
      .map((half) => (half >>> 0).toString(16).padStart(8, '0'))
      .join('')
  }
}

const TOTALS = 0
const ACCOUNT = 1
const MARKET = 2
/** A row of market m has the kind ROW + m. */
const ROW = 3

export function balanceDigest({ ledger, accounts, catalogue }: Clearing): string {
  const fold = new Fold()
  fold.add(TOTALS, 0, Float64Array.of(ledger.fundedRaw))
  const two = new Float64Array(2)
  for (const [index, raw] of ledger.systemRaw.entries()) {
    fold.add(ACCOUNT, systemAccountAt(index), Float64Array.of(raw))
  }
  for (let account = 1; account <= accounts.count; account++) {
    two[0] = ledger.collateralFreeRaw[account]
    two[1] = ledger.collateralReservedRaw[account]
    fold.add(ACCOUNT, account, two)
  }
  for (const { marketId, conditionRaw } of catalogue.all()) {
    fold.add(MARKET, marketId, Float64Array.of(conditionRaw))
  }
  const four = new Float64Array(4)
  for (let row = 1; row < ledger.rows.end; row++) {
    four[0] = ledger.sharesFreeRaw[row * 2]
    four[1] = ledger.sharesFreeRaw[row * 2 + 1]
    four[2] = ledger.sharesReservedRaw[row * 2]
    four[3] = ledger.sharesReservedRaw[row * 2 + 1]
    // An empty row is only an index, not part of the state.
    if (four[0] === 0 && four[1] === 0 && four[2] === 0 && four[3] === 0) continue
    fold.add(ROW + ledger.rows.marketOf(row), ledger.rows.accountOf(row), four)
  }
  return fold.text()
}

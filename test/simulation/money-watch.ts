// Checks law 5 after every command, at the cost of what the command touched. It keeps a shadow of
// all balances, and their sums by the differences of the entries it looks at. A full walk then
// shows that no other entry moved.

import assert from 'node:assert/strict'
import type { Clearing } from '../../engine/core/clearing.ts'
import { FEE_ACCOUNT } from '../../engine/core/money/ledger.ts'

/** The law of the sums; a test may plant a wrong law to see that the watch finds it. */
export type Conserves = (sums: {
  readonly heldRaw: number
  readonly depositsRaw: number
  readonly withdrawalsRaw: number
}) => boolean

/** Law 5, unchanged. */
export const conserved: Conserves = ({ heldRaw, depositsRaw, withdrawalsRaw }) =>
  heldRaw === depositsRaw - withdrawalsRaw

export class MoneyWatch {
  readonly #clearing: Clearing
  readonly #conserves: Conserves
  readonly #freeRaw: number[] = []
  readonly #reservedRaw: number[] = []
  /** Index row × 2 + outcome. */
  readonly #sharesRaw: number[] = []
  readonly #insideRaw: number[] = []
  /** Index market × 2 + outcome. */
  readonly #supplyRaw: number[] = []
  #heldRaw = 0
  /** Counted from the commands, not taken from the ledger. */
  #depositsRaw: number
  #withdrawalsRaw = 0

  constructor(clearing: Clearing, conserves: Conserves) {
    this.#clearing = clearing
    this.#conserves = conserves
    this.#depositsRaw = clearing.ledger.fundedRaw
    for (let account = 0; account <= clearing.accounts.count; account++) this.cash(account)
    for (const { marketId } of clearing.catalogue.all()) this.inside(marketId)
    for (let row = 1; row < clearing.ledger.rows.end; row++) this.row(row)
    this.holds()
  }

  cash(account: number): void {
    const { ledger } = this.#clearing
    const freeRaw = ledger.collateralFreeRaw[account]
    const reservedRaw = ledger.collateralReservedRaw[account]
    const owedRaw = this.#clearing.reversals.collateralTakenRaw(account)
    assert(freeRaw >= -owedRaw && reservedRaw >= 0, 'only a reversal makes collateral negative')
    this.#heldRaw += freeRaw - (this.#freeRaw[account] ?? 0)
    this.#heldRaw += reservedRaw - (this.#reservedRaw[account] ?? 0)
    this.#freeRaw[account] = freeRaw
    this.#reservedRaw[account] = reservedRaw
  }

  /** A deposit, or a withdrawal when negative. */
  adjusted(account: number, collateralRaw: number): void {
    if (collateralRaw > 0) this.#depositsRaw += collateralRaw
    else this.#withdrawalsRaw -= collateralRaw
    this.cash(account)
  }

  row(row: number): void {
    const { ledger } = this.#clearing
    const marketId = ledger.rows.marketOf(row)
    for (let index = row * 2; index < row * 2 + 2; index++) {
      const freeRaw = ledger.sharesFreeRaw[index]
      const reservedRaw = ledger.sharesReservedRaw[index]
      const account = ledger.rows.accountOf(row)
      const owedRaw = this.#clearing.reversals.sharesTakenRaw(account, marketId, index & 1)
      assert(freeRaw >= -owedRaw && reservedRaw >= 0, 'only a reversal makes shares negative')
      const changeRaw = freeRaw + reservedRaw - (this.#sharesRaw[index] ?? 0)
      const supply = marketId * 2 + (index & 1)
      this.#supplyRaw[supply] = (this.#supplyRaw[supply] ?? 0) + changeRaw
      this.#sharesRaw[index] = freeRaw + reservedRaw
    }
  }

  inside(marketId: number): void {
    const insideRaw = this.#clearing.ledger.conditionRaw[marketId]
    this.#heldRaw += insideRaw - (this.#insideRaw[marketId] ?? 0)
    this.#insideRaw[marketId] = insideRaw
  }

  /** Looks at everything of an account in a market, and at the same of the fee account. */
  look(account: number, marketId: number): void {
    const { ledger } = this.#clearing
    for (const each of [account, FEE_ACCOUNT]) {
      this.cash(each)
      const row = ledger.rows.find(each, marketId)
      if (row !== 0) this.row(row)
    }
    this.inside(marketId)
  }

  /** Checks the sums of the whole exchange, and of the market when one is given. */
  holds(marketId = 0): void {
    const [depositsRaw, withdrawalsRaw] = [this.#depositsRaw, this.#withdrawalsRaw]
    const sums = { heldRaw: this.#heldRaw, depositsRaw, withdrawalsRaw }
    assert(this.#conserves(sums), 'collateral is conserved')
    const { fundedRaw } = this.#clearing.ledger
    assert.equal(fundedRaw, depositsRaw - withdrawalsRaw, 'the ledger counts every deposit')
    if (marketId === 0) return
    const insideRaw = this.#insideRaw[marketId]
    const [yesRaw, noRaw] = [0, 1].map((outcome) => this.#supplyRaw[marketId * 2 + outcome] ?? 0)
    assert(yesRaw === insideRaw && noRaw === insideRaw, 'every share has its collateral inside')
  }

  /** Checks that nothing moved except what was looked at. */
  everythingHolds(): void {
    const { ledger, accounts, catalogue } = this.#clearing
    for (let account = 0; account <= accounts.count; account++) {
      const same =
        ledger.collateralFreeRaw[account] === this.#freeRaw[account] &&
        ledger.collateralReservedRaw[account] === this.#reservedRaw[account]
      assert(same, 'collateral moves by commands only')
    }
    for (let index = 2; index < ledger.rows.end * 2; index++) {
      const heldRaw = ledger.sharesFreeRaw[index] + ledger.sharesReservedRaw[index]
      assert.equal(heldRaw, this.#sharesRaw[index] ?? 0, 'shares move by commands only')
    }
    for (const { marketId } of catalogue.all()) {
      assert.equal(ledger.conditionRaw[marketId], this.#insideRaw[marketId], 'inside a condition')
      this.holds(marketId)
    }
  }
}

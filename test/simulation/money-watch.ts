// Checks invariant 5 after every command, at the cost of what the command touched. It keeps a
// shadow of all balances, and their sums by the differences of the entries it looks at. A full walk
// then shows that no other entry moved.

import assert from 'node:assert/strict'
import type { Clearing } from '../../engine/core/clearing.ts'
import { FEE_ACCOUNT, SYSTEM_ACCOUNTS } from '../../engine/domain/ids.ts'
import { kindOf } from '../../engine/domain/markets/market.ts'

/** The invariant of the sums; a test may plant a wrong one to see that the watch finds it. */
export type Conserves = (sums: {
  readonly heldRaw: number
  readonly depositsRaw: number
  readonly withdrawalsRaw: number
}) => boolean

/** Invariant 5, unchanged. */
export const conserved: Conserves = ({ heldRaw, depositsRaw, withdrawalsRaw }) =>
  heldRaw === depositsRaw - withdrawalsRaw

export class MoneyWatch {
  readonly #clearing: Clearing
  readonly #conserves: Conserves
  readonly #freeRaw = new Map<number, number>()
  readonly #reservedRaw = new Map<number, number>()
  /** By account and market: shares of both outcomes. A row is only where they stand now. */
  readonly #sharesRaw = new Map<string, [number, number]>()
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
    const accounts = [...SYSTEM_ACCOUNTS, ...profilesOf(clearing.accounts.count)]
    for (const account of accounts) this.cash(account)
    for (const { marketId } of clearing.catalogue.all()) this.inside(marketId)
    this.#eachRow((account, marketId) => this.position(account, marketId))
    this.holds()
  }

  cash(account: number): void {
    const { ledger } = this.#clearing
    const freeRaw = ledger.freeRaw(account)
    const reservedRaw = ledger.reservedRaw(account)
    const owedRaw = this.#clearing.reversals.collateralTakenRaw(account)
    assert(freeRaw >= -owedRaw && reservedRaw >= 0, 'only a reversal makes collateral negative')
    this.#heldRaw += freeRaw - (this.#freeRaw.get(account) ?? 0)
    this.#heldRaw += reservedRaw - (this.#reservedRaw.get(account) ?? 0)
    this.#freeRaw.set(account, freeRaw)
    this.#reservedRaw.set(account, reservedRaw)
  }

  /** A deposit, or a withdrawal when negative. */
  adjusted(account: number, collateralRaw: number): void {
    if (collateralRaw > 0) this.#depositsRaw += collateralRaw
    else this.#withdrawalsRaw -= collateralRaw
    this.cash(account)
  }

  #eachRow(visit: (account: number, marketId: number) => void): void {
    const { rows } = this.#clearing.ledger
    for (let row = 1; row < rows.end; row++) {
      if (rows.isLive(row)) visit(rows.accountOf(row), rows.marketOf(row))
    }
  }

  #sharesOf(account: number, marketId: number): [number, number] {
    const { ledger } = this.#clearing
    const row = ledger.rows.find(account, marketId)
    if (row === 0) return [0, 0]
    const held = (index: number) => ledger.sharesFreeRaw[index] + ledger.sharesReservedRaw[index]
    return [held(row * 2), held(row * 2 + 1)]
  }

  position(account: number, marketId: number): void {
    const { ledger, reversals } = this.#clearing
    const row = ledger.rows.find(account, marketId)
    const now = this.#sharesOf(account, marketId)
    const before = this.#sharesRaw.get(`${account}:${marketId}`) ?? [0, 0]
    for (const outcome of [0, 1]) {
      const owedRaw = reversals.sharesTakenRaw(account, marketId, outcome)
      const isOwed =
        row === 0 ||
        (ledger.sharesFreeRaw[row * 2 + outcome] >= -owedRaw &&
          ledger.sharesReservedRaw[row * 2 + outcome] >= 0)
      assert(isOwed, 'only a reversal makes shares negative')
      const supply = marketId * 2 + outcome
      this.#supplyRaw[supply] = (this.#supplyRaw[supply] ?? 0) + now[outcome] - before[outcome]
    }
    if (row === 0) this.#sharesRaw.delete(`${account}:${marketId}`)
    else this.#sharesRaw.set(`${account}:${marketId}`, now)
  }

  inside(marketId: number): void {
    const insideRaw = this.#clearing.catalogue.byId(marketId)?.conditionRaw ?? 0
    this.#heldRaw += insideRaw - (this.#insideRaw[marketId] ?? 0)
    this.#insideRaw[marketId] = insideRaw
  }

  /** Looks at everything of an account in a market, and at the same of the fee account. */
  look(account: number, marketId: number): void {
    for (const each of [account, FEE_ACCOUNT]) {
      this.cash(each)
      this.position(each, marketId)
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
    const market = this.#clearing.catalogue.byId(marketId)
    // A group owes for its conversions, and a paid market has given out collateral: the walk over
    // the whole state knows what these hold.
    if (market === undefined || market.isPaidOut || kindOf(market) === 'group') return
    const insideRaw = this.#insideRaw[marketId]
    const [yesRaw, noRaw] = [0, 1].map((outcome) => this.#supplyRaw[marketId * 2 + outcome] ?? 0)
    assert(yesRaw === insideRaw && noRaw === insideRaw, 'every share has its collateral inside')
  }

  /** Checks that nothing moved except what was looked at. */
  everythingHolds(): void {
    const { ledger, accounts, catalogue } = this.#clearing
    assert.equal(ledger.systemRaw.length, SYSTEM_ACCOUNTS.length, 'the accounts of the system')
    for (const account of [...SYSTEM_ACCOUNTS, ...profilesOf(accounts.count)]) {
      const same =
        ledger.freeRaw(account) === this.#freeRaw.get(account) &&
        ledger.reservedRaw(account) === this.#reservedRaw.get(account)
      assert(same, 'collateral moves by commands only')
    }
    let live = 0
    this.#eachRow((account, marketId) => {
      live++
      const known = this.#sharesRaw.get(`${account}:${marketId}`)
      assert.deepEqual(known, this.#sharesOf(account, marketId), 'shares move by commands only')
    })
    assert.equal(this.#sharesRaw.size, live, 'a row is live while it is needed')
    for (const { marketId, conditionRaw } of catalogue.all()) {
      assert.equal(conditionRaw, this.#insideRaw[marketId], 'inside a condition')
      this.holds(marketId)
    }
  }
}

/** The ids of the first profiles. */
export function profilesOf(count: number): number[] {
  return Array.from({ length: count }, (_each, index) => index + 1)
}

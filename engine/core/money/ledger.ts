// Hot path. bench/core.bench.ts
// Collateral per account, and outcome shares per (account, market) row. Profiles have columns; the
// few system accounts have a separate list. Only the sequencer's thread uses it.
// Invariants: no balance is negative, except a free balance reduced by a reversal (reversal.ts);
// free + reserved + inside conditions + held proceeds = deposits − withdrawals, per asset, after
// every command (invariant 5 of design §1).

import { assert } from '../../domain/assert.ts'
import type { PlaceOrder } from '../../domain/command.ts'
import {
  type AccountId,
  isSystemAccount,
  type MarketId,
  type PositionRow,
  type ProfileId,
  SYSTEM_ACCOUNTS,
  systemIndex,
} from '../../domain/ids.ts'
import type { CollateralRaw } from '../../domain/units.ts'
import type { MarketFunds } from '../markets/catalogue.ts'
import { PositionRows } from './position-rows.ts'

function grown(
  column: Float64Array<ArrayBuffer>,
  index: number,
  capacity = column.length * 2,
): Float64Array<ArrayBuffer> {
  if (index < column.length) return column
  const wider = new Float64Array(Math.max(index + 1, capacity))
  wider.set(column)
  return wider
}

/** An order's reserve: collateral of a profile, or shares of one outcome. */
type Reserving = Pick<PlaceOrder, 'accountId' | 'outcome' | 'reserveRaw'>

export class Ledger {
  /** By profile id. */
  collateralFreeRaw = new Float64Array(1024)
  collateralReservedRaw = new Float64Array(1024)
  /** Collateral of the system accounts, by `systemIndex`. None of it is ever reserved. */
  readonly systemRaw: number[] = SYSTEM_ACCOUNTS.map(() => 0)
  /** Indexed by row × 2 + outcome. */
  sharesFreeRaw = new Float64Array(2048)
  sharesReservedRaw = new Float64Array(2048)
  /**
   * Deposits less withdrawals, which limits the current funds, not the total ever deposited (design
   * §10).
   */
  fundedRaw: CollateralRaw = 0
  readonly rows = new PositionRows()

  /** Grows by an eighth: most accounts are idle, and doubling would waste as much again. */
  openAccount(profileId: ProfileId): void {
    if (profileId < this.collateralFreeRaw.length) return
    const capacity = profileId + (profileId >> 3)
    this.collateralFreeRaw = grown(this.collateralFreeRaw, profileId, capacity)
    this.collateralReservedRaw = grown(this.collateralReservedRaw, profileId, capacity)
  }

  /** The row of an account in a market. Creates it if missing. */
  rowFor(accountId: AccountId, market: MarketFunds): PositionRow {
    const known = this.rows.find(accountId, market.marketId)
    if (known !== 0) return known
    const row = this.rows.add(accountId, market.marketId)
    market.rowCount++
    this.sharesFreeRaw = grown(this.sharesFreeRaw, row * 2 + 1)
    this.sharesReservedRaw = grown(this.sharesReservedRaw, row * 2 + 1)
    return row
  }

  /** Restores captured row numbers into a fresh state. Their shares are restored later. */
  restoreRows(pairs: Uint32Array): void {
    this.rows.restore(pairs)
    this.sharesFreeRaw = grown(this.sharesFreeRaw, pairs.length)
    this.sharesReservedRaw = grown(this.sharesReservedRaw, pairs.length)
  }

  /** Releases the row if it has no shares. The caller has checked that no live order needs it. */
  freeRowIfEmpty(row: PositionRow, market: MarketFunds): void {
    if (!this.isRowEmpty(row)) return
    this.rows.remove(row)
    market.rowCount--
  }

  /** Whether the row has no shares, free or reserved. */
  isRowEmpty(row: PositionRow): boolean {
    const yes = row * 2
    const no = yes + 1
    return (
      this.sharesFreeRaw[yes] === 0 &&
      this.sharesFreeRaw[no] === 0 &&
      this.sharesReservedRaw[yes] === 0 &&
      this.sharesReservedRaw[no] === 0
    )
  }

  freeSharesRaw(accountId: AccountId, marketId: MarketId, outcome: number): number {
    const row = this.rows.find(accountId, marketId)
    return row === 0 ? 0 : this.sharesFreeRaw[row * 2 + outcome]
  }

  deposit(profileId: ProfileId, amountRaw: number): void {
    assert(amountRaw > 0, 'a deposit is positive')
    this.moveFromOutside(profileId, amountRaw)
  }

  withdraw(profileId: ProfileId, amountRaw: number): void {
    assert(amountRaw > 0, 'a withdrawal is positive')
    assert(this.collateralFreeRaw[profileId] >= amountRaw, 'only free collateral is withdrawn')
    this.fundedRaw -= amountRaw
    this.collateralFreeRaw[profileId] -= amountRaw
  }

  // Takes the whole order: V8 boxes a separate double argument where it does not inline.
  reserveCollateral({ accountId, reserveRaw }: Reserving): void {
    assert(
      this.collateralFreeRaw[accountId] >= reserveRaw,
      'a reserve is covered by free collateral',
    )
    this.collateralFreeRaw[accountId] -= reserveRaw
    this.collateralReservedRaw[accountId] += reserveRaw
  }

  /** Ends `amountRaw` of a reserve: `paidRaw` of it is paid, and the rest becomes free. */
  spendReserve(profileId: ProfileId, amountRaw: number, paidRaw: number): void {
    assert(paidRaw <= amountRaw, 'a fill never costs more than it reserved')
    assert(
      this.collateralReservedRaw[profileId] >= amountRaw,
      'a release never exceeds its reserve',
    )
    this.collateralReservedRaw[profileId] -= amountRaw
    this.collateralFreeRaw[profileId] += amountRaw - paidRaw
  }

  /** Free collateral of any account, including system accounts. */
  freeRaw(accountId: AccountId): CollateralRaw {
    if (isSystemAccount(accountId)) return this.systemRaw[systemIndex(accountId)]
    return this.collateralFreeRaw[accountId]
  }

  /** Reserved collateral of any account. */
  reservedRaw(accountId: AccountId): CollateralRaw {
    return isSystemAccount(accountId) ? 0 : this.collateralReservedRaw[accountId]
  }

  creditCollateral(profileId: ProfileId, amountRaw: number): void {
    assert(amountRaw >= 0, 'a credit never lowers a balance')
    this.collateralFreeRaw[profileId] += amountRaw
  }

  takeCollateral(profileId: ProfileId, amountRaw: number): void {
    assert(amountRaw > 0, 'the taken amount is positive')
    assert(this.collateralFreeRaw[profileId] >= amountRaw, 'only free collateral is taken')
    this.collateralFreeRaw[profileId] -= amountRaw
  }

  /** Takes an account's debt after a reversal, even below zero. */
  collectDebt(accountId: AccountId, amountRaw: number): void {
    assert(amountRaw > 0, 'a debt is positive')
    if (isSystemAccount(accountId)) this.systemRaw[systemIndex(accountId)] -= amountRaw
    else this.collateralFreeRaw[accountId] -= amountRaw
  }

  /** Adds collateral to a system account (positive) or withdraws it (negative). */
  fundSystem(accountId: AccountId, amountRaw: number): void {
    const index = systemIndex(accountId)
    this.#fund(amountRaw)
    this.systemRaw[index] += amountRaw
    assert(this.systemRaw[index] >= 0, 'a withdrawal is covered by the balance')
  }

  creditSystem(accountId: AccountId, amountRaw: number): void {
    assert(amountRaw >= 0, 'a credit never lowers a balance')
    this.systemRaw[systemIndex(accountId)] += amountRaw
  }

  takeSystem(accountId: AccountId, amountRaw: number): void {
    const index = systemIndex(accountId)
    assert(amountRaw >= 0, 'the taken amount is not negative')
    assert(this.systemRaw[index] >= amountRaw, 'a system account pays at most its balance')
    this.systemRaw[index] -= amountRaw
  }

  reserveShares(row: PositionRow, { outcome, reserveRaw }: Reserving): void {
    const index = row * 2 + outcome
    assert(this.sharesFreeRaw[index] >= reserveRaw, 'a reserve is covered by free shares')
    this.sharesFreeRaw[index] -= reserveRaw
    this.sharesReservedRaw[index] += reserveRaw
  }

  /** Ends `amountRaw` of a share reserve: `paidRaw` is delivered, and the rest becomes free. */
  deliverShares(row: PositionRow, outcome: number, amountRaw: number, paidRaw: number): void {
    const index = row * 2 + outcome
    assert(paidRaw <= amountRaw, 'a delivery never exceeds its reserve')
    assert(this.sharesReservedRaw[index] >= amountRaw, 'reserved shares cover a delivery')
    this.sharesReservedRaw[index] -= amountRaw
    this.sharesFreeRaw[index] += amountRaw - paidRaw
  }

  creditShares(row: PositionRow, outcome: number, amountRaw: number): void {
    assert(amountRaw >= 0, 'a credit never lowers a balance')
    this.sharesFreeRaw[row * 2 + outcome] += amountRaw
  }

  takeShares(row: PositionRow, outcome: number, amountRaw: number): void {
    const index = row * 2 + outcome
    assert(amountRaw > 0, 'the taken amount is positive')
    assert(this.sharesFreeRaw[index] >= amountRaw, 'only free shares are taken')
    this.sharesFreeRaw[index] -= amountRaw
  }

  /**
   * Burns all shares of one outcome. `amountRaw` is negative if a reversal took more than there
   * was.
   */
  burnShares(row: PositionRow, outcome: number, amountRaw: number): void {
    const index = row * 2 + outcome
    assert(this.sharesFreeRaw[index] === amountRaw, 'a position is redeemed completely')
    assert(this.sharesReservedRaw[index] === 0, 'redeemed shares are not reserved')
    this.sharesFreeRaw[index] = 0
  }

  /** Adds collateral behind a new pair (positive), or removes it when a pair burns (negative). */
  moveCondition(market: MarketFunds, deltaRaw: number): void {
    market.conditionRaw += deltaRaw
    assert(market.conditionRaw >= -market.shortRaw, 'a condition pays at most its collateral')
  }

  /** Collateral came to a profile from outside (positive), or left it, even below zero. */
  moveFromOutside(profileId: ProfileId, deltaRaw: number): void {
    this.#fund(deltaRaw)
    this.collateralFreeRaw[profileId] += deltaRaw
  }

  /** Collateral comes from outside to back pairs of a market (positive), or goes there. */
  backFromOutside(market: MarketFunds, deltaRaw: number): void {
    this.#fund(deltaRaw)
    this.moveCondition(market, deltaRaw)
  }

  /** Collateral came to the exchange (positive), or left it. */
  #fund(deltaRaw: number): void {
    this.fundedRaw += deltaRaw
    assert(Number.isSafeInteger(this.fundedRaw), 'funds stay exact')
  }

  /** Moves free balances by a reversal, even below zero. `sharesIndex` is row × 2 + outcome. */
  moveBack(
    accountId: AccountId,
    sharesIndex: number,
    collateralRaw: number,
    sharesRaw: number,
  ): void {
    if (isSystemAccount(accountId)) this.systemRaw[systemIndex(accountId)] += collateralRaw
    else this.collateralFreeRaw[accountId] += collateralRaw
    this.sharesFreeRaw[sharesIndex] += sharesRaw
  }
}

// The exchange's collateral and its obligations (invariant 5 of design §1). It sums up the whole
// state, so it runs offline.

import { kindOf } from '../../domain/markets/market.ts'
import type { Clearing } from '../clearing.ts'

/** Raw collateral. Negative obligations are owed to the exchange. */
export interface Solvency {
  /** Deposits less withdrawals. */
  readonly assetsRaw: bigint
  readonly obligations: {
    /** Free collateral of profiles. */
    readonly freeRaw: bigint
    /** Reserved by their open orders. */
    readonly reservedRaw: bigint
    /** Behind the shares of all markets. */
    readonly sharesRaw: bigint
    /** Paid in advance by groups for conversions. Burnt shares pay it back, so it is negative. */
    readonly groupsRaw: bigint
    /** Fees, and the vault's part of conversions. */
    readonly systemRaw: bigint
  }
  /** Assets less all obligations. Not zero if money appeared from nowhere. */
  readonly differenceRaw: bigint
}

export function solvencyOf({ ledger, accounts, catalogue }: Clearing): Solvency {
  let [freeRaw, reservedRaw, sharesRaw, groupsRaw, systemRaw] = [0n, 0n, 0n, 0n, 0n]
  for (let account = 1; account <= accounts.count; account++) {
    freeRaw += BigInt(ledger.collateralFreeRaw[account])
    reservedRaw += BigInt(ledger.collateralReservedRaw[account])
  }
  for (const market of catalogue.all()) {
    if (kindOf(market) === 'group') groupsRaw += BigInt(market.conditionRaw)
    else sharesRaw += BigInt(market.conditionRaw)
  }
  for (const raw of ledger.systemRaw) systemRaw += BigInt(raw)
  const assetsRaw = BigInt(ledger.fundedRaw)
  const obligations = { freeRaw, reservedRaw, sharesRaw, groupsRaw, systemRaw }
  const owedRaw = Object.values(obligations).reduce((sum, raw) => sum + raw, 0n)
  return { assetsRaw, obligations, differenceRaw: assetsRaw - owedRaw }
}

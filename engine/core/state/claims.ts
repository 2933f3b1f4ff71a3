// All holdings in a captured state: the leaves of the proof of solvency (rules §14). A claim is
// positive. A debt of an account after a reversal is counted separately and reduces no sum of
// claims, so it hides no claim of another account.
// Invariant: assets + debts + advances = claims of collateral + collateral behind shares (invariant
// 5 of design §1).

import {
  type AccountId,
  isSystemAccount,
  type MarketId,
  systemAccountAt,
} from '../../domain/ids.ts'
import { kindOf } from '../../domain/markets/market.ts'
import type { Clearing } from '../clearing.ts'
import type { Market } from '../markets/catalogue.ts'

/** The parts of a captured state that contain holdings. */
export interface HeldState {
  readonly ledger: {
    readonly collateralFreeRaw: Float64Array
    readonly collateralReservedRaw: Float64Array
    readonly systemRaw: readonly number[]
    readonly sharesFreeRaw: Float64Array
    readonly sharesReservedRaw: Float64Array
    readonly fundedRaw: number
    /** Account and market of each row, alternating. Row 0 is unused. */
    readonly rows: Uint32Array
  }
  readonly catalogue: { readonly markets: readonly Market[] }
}

/** The holdings of a running state. */
export function heldIn({ ledger, catalogue }: Clearing): HeldState {
  const { collateralFreeRaw, collateralReservedRaw, systemRaw, fundedRaw } = ledger
  const { sharesFreeRaw, sharesReservedRaw } = ledger
  const collateral = { collateralFreeRaw, collateralReservedRaw, systemRaw, fundedRaw }
  return {
    ledger: { ...collateral, sharesFreeRaw, sharesReservedRaw, rows: ledger.rows.capture() },
    catalogue: { markets: catalogue.all() },
  }
}

/** One token: collateral, or YES or NO shares of a market. */
export interface TokenSums {
  readonly claimsRaw: bigint
  readonly debtsRaw: bigint
}

export interface MarketClaims {
  readonly marketId: MarketId
  /** A group has no shares of its own. */
  readonly isGroup: boolean
  readonly conditionId: string
  /** null until the payout is posted. */
  readonly payout: readonly [number, number] | null
  /** Collateral behind the shares; negative where it was paid in advance or is owed. */
  readonly insideRaw: bigint
  readonly yes: TokenSums
  readonly no: TokenSums
}

export interface Claims {
  readonly assetsRaw: bigint
  readonly collateral: TokenSums
  /** The exchange's own part of the claims of collateral. */
  readonly systemRaw: bigint
  /** Markets with collateral or holders, by ascending id. */
  readonly markets: readonly MarketClaims[]
  /**
   * The claims by token: those of token t are at `starts[t]` up to `starts[t + 1]`. Token 0 is
   * collateral; 1 + 2m and 2 + 2m are YES and NO of the market at index m.
   */
  readonly starts: Uint32Array
  readonly holders: Uint32Array
  readonly amountsRaw: Float64Array
}

/** Counts first and then fills, so that its columns have the exact length. */
class Counting {
  readonly claims: bigint[]
  readonly debts: bigint[]
  readonly counts: Uint32Array

  constructor(tokens: number) {
    this.claims = Array(tokens).fill(0n)
    this.debts = Array(tokens).fill(0n)
    this.counts = new Uint32Array(tokens)
  }

  add(token: number, raw: number): void {
    if (raw < 0) this.debts[token] -= BigInt(raw)
    if (raw <= 0) return
    this.claims[token] += BigInt(raw)
    this.counts[token]++
  }

  sums(token: number): TokenSums {
    return { claimsRaw: this.claims[token], debtsRaw: this.debts[token] }
  }

  starts(): Uint32Array {
    const starts = new Uint32Array(this.counts.length + 1)
    for (const [token, count] of this.counts.entries()) starts[token + 1] = starts[token] + count
    return starts
  }
}

type Visit = (token: number, holder: AccountId, raw: number) => void

function eachBalance({ ledger }: HeldState, placeOf: Map<MarketId, number>, visit: Visit): void {
  const { collateralFreeRaw, collateralReservedRaw, systemRaw, rows } = ledger
  for (let account = 1; account < collateralFreeRaw.length; account++) {
    visit(0, account, collateralFreeRaw[account] + collateralReservedRaw[account])
  }
  for (let index = 0; index < systemRaw.length; index++) {
    visit(0, systemAccountAt(index), systemRaw[index])
  }
  const { sharesFreeRaw, sharesReservedRaw } = ledger
  for (let at = 2; at < rows.length; at += 2) {
    const place = placeOf.get(rows[at + 1])
    // A free row has no market.
    if (place === undefined) continue
    const token = 1 + place * 2
    visit(token, rows[at], sharesFreeRaw[at] + sharesReservedRaw[at])
    visit(token + 1, rows[at], sharesFreeRaw[at + 1] + sharesReservedRaw[at + 1])
  }
}

function marketClaims(market: Market, yes: TokenSums, no: TokenSums): MarketClaims {
  const { marketId, conditionId, conditionRaw, payoutNumerators, isPaidOut } = market
  return {
    marketId,
    conditionId,
    isGroup: kindOf(market) === 'group',
    payout: isPaidOut ? payoutNumerators : null,
    insideRaw: BigInt(conditionRaw),
    yes,
    no,
  }
}

/** Markets in which an account holds or owes shares. (A live order may need an empty row.) */
function marketsHeld({ rows, sharesFreeRaw, sharesReservedRaw }: HeldState['ledger']) {
  const held = new Set<MarketId>()
  for (let at = 2; at < rows.length; at++) {
    if (sharesFreeRaw[at] !== 0 || sharesReservedRaw[at] !== 0) held.add(rows[at | 1])
  }
  return held
}

export function claimsOf(state: HeldState): Claims {
  const { ledger, catalogue } = state
  const named = marketsHeld(ledger)
  const markets = catalogue.markets.filter(
    ({ marketId, conditionRaw }) => conditionRaw !== 0 || named.has(marketId),
  )
  const placeOf = new Map(markets.map(({ marketId }, place) => [marketId, place]))
  const counting = new Counting(1 + markets.length * 2)
  let systemRaw = 0n
  eachBalance(state, placeOf, (token, holder, raw) => {
    counting.add(token, raw)
    if (token === 0 && raw > 0 && isSystemAccount(holder)) systemRaw += BigInt(raw)
  })
  const starts = counting.starts()
  const next = starts.slice()
  const holders = new Uint32Array(starts[starts.length - 1])
  const amountsRaw = new Float64Array(holders.length)
  eachBalance(state, placeOf, (token, holder, raw) => {
    if (raw <= 0) return
    const leaf = next[token]++
    holders[leaf] = holder
    amountsRaw[leaf] = raw
  })
  return {
    assetsRaw: BigInt(ledger.fundedRaw),
    collateral: counting.sums(0),
    systemRaw,
    markets: markets.map((market, place) =>
      marketClaims(market, counting.sums(1 + place * 2), counting.sums(2 + place * 2)),
    ),
    starts,
    holders,
    amountsRaw,
  }
}

/** The sums of the claims, in collateral. */
export interface ClaimSums {
  readonly assetsRaw: bigint
  /** Debts of accounts with negative balances to the exchange. */
  readonly debtsRaw: bigint
  /** Paid in advance for conversions and reversals; burnt shares and debtors pay it back. */
  readonly advancedRaw: bigint
  /** Claims of collateral, plus the collateral behind shares. */
  readonly obligationsRaw: bigint
  /** Assets, debts and advances less obligations. Not zero if money appeared from nowhere. */
  readonly differenceRaw: bigint
}

export function sumsOf({ assetsRaw, collateral, markets }: Claims): ClaimSums {
  let [obligationsRaw, advancedRaw] = [collateral.claimsRaw, 0n]
  for (const { insideRaw } of markets) {
    if (insideRaw > 0n) obligationsRaw += insideRaw
    else advancedRaw -= insideRaw
  }
  const debtsRaw = collateral.debtsRaw
  const differenceRaw = assetsRaw + debtsRaw + advancedRaw - obligationsRaw
  return { assetsRaw, debtsRaw, advancedRaw, obligationsRaw, differenceRaw }
}

/**
 * The shortfall of a market's shares: as pairs until the payout, by the payout afterwards. Zero in
 * a sound market.
 */
export function uncoveredRaw({ payout, insideRaw, yes, no, isGroup }: MarketClaims): bigint {
  if (isGroup) return 0n
  const netYesRaw = yes.claimsRaw - yes.debtsRaw
  const netNoRaw = no.claimsRaw - no.debtsRaw
  const lackRaw = (raw: bigint) => (raw > insideRaw ? raw - insideRaw : 0n)
  if (payout === null) {
    const yesLackRaw = lackRaw(netYesRaw)
    return yesLackRaw > 0n ? yesLackRaw : lackRaw(netNoRaw)
  }
  const [yesPart, noPart] = payout.map(BigInt)
  return lackRaw((netYesRaw * yesPart + netNoRaw * noPart) / (yesPart + noPart))
}

/** One token: its issued amount and its holders. */
export interface TokenReport {
  /** For example `yes of market 7`. */
  readonly token: string
  readonly assetsRaw: bigint
  readonly obligationsRaw: bigint
  readonly debtsRaw: bigint
  /** Assets and debts less obligations: zero. */
  readonly differenceRaw: bigint
}

export function collateralReport(claims: Claims): TokenReport {
  const { debtsRaw, advancedRaw, ...sums } = sumsOf(claims)
  return { token: 'collateral', ...sums, debtsRaw: debtsRaw + advancedRaw }
}

/** YES and NO of a market; empty for a group. */
export function shareReports(market: MarketClaims): TokenReport[] {
  if (market.isGroup) return []
  return (['yes', 'no'] as const).map((side) => {
    const { claimsRaw, debtsRaw } = market[side]
    // After the payout shares are redeemed one by one, so the remaining ones were issued.
    const assetsRaw = market.payout === null ? market.insideRaw : claimsRaw - debtsRaw
    return {
      token: `${side} of market ${market.marketId}`,
      assetsRaw,
      obligationsRaw: claimsRaw,
      debtsRaw,
      differenceRaw: assetsRaw + debtsRaw - claimsRaw,
    }
  })
}

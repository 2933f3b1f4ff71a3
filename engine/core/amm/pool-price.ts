// Pool prices by the constant product of the reserves (rules §7). All rounding favours the pool.
// The numbers are exact: products are bigint, and every result is a safe integer, because the
// reserves are shares of one market.

import type { BothRaw } from '../../domain/moves/move-command.ts'
import {
  BPS,
  type CollateralRaw,
  type FeeBps,
  PRICE_ONE_TICKS,
  type SizeRaw,
} from '../../domain/units.ts'

const E18 = 10n ** 18n
const FEE_E18_PER_BPS = E18 / BigInt(BPS)

/** A quote of a pool. All amounts are raw. */
export interface PoolQuote {
  readonly sharesRaw: SizeRaw
  readonly feeRaw: CollateralRaw
}

function ceilDiv(a: bigint, b: bigint): bigint {
  return (a + b - 1n) / b
}

/**
 * The reserve that preserves the product when the other one changes from `from` to `to`, rounded
 * up.
 */
function keptReserve(reserve: bigint, from: bigint, to: bigint): bigint {
  return ceilDiv(ceilDiv(reserve * E18 * from, to), E18)
}

function bothOf([yesRaw, noRaw]: BothRaw, outcome: number): readonly [own: bigint, other: bigint] {
  return outcome === 0 ? [BigInt(yesRaw), BigInt(noRaw)] : [BigInt(noRaw), BigInt(yesRaw)]
}

/** Shares of an outcome bought with this collateral, fee included (rules §7.2). */
export function buyQuote(
  reservesRaw: BothRaw,
  outcome: number,
  collateralRaw: CollateralRaw,
  feeBps: FeeBps,
): PoolQuote {
  const spent = BigInt(collateralRaw)
  const fee = (spent * BigInt(feeBps) * FEE_E18_PER_BPS) / E18
  const net = spent - fee
  const [own, other] = bothOf(reservesRaw, outcome)
  const shares = own + net - keptReserve(own, other, other + net)
  return { sharesRaw: Number(shares), feeRaw: Number(fee) }
}

/**
 * Shares of an outcome to sell for this collateral, plus the fee (rules §7.3); null if the pool
 * holds too little.
 */
export function sellQuote(
  reservesRaw: BothRaw,
  outcome: number,
  collateralRaw: CollateralRaw,
  feeBps: FeeBps,
): PoolQuote | null {
  const wanted = BigInt(collateralRaw)
  const part = BigInt(feeBps) * FEE_E18_PER_BPS
  const gross = (wanted * E18) / (E18 - part)
  const [own, other] = bothOf(reservesRaw, outcome)
  if (gross >= other) return null
  const shares = gross + keptReserve(own, other, other - gross) - own
  if (shares > BigInt(Number.MAX_SAFE_INTEGER)) return null
  return { sharesRaw: Number(shares), feeRaw: Number(gross - wanted) }
}

/** The most collateral that these shares of an outcome bring in one sale; 0 = none. */
export function exitRaw(
  reservesRaw: BothRaw,
  outcome: number,
  sharesRaw: SizeRaw,
  feeBps: FeeBps,
): CollateralRaw {
  let low = 0
  let high = reservesRaw[1 - outcome]
  while (low < high) {
    const middle = low + Math.ceil((high - low) / 2)
    const quote = sellQuote(reservesRaw, outcome, middle, feeBps)
    if (quote !== null && quote.sharesRaw <= sharesRaw) low = middle
    else high = middle - 1
  }
  return low
}

/** The YES price as a fraction of `scale`, rounded half up; half of `scale` for an empty pool. */
export function yesPriceOf([yesRaw, noRaw]: BothRaw, scale: number): number {
  const whole = BigInt(yesRaw) + BigInt(noRaw)
  if (whole === 0n) return scale / 2
  return Number((2n * BigInt(noRaw) * BigInt(scale) + whole) / (2n * whole))
}

/** The YES price in ticks, limited to the valid range. */
export function yesTicksOf(reservesRaw: BothRaw): number {
  const ticks = yesPriceOf(reservesRaw, PRICE_ONE_TICKS)
  return Math.min(Math.max(ticks, 1), PRICE_ONE_TICKS - 1)
}

/** Value of the reserves at their own price: 2·R0·R1 / (R0 + R1), rounded down. */
export function poolValueRaw([yesRaw, noRaw]: BothRaw): CollateralRaw {
  const whole = BigInt(yesRaw) + BigInt(noRaw)
  return whole === 0n ? 0 : Number((2n * BigInt(yesRaw) * BigInt(noRaw)) / whole)
}

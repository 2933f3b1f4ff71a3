// What a trade with a pool would give, as the pool is shown now (rules §7). It is an estimate: the
// pool may move before the trade arrives.

import { buyQuote, exitRaw, sellQuote } from '../../../../engine/core/amm/pool-price.ts'
import type { BothRaw } from '../../../../engine/domain/moves/move-command.ts'
import { type FeeBps, UNIT_RAW } from '../../../../engine/domain/units.ts'
import { OUTCOMES } from '../../exchange/positions.ts'
import { bpsPercent, cents, dollars, units } from '../../page/format.ts'
import type { Line, Means } from '../own/ticket-format.ts'

export interface Pool {
  readonly reservesRaw: BothRaw
  readonly feeBps: FeeBps
}

/** Collateral that is spent, with the fee, or that is wanted, without it. */
export interface PoolRequest {
  readonly isBuy: boolean
  readonly outcome: 0 | 1
  readonly collateralRaw: number
}

export interface PoolEstimate {
  readonly sharesRaw: number
  readonly feeRaw: number
  /** Price of the outcome behind the trade, 0 to 1: the last share cost as much. */
  readonly worst: number
}

/** The same pool at another price of YES, in millionths: trades keep the reserves' product. */
export function movedTo({ reservesRaw, feeBps }: Pool, yesE6: number): Pool {
  const [yesRaw, noRaw] = reservesRaw
  if (yesE6 <= 0 || yesE6 >= UNIT_RAW) return { reservesRaw, feeBps }
  const root = Math.sqrt(yesRaw) * Math.sqrt(noRaw)
  const ratio = Math.sqrt(yesE6 / (UNIT_RAW - yesE6))
  return { reservesRaw: [Math.round(root / ratio), Math.round(root * ratio)], feeBps }
}

/** Null when the pool has no quote for it. */
export function estimateOf(
  { reservesRaw, feeBps }: Pool,
  request: PoolRequest,
): PoolEstimate | null {
  const { isBuy, outcome, collateralRaw } = request
  const [own, other] = outcome === 0 ? reservesRaw : [reservesRaw[1], reservesRaw[0]]
  if (own === 0 || other === 0) return null
  const quote = isBuy
    ? buyQuote(reservesRaw, outcome, collateralRaw, feeBps)
    : sellQuote(reservesRaw, outcome, collateralRaw, feeBps)
  if (quote === null || quote.sharesRaw <= 0) return null
  const { sharesRaw, feeRaw } = quote
  const movedRaw = isBuy ? collateralRaw - feeRaw : -(collateralRaw + feeRaw)
  const ownAfter = own + movedRaw - (isBuy ? sharesRaw : -sharesRaw)
  const otherAfter = other + movedRaw
  return { sharesRaw, feeRaw, worst: otherAfter / (ownAfter + otherAfter) }
}

/** The most collateral that one can spend, or get for all one's shares. */
export function mostRaw(
  { reservesRaw, feeBps }: Pool,
  { isBuy, outcome }: Pick<PoolRequest, 'isBuy' | 'outcome'>,
  { collateralRaw, sharesRaw }: Means,
): number {
  return isBuy ? collateralRaw : exitRaw(reservesRaw, outcome, sharesRaw, feeBps)
}

export function poolLinesOf(
  { isBuy, outcome, collateralRaw }: PoolRequest,
  { sharesRaw, feeRaw, worst }: PoolEstimate,
  { feeBps }: Pool,
): readonly Line[] {
  const shares = `${units(sharesRaw)} ${OUTCOMES[outcome]}`
  const tradedRaw = isBuy ? collateralRaw - feeRaw : collateralRaw + feeRaw
  return [
    ['You give', isBuy ? dollars(collateralRaw) : shares],
    ['You get', isBuy ? shares : dollars(collateralRaw)],
    ['Average price', cents(tradedRaw / sharesRaw)],
    ['Worst price', cents(worst)],
    ['Fee', `${dollars(feeRaw)} (rate ${bpsPercent(feeBps)})`],
  ]
}

/** Why the visitor cannot pay for it; empty when it is covered. */
export function poolShortageOf(
  { isBuy, outcome, collateralRaw }: PoolRequest,
  estimate: PoolEstimate | null,
  means: Means,
): string {
  if (isBuy) {
    return collateralRaw <= means.collateralRaw ? '' : `${dollars(means.collateralRaw)} is free.`
  }
  if (estimate !== null && estimate.sharesRaw <= means.sharesRaw) return ''
  if (estimate === null) return 'The pool does not hold that much.'
  const needed = `It takes ${units(estimate.sharesRaw)} ${OUTCOMES[outcome]}`
  return `${needed}, and you have ${units(means.sharesRaw)}.`
}

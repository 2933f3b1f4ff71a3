// How an order reads in the ticket before it is signed, and afterwards.

import type { OrderRequest } from '../../exchange/order-amounts.ts'
import { OUTCOMES } from '../../exchange/positions.ts'
import { bpsPercent, cents, dollars, shares, units } from '../../page/format.ts'
import { type Estimate, reserveOf } from './estimate.ts'

const TICKS_ONE = 1000

export type Line = readonly [name: string, value: string]

/** Null for a trader whose rate is not known yet. */
export type FeeRate = number | null

function feeWords(request: OrderRequest, { feeRaw }: Estimate, feeBps: FeeRate): string {
  if (feeBps === null) return 'by your rank, after login'
  if (feeBps === 0) return 'none'
  const amount = request.isBuy ? shares(feeRaw) : dollars(feeRaw)
  return `${amount} (rate ${bpsPercent(feeBps)})`
}

export function averageOf({ sharesRaw, collateralRaw }: Estimate): number | null {
  return sharesRaw === 0 ? null : collateralRaw / sharesRaw
}

/** What an order keeps from other uses while it waits. */
function restLines(request: OrderRequest, leftRaw: number): readonly Line[] {
  if (request.type !== 'GTC' || leftRaw === 0 || request.priceTicks === null) return []
  const reservedRaw = reserveOf({ ...request, amountRaw: leftRaw })
  const reserved = request.isBuy ? dollars(reservedRaw) : shares(reservedRaw)
  return [
    ['Waits in the book', `${shares(leftRaw)} at ${cents(request.priceTicks / TICKS_ONE)}`],
    ['Reserved until it trades or is canceled', reserved],
  ]
}

/** Of an order that finds nobody there is no cost, price or fee to show. */
export function linesOf(
  request: OrderRequest,
  estimate: Estimate,
  feeBps: FeeRate,
): readonly Line[] {
  const { sharesRaw, collateralRaw, feeRaw, worstTicks, leftRaw } = estimate
  const rest = restLines(request, leftRaw)
  if (sharesRaw === 0) return [['Trades now', 'nothing'], ...rest]
  const name = OUTCOMES[request.outcome]
  const netShares = units(sharesRaw - feeRaw)
  return [
    ['Trades now', shares(sharesRaw)],
    ['Average price', cents(averageOf(estimate))],
    ['Worst price', cents(worstTicks / TICKS_ONE)],
    [request.isBuy ? 'Cost' : 'Proceeds', dollars(collateralRaw)],
    ['Fee', feeWords(request, estimate, feeBps)],
    ['You get', request.isBuy ? `${netShares} ${name}` : dollars(collateralRaw - feeRaw)],
    ...rest,
  ]
}

/** What would go otherwise than the trader may think; empty for nothing. */
export function warningOf(request: OrderRequest, { sharesRaw, leftRaw }: Estimate): string {
  if (request.flags.postOnly === true && sharesRaw > 0) {
    return 'This price would trade at once, so a post-only order would be refused.'
  }
  if (request.type === 'FOK' && leftRaw > 0) {
    return 'The book does not have enough now: nothing would trade.'
  }
  if (request.type !== 'FAK' || leftRaw === 0) return ''
  if (sharesRaw === 0) return 'Nobody trades at this price now: the order would end at once.'
  return `${shares(leftRaw)} would find nobody and end at once.`
}

export interface Means {
  /** Free collateral, and free shares of the outcome. */
  readonly collateralRaw: number
  readonly sharesRaw: number
}

/** Why the trader cannot pay for it; empty when the order is covered. */
export function shortageOf(request: OrderRequest, { collateralRaw, sharesRaw }: Means): string {
  const neededRaw = reserveOf(request)
  if (request.isBuy) {
    if (neededRaw <= collateralRaw) return ''
    return `It needs ${dollars(neededRaw)}, and ${dollars(collateralRaw)} is free.`
  }
  if (neededRaw <= sharesRaw) return ''
  return `You have ${units(sharesRaw)} free ${OUTCOMES[request.outcome]} shares.`
}

interface Executed {
  readonly matched: boolean
  readonly settlementStatus: string
  readonly totalsRaw: Readonly<Record<'contractsGross' | 'usdGross', string>>
}

/** What became of an order that was taken. */
export function resultOf(request: OrderRequest, executed: Executed): string {
  const { matched, settlementStatus, totalsRaw } = executed
  if (settlementStatus === 'DELAYED') return 'Order accepted; it will match after the delay.'
  if (!matched) {
    return request.type === 'GTC'
      ? 'Order placed.'
      : 'Nothing traded: not enough liquidity at this price.'
  }
  const did = request.isBuy ? 'Bought' : 'Sold'
  const traded = `${units(totalsRaw.contractsGross)} ${OUTCOMES[request.outcome]}`
  return `${did} ${traded} for ${dollars(totalsRaw.usdGross)}.`
}

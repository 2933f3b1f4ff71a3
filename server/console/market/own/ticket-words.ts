// What the ticket says of an order before it is signed.

import type { Wanted } from '../../exchange/order-amounts.ts'
import { bpsPercent, cents, dollars, units } from '../../page/words.ts'
import { type Estimate, reserveOf } from './estimate.ts'

const TICKS_ONE = 1000
export const OUTCOMES = ['YES', 'NO'] as const

export type Line = readonly [name: string, value: string]

/** Null for a trader whose rate is not known yet. */
export type FeeRate = number | null

function feeWords(wanted: Wanted, { feeRaw }: Estimate, feeBps: FeeRate): string {
  if (feeBps === null) return 'by your rank, after login'
  if (feeBps === 0) return 'none'
  const amount = wanted.isBuy ? `${units(feeRaw)} shares` : dollars(feeRaw)
  return `${amount} (rate ${bpsPercent(feeBps)})`
}

export function averageOf({ sharesRaw, collateralRaw }: Estimate): number | null {
  return sharesRaw === 0 ? null : collateralRaw / sharesRaw
}

/** What an order keeps from other uses while it waits. */
function restLines(wanted: Wanted, leftRaw: number): readonly Line[] {
  if (wanted.type !== 'GTC' || leftRaw === 0 || wanted.priceTicks === null) return []
  const reservedRaw = reserveOf({ ...wanted, amountRaw: leftRaw })
  const reserved = wanted.isBuy ? dollars(reservedRaw) : `${units(reservedRaw)} shares`
  return [
    ['Waits in the book', `${units(leftRaw)} shares at ${cents(wanted.priceTicks / TICKS_ONE)}`],
    ['Reserved until it trades or is canceled', reserved],
  ]
}

/** Of an order that finds nobody there is no cost, price or fee to tell. */
export function linesOf(wanted: Wanted, estimate: Estimate, feeBps: FeeRate): readonly Line[] {
  const { sharesRaw, collateralRaw, feeRaw, worstTicks, leftRaw } = estimate
  const rest = restLines(wanted, leftRaw)
  if (sharesRaw === 0) return [['Trades now', 'nothing'], ...rest]
  const name = OUTCOMES[wanted.outcome]
  const netShares = units(sharesRaw - feeRaw)
  return [
    ['Trades now', `${units(sharesRaw)} shares`],
    ['Average price', cents(averageOf(estimate))],
    ['Worst price', cents(worstTicks / TICKS_ONE)],
    [wanted.isBuy ? 'Cost' : 'Proceeds', dollars(collateralRaw)],
    ['Fee', feeWords(wanted, estimate, feeBps)],
    ['You get', wanted.isBuy ? `${netShares} ${name}` : dollars(collateralRaw - feeRaw)],
    ...rest,
  ]
}

/** What would go otherwise than the trader may think; empty for nothing. */
export function warningOf(wanted: Wanted, { sharesRaw, leftRaw }: Estimate): string {
  if (wanted.isPostOnly && sharesRaw > 0) {
    return 'This price would trade at once, so a post-only order would be refused.'
  }
  if (wanted.type === 'FOK' && leftRaw > 0) {
    return 'The book does not have enough now: nothing would trade.'
  }
  if (wanted.type !== 'FAK' || leftRaw === 0) return ''
  if (sharesRaw === 0) return 'Nobody trades at this price now: the order would end at once.'
  return `${units(leftRaw)} shares would find nobody and end at once.`
}

export interface Means {
  /** Free collateral, and free shares of the outcome. */
  readonly collateralRaw: number
  readonly sharesRaw: number
}

/** Why the trader cannot pay for it; empty when the order is covered. */
export function shortageOf(wanted: Wanted, { collateralRaw, sharesRaw }: Means): string {
  const neededRaw = reserveOf(wanted)
  if (wanted.isBuy) {
    if (neededRaw <= collateralRaw) return ''
    return `It needs ${dollars(neededRaw)}, and ${dollars(collateralRaw)} is free.`
  }
  if (neededRaw <= sharesRaw) return ''
  return `You have ${units(sharesRaw)} free ${OUTCOMES[wanted.outcome]} shares.`
}

interface Executed {
  readonly matched: boolean
  readonly settlementStatus: string
  readonly totalsRaw: Readonly<Record<'contractsGross' | 'usdGross', string>>
}

/** What became of an order that was taken. */
export function resultOf(wanted: Wanted, executed: Executed): string {
  const { matched, settlementStatus, totalsRaw } = executed
  if (settlementStatus === 'DELAYED') return 'The order is taken and waits its moment to match.'
  if (!matched) {
    return wanted.type === 'GTC'
      ? 'The order waits in the book.'
      : 'Nothing traded: the book had not enough at this price.'
  }
  const did = wanted.isBuy ? 'Bought' : 'Sold'
  const shares = `${units(totalsRaw.contractsGross)} ${OUTCOMES[wanted.outcome]}`
  return `${did} ${shares} for ${dollars(totalsRaw.usdGross)}.`
}

// What the ticket says of an order before it is signed.

import type { Wish } from '../../exchange/order-amounts.ts'
import { bpsPercent, cents, dollars, units } from '../../page/words.ts'
import { type Estimate, reserveOf } from './estimate.ts'

const TICKS_ONE = 1000
export const OUTCOMES = ['YES', 'NO'] as const

export type Line = readonly [name: string, value: string]

/** Null for a trader whose rate is not known yet. */
export type FeeRate = number | null

function feeWords(wish: Wish, { feeRaw }: Estimate, feeBps: FeeRate): string {
  if (feeBps === null) return 'by your rank, after login'
  if (feeBps === 0) return 'none'
  const amount = wish.isBuy ? `${units(feeRaw)} shares` : dollars(feeRaw)
  return `${amount} (rate ${bpsPercent(feeBps)})`
}

export function averageOf({ sharesRaw, collateralRaw }: Estimate): number | null {
  return sharesRaw === 0 ? null : collateralRaw / sharesRaw
}

/** What an order keeps from other uses while it waits. */
function restLines(wish: Wish, leftRaw: number): readonly Line[] {
  if (wish.type !== 'GTC' || leftRaw === 0 || wish.priceTicks === null) return []
  const reservedRaw = reserveOf({ ...wish, amountRaw: leftRaw })
  const reserved = wish.isBuy ? dollars(reservedRaw) : `${units(reservedRaw)} shares`
  return [
    ['Waits in the book', `${units(leftRaw)} shares at ${cents(wish.priceTicks / TICKS_ONE)}`],
    ['Reserved until it trades or is canceled', reserved],
  ]
}

/** Of an order that finds nobody there is no cost, price or fee to tell. */
export function linesOf(wish: Wish, estimate: Estimate, feeBps: FeeRate): readonly Line[] {
  const { sharesRaw, collateralRaw, feeRaw, worstTicks, leftRaw } = estimate
  const rest = restLines(wish, leftRaw)
  if (sharesRaw === 0) return [['Trades now', 'nothing'], ...rest]
  const name = OUTCOMES[wish.outcome]
  const netShares = units(sharesRaw - feeRaw)
  return [
    ['Trades now', `${units(sharesRaw)} shares`],
    ['Average price', cents(averageOf(estimate))],
    ['Worst price', cents(worstTicks / TICKS_ONE)],
    [wish.isBuy ? 'Cost' : 'Proceeds', dollars(collateralRaw)],
    ['Fee', feeWords(wish, estimate, feeBps)],
    ['You get', wish.isBuy ? `${netShares} ${name}` : dollars(collateralRaw - feeRaw)],
    ...rest,
  ]
}

/** What would go otherwise than the trader may think; empty for nothing. */
export function warningOf(wish: Wish, { sharesRaw, leftRaw }: Estimate): string {
  if (wish.isPostOnly && sharesRaw > 0) {
    return 'This price would trade at once, so a post-only order would be refused.'
  }
  if (wish.type === 'FOK' && leftRaw > 0) {
    return 'The book does not have enough now: nothing would trade.'
  }
  if (wish.type !== 'FAK' || leftRaw === 0) return ''
  if (sharesRaw === 0) return 'Nobody trades at this price now: the order would end at once.'
  return `${units(leftRaw)} shares would find nobody and end at once.`
}

export interface Means {
  /** Free collateral, and free shares of the outcome. */
  readonly collateralRaw: number
  readonly sharesRaw: number
}

/** Why the trader cannot pay for it; empty when the order is covered. */
export function shortageOf(wish: Wish, { collateralRaw, sharesRaw }: Means): string {
  const neededRaw = reserveOf(wish)
  if (wish.isBuy) {
    if (neededRaw <= collateralRaw) return ''
    return `It needs ${dollars(neededRaw)}, and ${dollars(collateralRaw)} is free.`
  }
  if (neededRaw <= sharesRaw) return ''
  return `You have ${units(sharesRaw)} free ${OUTCOMES[wish.outcome]} shares.`
}

interface Executed {
  readonly matched: boolean
  readonly settlementStatus: string
  readonly totalsRaw: Readonly<Record<'contractsGross' | 'usdGross', string>>
}

/** What became of an order that was taken. */
export function resultOf(wish: Wish, executed: Executed): string {
  const { matched, settlementStatus, totalsRaw } = executed
  if (settlementStatus === 'DELAYED') return 'The order is taken and waits its moment to match.'
  if (!matched) {
    return wish.type === 'GTC'
      ? 'The order waits in the book.'
      : 'Nothing traded: the book had not enough at this price.'
  }
  const did = wish.isBuy ? 'Bought' : 'Sold'
  const shares = `${units(totalsRaw.contractsGross)} ${OUTCOMES[wish.outcome]}`
  return `${did} ${shares} for ${dollars(totalsRaw.usdGross)}.`
}

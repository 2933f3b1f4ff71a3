// What an order would do in the book as it is shown now (rules §1.6, §2.4, §3.1). This is an
// estimate: the book may move before the order arrives, and it shows levels, not their orders.

import { buyFeeSharesRaw, sellFeeCollateralRaw } from '../../../../engine/core/money/taker-fee.ts'
import {
  costCeilRaw,
  costFloorRaw,
  PRICE_ONE_TICKS,
  SIZE_STEP_RAW,
  sharesForSpendRaw,
} from '../../../../engine/domain/units.ts'
import type { OrderRequest } from '../../exchange/order-amounts.ts'
import type { Level } from '../../exchange/shapes.ts'

/** Shares to be had at a price of the own token. */
export interface Offer {
  readonly ticks: number
  readonly sizeRaw: number
}

export interface Estimate {
  /** What would trade at once, before the fee. */
  readonly sharesRaw: number
  readonly collateralRaw: number
  /** Shares for a buy, collateral for a sale. */
  readonly feeRaw: number
  /** The last price that would be paid; 0 when nothing trades. */
  readonly worstTicks: number
  /** Shares that find nobody; for a market buy, collateral that is not spent. */
  readonly leftRaw: number
}

interface Sides {
  readonly bids: readonly Level[]
  readonly asks: readonly Level[]
}

/** What an order may take, best first: one book of YES serves both outcomes (rules §2.1). */
export function offersOf(
  { bids, asks }: Sides,
  { isBuy, outcome }: Pick<OrderRequest, 'isBuy' | 'outcome'>,
): readonly Offer[] {
  const levels = isBuy === (outcome === 0) ? asks : bids
  return levels.map(({ price, size: sizeRaw }) => {
    const yesTicks = Math.round(price * PRICE_ONE_TICKS)
    return { ticks: outcome === 0 ? yesTicks : PRICE_ONE_TICKS - yesTicks, sizeRaw }
  })
}

type Taken = Omit<Estimate, 'feeRaw'>

/** A market buy walks by what it may spend. */
function spent(offers: readonly Offer[], spendRaw: number): Taken {
  let sharesRaw = 0
  let leftRaw = spendRaw
  let worstTicks = 0
  for (const { ticks, sizeRaw } of offers) {
    if (leftRaw === 0) break
    const takenRaw = Math.min(sizeRaw, sharesForSpendRaw(ticks, leftRaw))
    sharesRaw += takenRaw
    leftRaw -= costCeilRaw(ticks, takenRaw)
    worstTicks = ticks
  }
  return { sharesRaw, collateralRaw: spendRaw - leftRaw, worstTicks, leftRaw }
}

function isWithin({ isBuy, priceTicks }: OrderRequest, ticks: number): boolean {
  if (priceTicks === null) return true
  return isBuy ? ticks <= priceTicks : ticks >= priceTicks
}

/** Every other order walks by its shares; one with a limit takes whole steps. */
function walked(offers: readonly Offer[], request: OrderRequest): Taken {
  const stepRaw = request.priceTicks === null ? 1 : SIZE_STEP_RAW
  let leftRaw = request.amountRaw
  let collateralRaw = 0
  let worstTicks = 0
  for (const { ticks, sizeRaw } of offers) {
    if (leftRaw === 0 || !isWithin(request, ticks)) break
    const takenRaw = Math.floor(Math.min(sizeRaw, leftRaw) / stepRaw) * stepRaw
    if (takenRaw === 0) continue
    leftRaw -= takenRaw
    collateralRaw += costFloorRaw(ticks, takenRaw)
    worstTicks = ticks
  }
  return { sharesRaw: request.amountRaw - leftRaw, collateralRaw, worstTicks, leftRaw }
}

/** `feeBps` is the rate of the trader, or 0 in a market without fees. */
export function estimateOf(
  request: OrderRequest,
  offers: readonly Offer[],
  feeBps: number,
): Estimate {
  const isSpend = request.isBuy && request.priceTicks === null
  const taken = isSpend ? spent(offers, request.amountRaw) : walked(offers, request)
  const feeOf = request.isBuy ? buyFeeSharesRaw : sellFeeCollateralRaw
  return { ...taken, feeRaw: feeOf(feeBps, taken.collateralRaw, taken.sharesRaw) }
}

/** What is reserved when the exchange takes the order: collateral of a buy, shares of a sale. */
export function reserveOf({ isBuy, priceTicks, amountRaw }: OrderRequest): number {
  return isBuy && priceTicks !== null ? costFloorRaw(priceTicks, amountRaw) : amountRaw
}

// What an order gives and takes (rules §1.5, §1.6). It knows neither the page nor the exchange.

import type { OrderFlags } from '../../../engine/domain/order-flags.ts'

export const ORDER_TYPES = ['GTC', 'FAK', 'FOK'] as const
export type OrderType = (typeof ORDER_TYPES)[number]

export interface OrderRequest {
  readonly isBuy: boolean
  readonly outcome: 0 | 1
  readonly type: OrderType
  /** Those that are set. */
  readonly flags: Partial<OrderFlags>
  /** Ticks of a tenth of a cent of the own token; null for a market order, which is FOK. */
  readonly priceTicks: number | null
  /** Raw shares; for a market buy raw collateral to spend. */
  readonly amountRaw: number
}

export interface Amounts {
  readonly makerAmount: number
  readonly takerAmount: number
}

const TICK_RAW = 1000
const SHARE_STEP_RAW = 1000
const SIZE_RAW_MAX = 1e13

/** What an order gives and takes; a sentence when there is no such order. */
export function amountsOf({ isBuy, priceTicks, amountRaw }: OrderRequest): Amounts | string {
  if (!Number.isSafeInteger(amountRaw) || amountRaw <= 0) return 'The amount must be above zero.'
  if (priceTicks === null) return { makerAmount: amountRaw, takerAmount: 1 }
  if (amountRaw % SHARE_STEP_RAW !== 0) return 'Shares have at most three decimals.'
  if (amountRaw > SIZE_RAW_MAX) return 'The maximum order size is 10,000,000 shares.'
  // The step of shares makes this exact: ticks x 1,000 x thousands of raw shares / 1,000,000.
  const collateralRaw = priceTicks * (amountRaw / TICK_RAW)
  return isBuy
    ? { makerAmount: collateralRaw, takerAmount: amountRaw }
    : { makerAmount: amountRaw, takerAmount: collateralRaw }
}

import { UNIT_RAW } from '../../../engine/domain/units.ts'

// How much of an order was filled, as replies and frames show it (rules §12.4). The average price
// is that of the order's own token, before fees.

/** What an order traded in all, and the shares that it has left. */
export interface Traded {
  readonly filledSharesRaw: number
  readonly filledCollateralRaw: number
  /** 0 for a market buy, which has its size in collateral. */
  readonly leftRaw: number
}

interface TradedOrder extends Traded {
  readonly orderId: string
  readonly clientOrderId?: string
}

/** Six decimals at the most, rounded half up; null without a fill. */
export function averagePrice(sharesRaw: number, collateralRaw: number): string | null {
  if (sharesRaw === 0) return null
  return String(Math.round((collateralRaw / sharesRaw) * UNIT_RAW) / UNIT_RAW)
}

export function fillFields({ filledSharesRaw, filledCollateralRaw, leftRaw }: Traded) {
  return {
    filledSize: String(filledSharesRaw),
    remainingSize: String(leftRaw),
    averagePrice: averagePrice(filledSharesRaw, filledCollateralRaw),
  }
}

/** An order that was canceled, with what it traded until then. */
export function canceledView(
  canceled: TradedOrder,
): ReturnType<typeof fillFields> & Pick<TradedOrder, 'orderId' | 'clientOrderId'> {
  const { orderId, clientOrderId } = canceled
  const fills = fillFields(canceled)
  return clientOrderId === undefined ? { orderId, ...fills } : { orderId, clientOrderId, ...fills }
}

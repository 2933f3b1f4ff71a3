import { UNIT_RAW } from '../../../engine/domain/units.ts'

// The filled amounts of an order in replies and frames (rules §12.4). The average price is that of
// the order's own token, before fees.

/** The total fills of an order, and its remaining shares. */
export interface Traded {
  readonly filledSharesRaw: number
  readonly filledCollateralRaw: number
  /** 0 for a market buy, whose size is in collateral. */
  readonly leftRaw: number
}

interface TradedOrder extends Traded {
  readonly orderId: string
  readonly clientOrderId?: string
}

/** At most six decimals, rounded half up; null without a fill. */
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

/** A canceled order, with its fills until then. */
export function canceledView(
  canceled: TradedOrder,
): ReturnType<typeof fillFields> & Pick<TradedOrder, 'orderId' | 'clientOrderId'> {
  const { orderId, clientOrderId } = canceled
  const fills = fillFields(canceled)
  return clientOrderId === undefined ? { orderId, ...fills } : { orderId, clientOrderId, ...fills }
}

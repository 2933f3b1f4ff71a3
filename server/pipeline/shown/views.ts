// Published facts in the shapes of the API (rules §3.5, §11, §12.3, §12.4).

import { ORDER_STATUSES, ORDER_TYPES, SIDE } from '../../../engine/domain/order.ts'
import { costCeilRaw, costFloorRaw } from '../../../engine/domain/units.ts'
import type { OrderRow } from '../../../persistence/query/read/orders/user-orders.ts'
import { isoText } from '../../http/iso-text.ts'
import { price } from './book-views.ts'
import { fillFields } from './orders/fill-fields.ts'
import type { OrderIds } from './orders/order-ids.ts'
import type { PublishedMarket } from './published.ts'

/** Both signed amounts, which follow from the fields of the order (rules §1.5, §1.6). */
export function amountsOf(row: OrderRow): { makerRaw: number; takerRaw: number } {
  if (row.marketForm === 1) {
    return { makerRaw: row.side === SIDE.BUY ? row.spendRaw : row.sizeRaw, takerRaw: 1 }
  }
  return row.side === SIDE.BUY
    ? { makerRaw: costCeilRaw(row.priceTicks, row.sizeRaw), takerRaw: row.sizeRaw }
    : { makerRaw: row.sizeRaw, takerRaw: costFloorRaw(row.priceTicks, row.sizeRaw) }
}

/** How much of the order was filled, over all of its trades. */
export function orderFills({ filledRaw, collateralRaw, remainingRaw }: OrderRow) {
  return fillFields({
    filledSharesRaw: filledRaw,
    filledCollateralRaw: collateralRaw,
    leftRaw: remainingRaw,
  })
}

export function userOrderView(row: OrderRow, { market }: PublishedMarket, ids: OrderIds) {
  const { makerRaw, takerRaw } = amountsOf(row)
  const bySpend = row.marketForm === 1 && row.side === SIDE.BUY
  const originalRaw = bySpend ? row.spendRaw : row.sizeRaw
  const isHeld = row.eligibleMs !== null
  const { filledSize, averagePrice } = orderFills(row)
  return {
    id: ids.text(row.slot, row.generation),
    createdAt: isoText(row.placedMs),
    ownerId: row.accountId,
    marketId: String(row.marketId),
    token: row.outcome === 0 ? market.yesTokenId : market.noTokenId,
    type: ORDER_TYPES[row.orderType],
    status: ORDER_STATUSES[row.status],
    side: row.side === SIDE.BUY ? ('BUY' as const) : ('SELL' as const),
    makerAmount: String(makerRaw),
    takerAmount: String(takerRaw),
    price: row.marketForm === 1 ? null : String(price(row.priceTicks)),
    originalSize: String(originalRaw),
    // A held market buy still has all that it spends (rules §4.3).
    remainingSize: String(isHeld ? originalRaw : row.remainingRaw),
    filledSize,
    averagePrice,
    expiration: String(row.expirationSec),
    ...(row.clientOrderId === null ? {} : { clientOrderId: row.clientOrderId }),
  }
}

// Orders in the shape of the API (rules §3.5, §12.4), shared by all replies. Where public clients
// expect the side of a listed order as a word, use `userOrderView`.

import type { Market } from '../../../engine/core/markets/catalogue.ts'
import { ORDER_STATUSES, ORDER_TYPES, OUTCOME, SIDE } from '../../../engine/domain/order.ts'
import { flagsOf } from '../../../engine/domain/order-flags.ts'
import {
  costCeilRaw,
  costFloorRaw,
  PRICE_ONE_TICKS,
  UNIT_RAW,
} from '../../../engine/domain/units.ts'
import type { SignedTerms } from '../../../persistence/query/read/orders/signed-orders.ts'
import type {
  OrderRow,
  SignedOrderRow,
} from '../../../persistence/query/read/orders/user-orders.ts'
import { formatAddress, ZERO_ADDRESS } from '../../crypto/address.ts'
import { isoText } from '../../messages/iso-text.ts'
import type { OrderIds } from './order-ids.ts'
import type { PublishedMarket } from './published.ts'

/** Both signed amounts, derived from the fields of the order (rules §1.5, §1.6). */
function amountsOf(row: OrderRow): { makerRaw: number; takerRaw: number } {
  if (row.marketForm === 1) {
    return { makerRaw: row.side === SIDE.BUY ? row.spendRaw : row.sizeRaw, takerRaw: 1 }
  }
  return row.side === SIDE.BUY
    ? { makerRaw: costCeilRaw(row.priceTicks, row.sizeRaw), takerRaw: row.sizeRaw }
    : { makerRaw: row.sizeRaw, takerRaw: costFloorRaw(row.priceTicks, row.sizeRaw) }
}

/** Raw shares ordered; for a market buy, the collateral to spend. */
function originalRaw({ marketForm, side, spendRaw, sizeRaw }: OrderRow): number {
  return marketForm === 1 && side === SIDE.BUY ? spendRaw : sizeRaw
}

/** The filled amounts of the order, over all of its trades. */
function orderFills(row: OrderRow) {
  const { filledRaw, collateralRaw, remainingRaw, eligibleMs } = row
  return fillFields({
    filledSharesRaw: filledRaw,
    filledCollateralRaw: collateralRaw,
    // A held market buy still has all that it spends (rules §4.3).
    leftRaw: eligibleMs === null ? remainingRaw : originalRaw(row),
  })
}

let addressHex = ''
let addressOfHex = ''

/** Caches the last text: orders of one reply mostly share their maker, who is also the signer. */
function addressText(hex: string): string {
  if (hex !== addressHex) {
    addressOfHex = formatAddress(Buffer.from(hex, 'hex'))
    addressHex = hex
  }
  return addressOfHex
}

/** Null for what only the client could make, if its part of the journal was moved away. */
function termsOf(signed: SignedTerms | null) {
  if (signed === null) return { salt: null, maker: null, signer: null, signature: null }
  return {
    salt: String(BigInt(`0x${signed.saltHex || '0'}`)),
    maker: addressText(signed.makerHex),
    signer: addressText(signed.signerHex),
    signature: `0x${signed.signatureHex}`,
  }
}

/** The order as signed, and its derived fields: the same fields that the intake prints. */
export function signedFields(
  order: SignedOrderRow,
  market: Pick<Market, 'yesTokenId' | 'noTokenId'>,
) {
  const { salt, maker, signer, signature } = termsOf(order.signed)
  const { makerRaw, takerRaw } = amountsOf(order)
  const tokenId = order.outcome === OUTCOME.YES ? market.yesTokenId : market.noTokenId
  const orderType = ORDER_TYPES[order.orderType]
  return {
    salt,
    maker,
    signer,
    taker: ZERO_ADDRESS,
    tokenId,
    token: tokenId,
    outcome: order.outcome === OUTCOME.YES ? ('YES' as const) : ('NO' as const),
    makerAmount: makerRaw,
    takerAmount: takerRaw,
    originalSize: String(originalRaw(order)),
    expiration: String(order.expirationSec),
    nonce: 0,
    feeRateBps: order.signedFeeBps,
    side: order.side,
    signatureType: order.signatureType,
    signature,
    orderType,
    type: orderType,
    ...flagsOf(order.flags),
    price: order.marketForm === 1 ? null : order.priceTicks / PRICE_ONE_TICKS,
    ...(order.orderGroup === null ? {} : { orderGroupId: order.orderGroup }),
  }
}

/** The market of an order: its slug, and what a client shows next to the order. */
export function orderMarket({ marketId, slug, title, yesTokenId, noTokenId }: Market) {
  const names = { id: marketId, slug, title }
  const positions = { yesPositionId: yesTokenId, noPositionId: noTokenId }
  return { marketSlug: slug, market: { ...names, ...positions, group: null } }
}

export function orderView(row: SignedOrderRow, { market }: PublishedMarket, ids: OrderIds) {
  return {
    id: ids.text(row.slot, row.generation),
    ...signedFields(row, market),
    marketId: row.marketId,
    ownerId: row.accountId,
    createdAt: isoText(row.placedMs),
    status: ORDER_STATUSES[row.status],
    ...orderFills(row),
    ...(row.clientOrderId === null ? {} : { clientOrderId: row.clientOrderId }),
    ...orderMarket(market),
  }
}

export function userOrderView(row: SignedOrderRow, published: PublishedMarket, ids: OrderIds) {
  const side = row.side === SIDE.BUY ? ('BUY' as const) : ('SELL' as const)
  return { ...orderView(row, published, ids), side }
}

// The filled amounts of an order in replies and frames (rules §12.4). The average price is that of
// the order's own token, before fees.

/** The total fills of an order, and its remaining shares. */
interface Traded {
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

function fillFields({ filledSharesRaw, filledCollateralRaw, leftRaw }: Traded) {
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

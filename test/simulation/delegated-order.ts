// An order of a sub-account as its partner writes it.

import type { PlaceOrder } from '../../engine/domain/command.ts'
import { ORDER_TYPES, SIDE, STP_POLICIES } from '../../engine/domain/order.ts'
import { flagBits, flagsOf } from '../../engine/domain/order-flags.ts'
import { ZERO_ADDRESS } from '../../server/crypto/address.ts'
import type { SimOrder } from './replicated.ts'

/** The body of one order, which the server wallet signs. */
export function unsignedBody(
  order: PlaceOrder,
  claims: SimOrder,
  { salt }: { salt: number },
): object {
  const { side, sizeRaw, spendRaw, priceTicks, marketForm } = order
  const wholeRaw = claims.isOdd ? sizeRaw + 1 : sizeRaw
  const costRaw = Math.floor((priceTicks * sizeRaw) / 1000)
  const isBuy = side === SIDE.BUY
  const amounts = marketForm
    ? [isBuy ? spendRaw : sizeRaw, 1]
    : isBuy
      ? [costRaw, wholeRaw]
      : [wholeRaw, costRaw]
  return {
    order: {
      salt,
      taker: ZERO_ADDRESS,
      tokenId: claims.tokenId,
      makerAmount: amounts[0],
      takerAmount: amounts[1],
      expiration: order.expirationSec,
      nonce: 0,
      side,
      signatureType: 0,
    },
    orderType: ORDER_TYPES[order.orderType],
    marketSlug: claims.slug,
    clientOrderId: order.clientOrderId,
    ...flagsOf(flagBits(order)),
    stpPolicy: STP_POLICIES[order.stp],
    onBehalfOf: claims.actorId,
  }
}

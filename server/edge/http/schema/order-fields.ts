// The fields of an order, the same in the calls that place it and in the replies.
import { ORDER_STATUSES, ORDER_TYPES } from '../../../../engine/domain/order.ts'
import { decimalText } from './decimals.ts'
import { uint256Text } from './fields.ts'
import { means } from './meaning.ts'
import { nullable, oneOf, text } from './scalars.ts'
import { optional } from './schema.ts'

export function orderType() {
  return means(
    oneOf(...ORDER_TYPES),
    'GTC rests in the book, FAK fills what it can at once, FOK fills whole or not at all.',
  )
}

export function orderStatus() {
  return means(
    oneOf(...ORDER_STATUSES),
    'LIVE while the order may trade; MATCHED, CANCELED and UNMATCHED are final.',
  )
}

/** The client's id in a reply; a client may have set none. */
export function shownClientOrderId() {
  return means(optional(text()), 'Id that the client assigned to the order; absent without one.')
}

/** The filled amounts of an order, over all of its trades; built by `fillFields`. */
export function shownFills() {
  return {
    filledSize: means(
      uint256Text(),
      'Raw shares that the order traded, before fees; includes trades reversed later.',
    ),
    remainingSize: means(
      uint256Text(),
      'Unfilled raw shares; for a market buy 0, or its raw collateral while it is held.',
    ),
    averagePrice: means(
      nullable(decimalText()),
      'Average price of these shares before fees, up to six decimals; null without a fill.',
    ),
  }
}

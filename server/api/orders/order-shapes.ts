// Schemas of orders and their execution in replies (rules §3.5, §12.4).

import { SETTLEMENT_STATUSES } from '../../../engine/domain/moves/settlement.ts'
import { ORDER_TYPES } from '../../../engine/domain/order.ts'
import { ORDER_FLAGS } from '../../../engine/domain/order-flags.ts'
import {
  address,
  bytes32,
  isoTime,
  orderId,
  profileId,
  slug,
  uint256Text,
} from '../../edge/http/schema/fields.ts'
import { means } from '../../edge/http/schema/meaning.ts'
import {
  orderStatus,
  orderType,
  shownClientOrderId,
  shownFills,
} from '../../edge/http/schema/order-fields.ts'
import { named } from '../../edge/http/schema/printed.ts'
import { boolean, integer, nullable, number, oneOf, text } from '../../edge/http/schema/scalars.ts'
import {
  anyOf,
  fieldsOf,
  list,
  object,
  optional,
  type Schema,
  schemaOf,
} from '../../edge/http/schema/schema.ts'

const orderMarket = () =>
  named(
    'OrderMarket',
    object({
      id: means(integer(1), 'Id of the market, counted from 1.'),
      slug: slug(),
      title: means(text(), 'The question of the market.'),
      yesPositionId: means(uint256Text(), 'Token of the YES outcome.'),
      noPositionId: means(uint256Text(), 'Token of the NO outcome.'),
      group: means(
        anyOf(
          object({ slug: slug(), title: means(text(), 'Title of the group.') }),
          schemaOf<null>({ type: 'null' }),
        ),
        'Always null here: the market itself has its group.',
      ),
    }),
  )

/** The signed fields, and the fields derived from them. */
const signedOrder = () => ({
  salt: means(uint256Text(), 'Salt that makes the order unique, as signed.'),
  maker: means(address(), 'Account that gives makerAmount.'),
  signer: means(address(), 'Account whose key signed the order.'),
  taker: means(address(), 'Always the zero address: anyone may fill the order.'),
  tokenId: means(uint256Text(), 'Token of the outcome that the order buys or sells.'),
  token: means(uint256Text(), 'The same as tokenId.'),
  outcome: means(oneOf('YES', 'NO'), 'Outcome of that token.'),
  makerAmount: means(integer(1), 'Raw units given: collateral of a buy, shares of a sell.'),
  takerAmount: means(integer(1), 'Raw units requested in return; 1 for a market order.'),
  originalSize: means(
    uint256Text(),
    'Raw shares ordered; for a market buy, raw collateral to spend.',
  ),
  expiration: means(uint256Text(), 'When the order expires: Unix seconds as text, 0 for never.'),
  nonce: means(integer(0, 0), 'Signed field that this exchange does not use.'),
  feeRateBps: means(integer(0, 1000), 'Signed fee rate of the order, in basis points.'),
  signatureType: means(integer(0, 3), '0 if signed by the maker, 1 to 3 by the key of its wallet.'),
  signature: means(text(), 'Signature of the order, as hex.'),
  orderType: orderType(),
  type: means(oneOf(...ORDER_TYPES), 'The same as orderType.'),
  ...fieldsOf(ORDER_FLAGS, ({ reply }) => means(boolean(), reply)),
  price: means(
    nullable(number(0.001, 0.999)),
    'Limit price of the token; null for a market order.',
  ),
})

const orderFields = <S extends Schema>(side: S) => ({
  id: orderId(),
  ...signedOrder(),
  side,
  marketId: means(integer(1), 'Id of the market.'),
  marketSlug: slug(),
  ownerId: means(profileId(), 'Id of the profile that owns the order.'),
  createdAt: means(isoTime(), 'When the exchange accepted the order.'),
  status: orderStatus(),
  ...shownFills(),
  clientOrderId: shownClientOrderId(),
  market: means(orderMarket(), 'The market of the order.'),
})

/** An order, in all replies except those of `userOrder`. */
export function order() {
  const side = means(integer(0, 1), 'Signed side: 0 buys the token, 1 sells it.')
  return named('Order', object(orderFields(side)))
}

/** The same in the lists of a market, where public clients read the side as text. */
export function userOrder() {
  const side = means(oneOf('BUY', 'SELL'), 'Whether the order buys or sells its token.')
  return named('UserOrder', object(orderFields(side)))
}

/** An order with its execution. The orders that a maker traded with are not disclosed to it. */
export function orderData() {
  const { makerMatches, ...parts } = orderParts()
  return named('OrderData', object({ ...parts, makerMatches: optional(makerMatches) }))
}

export function orderReply() {
  return named('PlacedOrderReply', object(orderParts()))
}

const makerMatch = () =>
  named(
    'MakerMatch',
    object({
      id: means(text(), 'Id of the match, unique in the exchange.'),
      createdAt: means(nullable(isoTime()), 'When the two orders matched.'),
      matchedSize: means(uint256Text(), 'Raw shares traded with this order.'),
      orderId: means(orderId(), 'Id of the resting order.'),
    }),
  )

/** A buy pays its fee in shares, a sell in collateral (rules §3.5). */
const totalsRaw = () =>
  named(
    'ExecutionTotals',
    object({
      contractsGross: means(uint256Text(), 'Raw shares filled.'),
      contractsFee: means(uint256Text(), 'Fee of a buy in raw shares; 0 for a sell.'),
      contractsNet: means(uint256Text(), 'Raw shares filled, minus the fee.'),
      usdGross: means(uint256Text(), 'Raw collateral at the prices of the fills.'),
      usdFee: means(uint256Text(), 'Fee of a sell in raw collateral; 0 for a buy.'),
      usdNet: means(uint256Text(), 'Raw collateral of the fills, minus the fee.'),
    }),
  )

const execution = () =>
  named(
    'Execution',
    object({
      matched: means(boolean(), 'True when the order has traded.'),
      settlementStatus: means(
        oneOf(...SETTLEMENT_STATUSES, 'UNMATCHED', 'DELAYED', 'CANCELED'),
        'UNMATCHED without a trade, DELAYED during the taker delay, CANCELED (in the reply to ' +
          'the order only) if self-trade prevention stopped it; otherwise the status of its ' +
          'trade.',
      ),
      eligibleAt: means(
        optional(isoTime()),
        'When the order enters its market after the taker delay; present while DELAYED.',
      ),
      reason: means(
        optional(oneOf('STP_TAKER_REJECTED')),
        'Present if the order stopped before it would have matched an order of its own profile.',
      ),
      stpMakerCancels: means(
        optional(list(orderId())),
        'Resting orders of the same profile that self-trade prevention canceled.',
      ),
      clientOrderId: shownClientOrderId(),
      tradeEventId: means(
        optional(uint256Text()),
        'Id of its newest trade; absent without a trade.',
      ),
      txHash: means(
        optional(nullable(bytes32())),
        'Transaction hash of that trade; null until it is in a block.',
      ),
      feeRateBps: means(
        integer(0, 1000),
        'Signed fee rate of the order, in basis points; 0 in a market without fees.',
      ),
      effectiveFeeBps: means(
        integer(0, 10_000),
        'Fee paid by the fills, in basis points of the amount received; 0 without a fill.',
      ),
      totalsRaw: means(totalsRaw(), 'Totals of the fills, in raw units; all 0 without a fill.'),
    }),
  )

function orderParts() {
  return {
    order: means(order(), 'The stored order.'),
    makerMatches: means(list(makerMatch()), 'Resting orders that this order traded with.'),
    execution: means(execution(), 'Execution of the order.'),
  }
}

/** A canceled order, with what it traded. */
export function tradedUntilCancel() {
  return object({ orderId: orderId(), clientOrderId: shownClientOrderId(), ...shownFills() })
}

// Schemas of orders and their execution in replies (rules §3.5, §12.4).

import { LIMITS } from '../../../engine/domain/limits.ts'
import { SETTLEMENT_STATUSES } from '../../../engine/domain/moves/move-command.ts'
import { ORDER_STATUSES, ORDER_TYPES, type OrderStatus } from '../../../engine/domain/order.ts'
import { NO_FLAGS, ORDER_FLAGS } from '../../../engine/domain/order-flags.ts'
import {
  address,
  bytes32,
  isoTime,
  orderGroupId,
  orderId,
  orderStatus,
  orderType,
  profileId,
  shownClientOrderId,
  shownFills,
  slug,
  uint256Text,
} from '../../edge/http/schema/fields.ts'
import {
  boolean,
  integer,
  means,
  named,
  nullable,
  number,
  oneOf,
  text,
} from '../../edge/http/schema/scalars.ts'
import {
  anyOf,
  fieldsOf,
  list,
  object,
  optional,
  type Schema,
  schemaOf,
} from '../../edge/http/schema/schema.ts'
import { ACCOUNT, MARKET_EXAMPLE, ORDER_ID } from '../examples.ts'

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

/** `outcomex archive` moves old commands, with what their orders signed. */
const MOVED = 'Null if the exchange keeps this order in an archive elsewhere.'

/** The signed fields, and the fields derived from them. */
const signedOrder = () => ({
  salt: means(nullable(uint256Text()), `Salt that makes the order unique, as signed. ${MOVED}`),
  maker: means(nullable(address()), `Account that gives makerAmount. ${MOVED}`),
  signer: means(nullable(address()), `Account whose key signed the order. ${MOVED}`),
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
  signature: means(nullable(text()), `Signature of the order, as hex. ${MOVED}`),
  orderType: orderType(),
  type: means(oneOf(...ORDER_TYPES), 'The same as orderType.'),
  ...fieldsOf(ORDER_FLAGS, ({ reply }) => means(boolean(), reply)),
  price: means(
    nullable(number(0.001, 0.999)),
    'Limit price of the token; null for a market order.',
  ),
  orderGroupId: means(optional(orderGroupId()), 'The order group that the order joined.'),
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
        'Transaction hash of that trade; null until it is in a block, and when it has left the ' +
          'history.',
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

// One order in the market of examples.ts, shared by the examples of all routes.

const { yes: YES, no: NO } = MARKET_EXAMPLE.tokens
const AT = MARKET_EXAMPLE.createdAt
const NONE_RAW = '0'

export const ORDER_REQUEST_EXAMPLE = {
  order: {
    salt: '1778155025318314',
    maker: ACCOUNT,
    signer: ACCOUNT,
    taker: `0x${'0'.repeat(40)}`,
    tokenId: YES,
    makerAmount: '6500000',
    takerAmount: '10000000',
    expiration: '0',
    nonce: '0',
    feeRateBps: 300,
    side: 0,
    signatureType: 0,
    signature: `0x${'95ae4000'.repeat(16)}1c`,
    price: 0.65,
  },
  ownerId: 1,
  orderType: 'GTC' as const,
  marketSlug: 'rain-tomorrow',
}

export const ORDER_EXAMPLE = {
  id: ORDER_ID,
  salt: ORDER_REQUEST_EXAMPLE.order.salt,
  maker: ACCOUNT,
  signer: ACCOUNT,
  taker: ORDER_REQUEST_EXAMPLE.order.taker,
  tokenId: YES,
  token: YES,
  outcome: 'YES' as const,
  makerAmount: 6_500_000,
  takerAmount: 10_000_000,
  originalSize: '10000000',
  expiration: '0',
  nonce: 0,
  feeRateBps: 300,
  side: 0,
  signatureType: 0,
  signature: ORDER_REQUEST_EXAMPLE.order.signature,
  orderType: 'GTC' as const,
  type: 'GTC' as const,
  ...NO_FLAGS,
  price: 0.65,
  marketId: 1,
  marketSlug: MARKET_EXAMPLE.slug,
  ownerId: 1,
  createdAt: AT,
  status: 'LIVE' as const,
  filledSize: NONE_RAW,
  remainingSize: '10000000',
  averagePrice: null,
  market: {
    id: 1,
    slug: MARKET_EXAMPLE.slug,
    title: MARKET_EXAMPLE.title,
    yesPositionId: YES,
    noPositionId: NO,
    group: null,
  },
}

export const USER_ORDER_EXAMPLE = { ...ORDER_EXAMPLE, side: 'BUY' as const }

export const ORDER_REPLY_EXAMPLE = {
  order: ORDER_EXAMPLE,
  makerMatches: [],
  execution: {
    matched: false,
    settlementStatus: 'UNMATCHED' as const,
    feeRateBps: 300,
    effectiveFeeBps: 0,
    totalsRaw: {
      contractsGross: NONE_RAW,
      contractsFee: NONE_RAW,
      contractsNet: NONE_RAW,
      usdGross: NONE_RAW,
      usdFee: NONE_RAW,
      usdNet: NONE_RAW,
    },
  },
}

/** A canceled order that had traded four of its ten shares. */
export const CANCELED_EXAMPLE = {
  orderId: ORDER_ID,
  filledSize: '4000000',
  remainingSize: '6000000',
  averagePrice: '0.645',
}

// Query parameters of lists of the caller's orders, in one market or in all markets of a match.

/** A status filter as spelled in the query, in any letter case. */
const statusText = () =>
  schemaOf<string>({
    type: 'string',
    pattern: `^(${ORDER_STATUSES.map(anyCase).join('|')})$`,
    description: `One of ${ORDER_STATUSES.join(', ')}, in any letter case.`,
  })

function anyCase(word: string): string {
  return [...word].map((letter) => `[${letter}${letter.toLowerCase()}]`).join('')
}

export function userOrderQuery() {
  return {
    statuses: means(
      optional(list(statusText(), 1, 16)),
      'Statuses of the orders to list, in any letter case; only LIVE by default.',
    ),
    limit: means(
      optional(integer(1, LIMITS.userOrdersLimitMax)),
      `Maximum orders to list; ${LIMITS.userOrdersLimitMax} by default.`,
    ),
  }
}

export function statusNumbers(statuses: readonly string[] | undefined): number[] {
  const upper = (statuses ?? []).map((status) => status.toUpperCase())
  const wanted: readonly OrderStatus[] =
    upper.length === 0 ? ['LIVE'] : ORDER_STATUSES.filter((status) => upper.includes(status))
  return wanted.map((status) => ORDER_STATUSES.indexOf(status))
}

// Refusals of orders.

const issue = () =>
  object({
    field: means(text(), 'Path of the invalid field; body for the whole order.'),
    message: means(text(), 'The problem with the field.'),
  })

/** The refusal that POST /orders would have returned for the order. */
export const refusedFields = () => ({
  message: means(
    optional(anyOf(text(), list(issue()))),
    'Why the order was refused; a list if fields of it are invalid.',
  ),
  error: means(optional(text()), 'HTTP reason phrase of the status; only for a refusal.'),
  statusCode: means(optional(integer(400, 599)), 'The same as status; only for a refusal.'),
  code: means(optional(text()), 'Error code; only for a refusal.'),
  retryAfterSec: means(optional(integer(1)), 'Seconds to wait before sending the order again.'),
  expectedFeeRateBps: means(
    optional(integer(0, LIMITS.feeBpsMax)),
    'With FEE_RATE_MISMATCH: the rate to sign, in basis points.',
  ),
  mode: means(optional(text()), 'The trading mode that refused the order.'),
  resumeAt: means(optional(nullable(isoTime())), 'When that mode ends; null when unknown.'),
})

/** The refusals of any order, also of one that replaces another. */
export const OF_ORDER = [
  'OVERLOADED',
  'CHAIN_BEHIND',
  'BODY_MALFORMED',
  'VALIDATION',
  'NOT_SUB_ACCOUNT',
  'MARKET_NOT_FOUND',
  'ORDERBOOK_OF_POOL',
  'TOKEN_NOT_IN_MARKET',
  'AMOUNTS_INVALID',
  'PRICE_MISMATCH',
  'NO_SERVER_WALLET',
  'ALLOWANCE_MISSING',
  'PROFILE_FROZEN',
  'POST_ONLY_MODE',
  'CANCEL_ONLY_MODE',
  'TRADING_DISABLED',
  'RECV_WINDOW_EXPIRED',
  'MARKET_NOT_TRADABLE',
  'ORDER_EXPIRED',
  'OWNER_MISMATCH',
  'SIGNER_MISMATCH',
  'FEE_RATE_UNAVAILABLE',
  'FEE_RATE_MISMATCH',
  'SIGNATURE_INVALID',
  'DUPLICATE_ORDER',
  'DUPLICATE_CLIENT_ORDER_ID',
  'ORDER_GROUP_NOT_FOUND',
  'ORDER_GROUP_CLOSED',
  'ORDER_GROUP_FULL',
  'OPEN_SIZE_LIMIT',
  'CAPACITY',
  'INSUFFICIENT_COLLATERAL',
  'INSUFFICIENT_SHARES',
  'ALLOWANCE_TOO_SMALL',
  'SHARES_NOT_APPROVED',
  'POST_ONLY_WOULD_MATCH',
] as const

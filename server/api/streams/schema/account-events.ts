// The events of a client's own account (rules §5.3, §12.8), and the replies to any client's
// requests.

import { REJECT } from '../../../../engine/domain/reject-precedence.ts'
import {
  address,
  bytes32,
  isoTime,
  orderId,
  profileId,
  shownFills,
  slug,
  uint256Text,
} from '../../../edge/http/schema/fields.ts'
import {
  boolean,
  decimalText,
  integer,
  means,
  named,
  number,
  oneOf,
  rawText,
  text,
} from '../../../edge/http/schema/scalars.ts'
import {
  anyOf,
  type Fields,
  list,
  object,
  openObject,
  optional,
} from '../../../edge/http/schema/schema.ts'
import { event } from './documented.ts'

const SLUG = 'rain-tomorrow'
const AT = '2026-03-01T12:00:00.000Z'
const ACCOUNT = '0x00000000000000000000000000000000000000A1'
const ORDER = '3f2b9c1e-8a54-4d0b-9a51-6f0c2d7e4b18'
const TOKEN = '71321045679252212594626385532706912750332728571942532289631379312455583992563'

const ofName = <F extends Fields>(name: string, fields: F) => named(name, object(fields))
const raw = () => uint256Text()
const side = () => means(oneOf('BUY', 'SELL'), 'Side of the order in its own token.')
const tokenId = () => means(uint256Text(), 'Token of the outcome of the order.')
const sameAsTokenId = () => means(uint256Text(), 'The same as tokenId.')
const clientOrderId = () => means(optional(text()), 'The client order id.')
const times = {
  timestamp: means(isoTime(), 'Same as occurredAt, for older clients.'),
  occurredAt: means(isoTime(), 'When the command was decided.'),
  publishedAt: means(isoTime(), 'When the frame was made.'),
}
const matchedAt = () =>
  means(optional(isoTime()), 'When its trade was matched; absent without a trade.')
const owned = {
  orderId: orderId(),
  clientOrderId: clientOrderId(),
  userId: profileId(),
  marketId: means(uint256Text(), 'Id of the market, as text.'),
  marketSlug: slug(),
  tokenId: tokenId(),
  outcome: means(oneOf('YES', 'NO'), 'Outcome of that token.'),
  side: side(),
}
const { filledSize, averagePrice } = shownFills()

const lifecycle = () =>
  ofName('OrderLifecycleEvent', {
    source: means(oneOf('OME'), 'The order book sent this event.'),
    type: means(oneOf('PLACEMENT', 'UPDATE', 'CANCELLATION'), 'Change of the order.'),
    eventId: means(integer(1), 'Number of the event; it increases, also over restarts.'),
    ...owned,
    token: sameAsTokenId(),
    price: means(number(0, 1), "Limit price of the order's token."),
    remainingSize: means(integer(0), 'Raw shares that still rest.'),
    filledSize: means(
      optional(uint256Text()),
      'Raw shares filled by all trades of the order; only with CANCELLATION.',
    ),
    reason: means(optional(text()), 'Why it was canceled; absent if its owner requested it.'),
    ...times,
    matchedAt: matchedAt(),
  })

const execution = () =>
  ofName('OrderExecutionEvent', {
    source: means(oneOf('OME'), 'The order book sent this event.'),
    type: means(oneOf('EXECUTION'), 'The order ended on arrival.'),
    eventId: means(text(), 'The word terminal, a colon and the order id.'),
    ...owned,
    token: sameAsTokenId(),
    status: means(oneOf('FILLED', 'PARTIALLY_FILLED', 'KILLED'), 'How much of it was filled.'),
    price: means(decimalText(), 'Limit price; the average price for a market order.'),
    remainingSize: means(raw(), 'Raw shares that were not filled.'),
    filledSize,
    averagePrice,
    ...times,
    matchedAt: matchedAt(),
  })

const part = {
  eventId: means(text(), 'Id of the event; a repeated frame has the same id.'),
  tradeEventId: means(uint256Text(), 'Id of the trade, the same in both frames of a trade.'),
  ...owned,
  takerOrderId: means(orderId(), 'Order id of the taker.'),
  token: means(oneOf('YES', 'NO'), 'The same as outcome.'),
  price: means(decimalText(), "Price of the order's token; the average price for the taker."),
  amountContracts: means(raw(), 'Raw shares of this part.'),
  amountCollateral: means(raw(), 'Raw collateral of this part before fees.'),
  configuredFeeRateBps: means(integer(0, 1000), 'The charged fee rate, in basis points.'),
  effectiveFeeBps: means(integer(0, 10_000), 'The resulting fee rate, in basis points.'),
  feeAmountContracts: means(optional(raw()), 'Fee of a buy in raw shares.'),
  feeAmountCollateral: means(optional(raw()), 'Fee of a sell in raw collateral.'),
  ...times,
  matchedAt: means(isoTime(), 'When the trade was matched.'),
}

const matched = () =>
  ofName('OrderMatchedEvent', {
    source: means(oneOf('SETTLEMENT'), 'The settlement of a trade sent this event.'),
    type: means(oneOf('MATCHED'), 'The trade is made and not yet on the chain.'),
    ...part,
    isEstimate: means(boolean(), 'True: the chain may still reject the trade.'),
  })

const settled = () =>
  ofName('OrderSettledEvent', {
    source: means(oneOf('SETTLEMENT'), 'The settlement of a trade sent this event.'),
    type: means(oneOf('MINED', 'FAILED'), 'Whether the chain accepted the trade.'),
    ...part,
    takerAccount: means(address(), 'Account of the taker.'),
    makerMatches: means(
      list(
        object({
          account: means(address(), 'Account of the maker.'),
          orderId: means(orderId(), 'Order id of the maker.'),
          matchedSize: means(raw(), 'Raw shares of this fill.'),
          price: means(decimalText(), 'Limit price of the maker.'),
        }),
      ),
      'The makers that the taker matched, at most the first hundred.',
    ),
    txHash: means(optional(bytes32()), 'Hash of the transaction; absent if the trade failed.'),
  })

export const orderEvent = event({
  name: 'orderEvent',
  about: "An event of the caller's order, or of its part in a trade.",
  payload: anyOf(lifecycle(), execution(), matched(), settled()),
  example: {
    source: 'OME',
    type: 'PLACEMENT',
    eventId: 1_048_576,
    orderId: ORDER,
    userId: 1,
    marketId: '1',
    marketSlug: SLUG,
    tokenId: TOKEN,
    outcome: 'YES',
    side: 'BUY',
    token: TOKEN,
    price: 0.4,
    remainingSize: 5_000_000,
    timestamp: AT,
    occurredAt: AT,
    publishedAt: AT,
  },
})

const ofBook = () =>
  ofName('BookPositions', {
    type: means(oneOf('CLOB'), 'The market has a book.'),
    account: means(address(), 'Account of the caller.'),
    marketSlug: slug(),
    positions: means(
      list(
        object({
          tokenId: means(uint256Text(), 'Token of the outcome held.'),
          ctfBalance: means(rawText(), 'Raw shares.'),
          averageFillPrice: means(rawText(), 'Raw collateral cost of one share.'),
          costBasis: means(rawText(), 'Raw collateral cost of all shares.'),
          marketValue: means(rawText(), 'Raw collateral value of all shares.'),
          marketId: means(integer(1), 'Id of the market.'),
        }),
      ),
      'One entry per outcome held.',
    ),
    tokenIds: means(list(uint256Text(), 2, 2), 'Tokens of YES and NO.'),
    timestamp: means(optional(integer(0)), 'Unix milliseconds; absent in the first frame.'),
  })

const ofPool = () =>
  ofName('PoolPositions', {
    type: means(oneOf('AMM'), 'The market has a pool.'),
    account: means(address(), 'Account of the caller.'),
    marketAddress: means(address(), 'Address of the pool, in lower case.'),
    positions: means(
      list(
        object({
          tokenId: means(uint256Text(), 'Token of the outcome held.'),
          balance: means(rawText(), 'Raw shares.'),
          outcomeIndex: means(integer(0, 1), 'Outcome: 0 for YES, 1 for NO.'),
          collateralOutOnSell: means(rawText(), 'Raw collateral of a sale to the pool.'),
        }),
      ),
      'One entry per outcome ever held.',
    ),
    timestamp: means(optional(integer(0)), 'Unix milliseconds; absent in the first frame.'),
  })

export const positions = event({
  name: 'positions',
  about: "The caller's holdings in one market.",
  payload: anyOf(ofBook(), ofPool()),
  example: {
    type: 'CLOB',
    account: ACCOUNT,
    marketSlug: SLUG,
    positions: [],
    tokenIds: [TOKEN, '1'],
  },
})

export const tx = event({
  name: 'tx',
  about: 'A trade or another move of the caller is on the chain, or a trade failed.',
  payload: object({
    userId: profileId(),
    txHash: means(optional(bytes32()), 'Hash of the transaction; absent if the trade failed.'),
    status: means(oneOf('CONFIRMED', 'FAILED'), 'Whether the chain accepted it.'),
    source: means(
      oneOf('CLOB', 'AMM', 'CTF'),
      'CLOB for a trade in a book, AMM for a market with a pool, CTF for any other move.',
    ),
    timestamp: means(isoTime(), 'Time of the block, or of the failure.'),
    marketSlug: optional(slug()),
    marketAddress: means(optional(address()), 'Address of the pool, in lower case.'),
    tokenId: optional(tokenId()),
    conditionId: means(optional(bytes32()), 'Condition of the market; absent for a group.'),
    amountContracts: means(optional(raw()), 'Raw shares of this part; only for trades.'),
    amountCollateral: means(raw(), 'Raw collateral of this part; before fees in books.'),
    price: means(optional(decimalText()), "Price of the order's token; only for trades."),
    side: optional(side()),
  }),
  example: {
    userId: 1,
    txHash: `0x${'ab'.repeat(32)}`,
    status: 'CONFIRMED',
    source: 'CLOB',
    timestamp: AT,
    marketSlug: SLUG,
    tokenId: TOKEN,
    conditionId: `0x${'cd'.repeat(32)}`,
    amountContracts: '5000000',
    amountCollateral: '2000000',
    price: '0.4',
    side: 'BUY',
  },
})

export const authenticated = event({
  name: 'authenticated',
  about: 'The handshake is authenticated; this frame is sent before all others.',
  payload: object({
    message: means(text(), 'A human-readable message.'),
    profileId: profileId(),
    account: means(address(), 'Account of the caller.'),
  }),
  example: { message: 'Authenticated', profileId: 1, account: ACCOUNT },
})

export const system = event({
  name: 'system',
  about: 'A subscription was accepted, or the replay of missed events is complete.',
  payload: object({
    message: means(text(), 'Message with the name of the channel.'),
    markets: means(optional(list(text())), 'The slugs that the subscription named.'),
  }),
  example: { message: 'Subscribed to subscribe_market_prices', markets: [SLUG] },
})

export const exception = event({
  name: 'exception',
  about: 'A message was refused, authentication failed, or the connection is about to be closed.',
  payload: openObject({
    message: means(anyOf(text(), list(openObject({}))), 'Reason, as one message or by field.'),
    code: means(text(), 'Error code, as in a refusal over HTTP.'),
    channel: means(optional(text()), 'The refused event.'),
    missing: means(
      optional(list(text())),
      'With MARKET_NOT_FOUND: the unknown slugs and addresses. Nothing was changed.',
    ),
    markets: means(
      optional(list(text())),
      'With MARKET_NOT_FOUND for the slug of a group: slugs of its first 20 markets.',
    ),
  }),
  example: {
    message: REJECT.MARKET_NOT_FOUND.sentence,
    error: 'Not Found',
    statusCode: 404,
    code: 'MARKET_NOT_FOUND',
    missing: ['rain-tomorow'],
    channel: 'subscribe_market_prices',
  },
})

// Reply shapes that several routes share (domain §12).

import { ORDER_STATUSES, ORDER_TYPES } from '../../engine/domain/order.ts'
import { SETTLEMENT_STATUSES } from '../../engine/domain/settlement.ts'
import {
  address,
  bytes32,
  isoTime,
  orderId,
  profileId,
  uint256Text,
} from '../http/schema/fields.ts'
import { boolean, integer, nullable, number, oneOf, text } from '../http/schema/scalars.ts'
import { anyOf, list, object, openObject, optional, schemaOf } from '../http/schema/schema.ts'

export function message() {
  return object({ message: text() })
}

const priceLevel = () =>
  object({ price: number(0, 1), size: number(0), side: oneOf('BUY', 'SELL') })

export function orderbook() {
  return object({
    bids: list(priceLevel()),
    asks: list(priceLevel()),
    tokenId: uint256Text(),
    adjustedMidpoint: number(0, 1),
    midpoint: number(0, 1),
    lastTradePrice: nullable(number(0, 1)),
    minSize: text(),
    maxSpread: text(),
  })
}

const pricePair = () => list(number(0, 1), 2, 2)

export function market() {
  return openObject({
    id: integer(1),
    slug: text(),
    title: text(),
    description: text(),
    collateralToken: object({ address: address(), decimals: integer(0), symbol: text() }),
    expirationDate: text(),
    expirationTimestamp: integer(),
    createdAt: isoTime(),
    updatedAt: isoTime(),
    categories: list(text()),
    tags: list(text()),
    status: oneOf('CREATED', 'FUNDED', 'FUNDED_FLAGGED', 'LOCKED', 'RESOLVED'),
    tradeType: oneOf('clob'),
    marketType: oneOf('single'),
    metadata: object({ fee: boolean(), takerDelayMs: optional(integer(1)) }),
    volume: text(),
    volumeFormatted: text(),
    conditionId: bytes32(),
    tokens: object({ yes: uint256Text(), no: uint256Text() }),
    positionIds: list(uint256Text(), 2, 2),
    prices: pricePair(),
    tradePrices: object({
      buy: object({ market: pricePair(), limit: pricePair() }),
      sell: object({ market: pricePair(), limit: pricePair() }),
    }),
    venue: object({ exchange: address(), adapter: nullable(address()) }),
    winningOutcomeIndex: nullable(integer(0, 1)),
  })
}

export function userOrder() {
  return object({
    id: orderId(),
    createdAt: isoTime(),
    ownerId: profileId(),
    marketId: text(),
    token: uint256Text(),
    type: oneOf(...ORDER_TYPES),
    status: oneOf(...ORDER_STATUSES),
    side: oneOf('BUY', 'SELL'),
    makerAmount: uint256Text(),
    takerAmount: uint256Text(),
    price: nullable(text()),
    originalSize: uint256Text(),
    remainingSize: uint256Text(),
    clientOrderId: optional(text()),
  })
}

/** A rank of the ladder, or null for none. */
export const rank = () =>
  anyOf(
    object({ id: integer(0), name: text(), feeRateBps: integer(0, 1000) }),
    schemaOf<null>({ type: 'null' }),
  )

const referral = () =>
  object({
    createdAt: isoTime(),
    id: integer(1),
    referredProfileId: profileId(),
    pfpUrl: nullable(text()),
    displayName: text(),
  })

/** Private: its owner alone sees it (domain §12.2). */
export function profile() {
  return openObject({
    id: profileId(),
    account: address(),
    username: nullable(text()),
    displayName: text(),
    bio: nullable(text()),
    client: text(),
    pfpUrl: nullable(text()),
    smartWallet: nullable(address()),
    isCreator: boolean(),
    isOnboarded: boolean(),
    socialUrl: nullable(text()),
    hasTraded: boolean(),
    tradeWalletOption: nullable(oneOf('eoa', 'smartWallet')),
    tradeWalletChoosen: boolean(),
    embeddedAccount: nullable(address()),
    mode: oneOf('simple', 'advanced'),
    referralCode: nullable(text()),
    points: number(0),
    accumulativePoints: number(0),
    rank: rank(),
    effectiveFeeRateBps: nullable(integer(0, 1000)),
    referralData: list(referral()),
    referredUsersCount: integer(0),
    enrolledInPointsProgram: nullable(boolean()),
    leaderboardPosition: nullable(integer(1)),
    isTop100: boolean(),
    isCaptain: boolean(),
    createdAt: isoTime(),
  })
}

/** An order with what came of it; a maker is not told whom it met. */
export function orderData() {
  const { order, makerMatches, execution } = orderParts()
  return object({ order, makerMatches: optional(makerMatches), execution })
}

export function orderReply() {
  return object(orderParts())
}

function orderParts() {
  return {
    order: openObject({
      id: orderId(),
      status: oneOf(...ORDER_STATUSES),
      createdAt: isoTime(),
      marketId: integer(1),
      ownerId: profileId(),
    }),
    makerMatches: list(
      object({
        id: text(),
        createdAt: nullable(isoTime()),
        matchedSize: uint256Text(),
        orderId: orderId(),
      }),
    ),
    execution: openObject({
      matched: boolean(),
      settlementStatus: oneOf(...SETTLEMENT_STATUSES, 'UNMATCHED', 'DELAYED', 'CANCELED'),
      eligibleAt: optional(isoTime()),
      reason: optional(oneOf('STP_TAKER_REJECTED')),
      stpMakerCancels: optional(list(orderId())),
      feeRateBps: integer(0, 1000),
      effectiveFeeBps: integer(0, 10_000),
      totalsRaw: object({
        contractsGross: uint256Text(),
        contractsFee: uint256Text(),
        contractsNet: uint256Text(),
        usdGross: uint256Text(),
        usdFee: uint256Text(),
        usdNet: uint256Text(),
      }),
    }),
  }
}

// One order in the market of examples.ts, shared by the examples of all routes.

import { NO_FLAGS } from '../../../engine/domain/order-flags.ts'
import { ACCOUNT, MARKET_EXAMPLE, ORDER_ID } from '../examples.ts'

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

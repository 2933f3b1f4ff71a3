// What a trading program asks once, before its first order. It changes with a start alone.

import { LIMITS } from '../../../engine/domain/limits.ts'
import { ORDER_TYPES, STP_POLICIES } from '../../../engine/domain/order.ts'
import { PRICE_ONE_TICKS, SIZE_STEP_RAW } from '../../../engine/domain/units.ts'
import { open } from '../../auth/auth-scheme.ts'
import { RATE_CLASSES, type Rate, type Rates } from '../../edge/http/access/rate-limit.ts'
import { cached, REVALIDATE } from '../../edge/http/caching/cache.ts'
import { route } from '../../edge/http/route.ts'
import { address } from '../../edge/http/schema/fields.ts'
import { means } from '../../edge/http/schema/meaning.ts'
import { integer, nullable, number, text } from '../../edge/http/schema/scalars.ts'
import { list, object } from '../../edge/http/schema/schema.ts'
import { RANKS } from '../accounts/ranks.ts'
import type { SystemServices } from './services.ts'

const chain = () =>
  object({
    chainId: means(integer(1), 'Id of the chain, in the EIP-712 domain of orders.'),
    domainName: means(text(), 'Name in that domain.'),
    domainVersion: means(text(), 'Version in that domain.'),
    exchange: means(address(), 'Contract of the markets that name none: its verifyingContract.'),
    collateral: means(
      object({
        address: means(address(), 'Contract of the token.'),
        decimals: means(integer(0), 'How many decimal digits an amount of the token has.'),
        symbol: means(text(), 'Short name of the token.'),
      }),
      'Token in which shares are paid.',
    ),
  })

const prices = () =>
  object({
    tick: means(number(0, 1), 'Every price is a multiple of it.'),
    min: means(number(0, 1), 'Lowest price of an order.'),
    max: means(number(0, 1), 'Highest price of an order.'),
  })

const sizes = () =>
  object({
    decimals: means(integer(0), 'How many decimal digits a number of shares has.'),
    stepRaw: means(integer(1), 'The size of a limit order is a multiple of it, in raw shares.'),
    maxRaw: means(integer(1), 'Largest size of an order, and largest spend of a market buy.'),
  })

const fee = () =>
  object({
    rank: means(text(), 'Name of a rank.'),
    feeRateBps: means(integer(0), 'Fee rate of takers of this rank, in basis points.'),
  })

const bounds = () =>
  object({
    openOrders: means(integer(1), 'Most live orders of one profile.'),
    batchOrders: means(integer(1), 'Most orders in one batch.'),
    batchReplaces: means(integer(1), 'Most replacements in one call.'),
    batchCancelIds: means(integer(1), 'Most ids in one batch cancel.'),
    statusItems: means(integer(1), 'Most orders in one question for their status.'),
    clientOrderIdCharacters: means(integer(1), 'Most characters of a client order id.'),
    recvWindowMs: means(integer(1), 'Longest receive window.'),
    signatureSkewMs: means(integer(1), 'How far the time of a signed call may be off.'),
    heartbeatAheadMs: means(integer(1), 'How far ahead a heartbeat deadline lies at least.'),
    bodyBytes: means(integer(1), 'Longest body of a request.'),
    orderbooks: means(integer(1), 'Most books in one reply.'),
    socketMarkets: means(integer(1), 'Most markets in one subscription of a socket.'),
  })

const rate = () =>
  object({
    lane: means(text(), 'Kind of call, as the table of routes names it.'),
    perSecond: means(number(0), 'Calls in a second, on average.'),
    burst: means(number(0), 'Calls that may come at once.'),
  })

const rateLimits = () =>
  object({
    address: means(list(rate()), 'Rates of one address; empty when there are no limits.'),
    profile: means(list(rate()), 'Rates of one profile; empty when there are no limits.'),
  })

const CHAIN_VERSION = '1'
const SHARE_DECIMALS = 6

const BOUNDS = {
  openOrders: LIMITS.openOrdersPerProfileMax,
  batchOrders: LIMITS.batchOrdersMax,
  batchReplaces: LIMITS.batchReplacesMax,
  batchCancelIds: LIMITS.batchCancelIdsMax,
  statusItems: LIMITS.statusItemsMax,
  clientOrderIdCharacters: LIMITS.clientOrderIdCodePointsMax,
  recvWindowMs: LIMITS.recvWindowMsMax,
  signatureSkewMs: LIMITS.signatureSkewMs,
  heartbeatAheadMs: LIMITS.heartbeatAheadMsMin,
  bodyBytes: LIMITS.bodyBytesMax,
  orderbooks: LIMITS.orderbooksMax,
  socketMarkets: LIMITS.socketMarketsMax,
}

/** What is the same for every exchange of this version. */
const FIXED = {
  prices: {
    tick: 1 / PRICE_ONE_TICKS,
    min: 1 / PRICE_ONE_TICKS,
    max: (PRICE_ONE_TICKS - 1) / PRICE_ONE_TICKS,
  },
  sizes: { decimals: SHARE_DECIMALS, stepRaw: SIZE_STEP_RAW, maxRaw: LIMITS.orderSizeRawMax },
  orderTypes: ORDER_TYPES,
  stpPolicies: STP_POLICIES,
  fees: RANKS.map(({ name, feeRateBps }) => ({ rank: name, feeRateBps })),
  bounds: BOUNDS,
}

function ratesView(rates: Rates | undefined) {
  if (rates === undefined) return []
  const shown = RATE_CLASSES.filter((rateClass) => rateClass !== 'admin')
  return shown.map((rateClass) => {
    const { perSecond, burst }: Rate = rates[rateClass]
    return { lane: rateClass, perSecond, burst }
  })
}

export const exchangeInfo = route({
  method: 'GET',
  path: '/exchange-info',
  auth: open(),
  rateClass: 'public',
  cache: cached(REVALIDATE),
  about: 'What a trading program needs before its first order: ticks, sizes, fees, limits.',
  reply: object({
    version: means(text(), 'Version of the exchange.'),
    chain: means(chain(), 'What orders are signed for.'),
    headerPrefixes: means(list(text()), 'Words before the names of the headers of signed calls.'),
    prices: means(prices(), 'Which prices an order may have.'),
    sizes: means(sizes(), 'Which sizes an order may have.'),
    orderTypes: means(list(text()), 'Types that an order may have.'),
    stpPolicies: means(list(text()), 'What an order may do when it meets its own profile.'),
    fees: means(list(fee()), 'Fee rates by rank; a profile may have a lower rate of its own.'),
    bounds: means(bounds(), 'How many and how long.'),
    rateLimits: means(rateLimits(), 'How often, by address and by profile.'),
    blockMs: means(nullable(integer(0)), 'Least time from one block of trades to the next.'),
  }),
  means: 'The rules of this exchange; they stay until it starts again.',
  example: {
    reply: {
      version: '0.1.0',
      chain: {
        chainId: 8453,
        domainName: 'Limitless CTF Exchange',
        domainVersion: CHAIN_VERSION,
        exchange: '0x05c748E2f4DcDe0ec9Fa8DDc40DE6b867f923fa5',
        collateral: {
          address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
          decimals: 6,
          symbol: 'USDC',
        },
      },
      headerPrefixes: ['svc-', 'lmts-'],
      ...FIXED,
      rateLimits: { address: [{ lane: 'public', perSecond: 2000, burst: 4000 }], profile: [] },
      blockMs: 250,
    },
  },
  handle: (_input, { settings }: SystemServices) => ({
    version: settings.version,
    chain: {
      chainId: settings.chainId,
      domainName: settings.domainName,
      domainVersion: CHAIN_VERSION,
      exchange: settings.exchangeAddress,
      collateral: settings.collateral,
    },
    headerPrefixes: settings.headerPrefixes,
    ...FIXED,
    rateLimits: {
      address: ratesView(settings.rates?.address),
      profile: ratesView(settings.rates?.profile),
    },
    blockMs: settings.blockMs,
  }),
})

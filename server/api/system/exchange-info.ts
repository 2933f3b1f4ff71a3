// The settings that a trading program reads before its first order. They change only at a start.

import { buyFeeSharesRaw, sellFeeCollateralRaw } from '../../../engine/core/money/taker-fee.ts'
import type { FilterAge } from '../../../engine/core/orders/seen-filters.ts'
import type { Seq } from '../../../engine/domain/ids.ts'
import { LIMITS } from '../../../engine/domain/limits.ts'
import { ORDER_TYPES, SIDE, STP_POLICIES } from '../../../engine/domain/order.ts'
import { costCeilRaw, PRICE_ONE_TICKS, SIZE_STEP_RAW } from '../../../engine/domain/units.ts'
import { open } from '../../auth/auth-scheme.ts'
import { RATE_CLASSES, type Rate, type Rates } from '../../edge/http/access/rate-limit.ts'
import { cached, REVALIDATE } from '../../edge/http/caching/cache.ts'
import { bytes, fresh } from '../../edge/http/reply.ts'
import { route } from '../../edge/http/route.ts'
import { address, isoTime, uint256Text } from '../../edge/http/schema/fields.ts'
import { integer, means, nullable, number, oneOf, text } from '../../edge/http/schema/scalars.ts'
import { list, object, optional } from '../../edge/http/schema/schema.ts'
import { paidFeeBps } from '../../exchange/order-entry/order-reply.ts'
import { RANKS } from '../accounts/profile-fields.ts'
import type { SystemServices } from './services.ts'

const chain = () =>
  object({
    chainId: means(integer(1), 'Id of the chain, in the EIP-712 domain of orders.'),
    domainName: means(text(), 'Name in that domain.'),
    domainVersion: means(text(), 'Version in that domain.'),
    exchange: means(address(), 'Contract of markets without their own: its verifyingContract.'),
    collateral: means(
      object({
        address: means(address(), 'Contract of the token.'),
        decimals: means(integer(0), 'Number of decimal digits of the token.'),
        symbol: means(text(), 'Symbol of the token.'),
      }),
      'Token that pays shares.',
    ),
    conditionalTokens: means(
      optional(address()),
      'Contract that holds shares; absent unless trades settle on an EVM chain, and until it ' +
        'has answered.',
    ),
    confirmations: means(
      optional(integer(1)),
      'Blocks that make a transaction final; absent unless trades settle on an EVM chain.',
    ),
    explorerUrl: means(
      optional(text()),
      'A block explorer of that chain, with a page for each transaction at /tx/ and its hash.',
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
    decimals: means(integer(0), 'Number of decimal digits of a share.'),
    stepRaw: means(integer(1), 'The size of a limit order is a multiple of it, in raw shares.'),
    maxRaw: means(integer(1), 'Maximum size of an order, and maximum spend of a market buy.'),
  })

const fee = () =>
  object({
    rank: means(text(), 'Name of a rank.'),
    feeRateBps: means(integer(0), 'Fee rate of takers of this rank, in basis points.'),
  })

const bounds = () =>
  object({
    openOrders: means(integer(1), 'Maximum live orders of one profile.'),
    batchOrders: means(integer(1), 'Maximum orders in one batch.'),
    batchReplaces: means(integer(1), 'Maximum replacements in one call.'),
    batchCancelIds: means(integer(1), 'Maximum ids in one batch cancel.'),
    statusItems: means(integer(1), 'Maximum orders in one status request.'),
    clientOrderIdCharacters: means(integer(1), 'Maximum characters of a client order id.'),
    recvWindowMs: means(integer(1), 'Maximum receive window.'),
    signatureSkewMs: means(integer(1), 'Maximum clock difference of a signed call.'),
    heartbeatAheadMs: means(integer(1), 'Minimum time until a heartbeat deadline.'),
    bodyBytes: means(integer(1), 'Maximum length of a request body.'),
    orderbooks: means(integer(1), 'Maximum books in one reply.'),
    socketMarkets: means(integer(1), 'Maximum markets in one socket subscription.'),
  })

const rate = () =>
  object({
    lane: means(text(), 'Rate class of the calls, as in the table of routes.'),
    perSecond: means(number(0), 'Average calls per second.'),
    burst: means(number(0), 'Maximum calls at once.'),
  })

const rateLimits = () =>
  object({
    address: means(list(rate()), 'Rates per address; empty without limits.'),
    profile: means(list(rate()), 'Rates per profile; empty without limits.'),
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

const orderMemory = () =>
  object({
    days: means(
      integer(1),
      'Days for which the hash and the client id of an order stay taken, unless memory is full ' +
        'earlier. Those of a live order always do.',
    ),
    since: means(
      nullable(isoTime()),
      'Orders that were placed before and have ended may be repeated; null if none may.',
    ),
  })

/** The fields that are the same for every exchange of this version. */
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

type Settings = SystemServices['settings']

interface EncodedInfo {
  readonly oldestSeq: Seq
  readonly conditionalTokens: string | null
  readonly text: Buffer
}

/** The encoded reply of an exchange. */
const infos = new WeakMap<Settings, EncodedInfo>()

function infoOf(
  settings: Settings,
  { firstSeq, startMs }: FilterAge,
  conditionalTokens: string | null,
): Buffer {
  const known = infos.get(settings)
  const isSame = known?.oldestSeq === firstSeq && known.conditionalTokens === conditionalTokens
  if (isSame) return known.text
  const info = {
    version: settings.version,
    chain: {
      chainId: settings.chainId,
      domainName: settings.domainName,
      domainVersion: CHAIN_VERSION,
      exchange: settings.exchangeAddress,
      collateral: settings.collateral,
      conditionalTokens: conditionalTokens ?? undefined,
      confirmations: settings.confirmations,
      explorerUrl: settings.explorerUrl,
    },
    headerPrefixes: settings.headerPrefixes,
    ...FIXED,
    rateLimits: {
      address: ratesView(settings.rates?.address),
      profile: ratesView(settings.rates?.profile),
    },
    blockMs: settings.blockMs,
    orderMemory: {
      days: settings.orderMemoryDays,
      since: firstSeq === 1 ? null : new Date(startMs).toISOString(),
    },
  }
  const text = Buffer.from(JSON.stringify(info))
  infos.set(settings, { oldestSeq: firstSeq, conditionalTokens, text })
  return text
}

export const exchangeInfo = route({
  method: 'GET',
  path: '/exchange-info',
  auth: open(),
  rateClass: 'public',
  cache: cached(REVALIDATE),
  about: 'Returns the settings for trading programs: ticks, sizes, fees, limits.',
  reply: object({
    version: means(text(), 'Version of the exchange.'),
    chain: means(chain(), 'The chain, and the signing parameters of orders.'),
    headerPrefixes: means(list(text()), 'Prefixes of the header names of signed calls.'),
    prices: means(prices(), 'Allowed prices of an order.'),
    sizes: means(sizes(), 'Allowed sizes of an order.'),
    orderTypes: means(list(text()), 'Allowed order types.'),
    stpPolicies: means(list(text()), 'Policies for orders that would match the same profile.'),
    fees: means(list(fee()), 'Fee rates by rank; a profile may have a lower individual rate.'),
    bounds: means(bounds(), 'Limits of counts and lengths.'),
    rateLimits: means(rateLimits(), 'Rate limits by address and by profile.'),
    blockMs: means(nullable(integer(0)), 'Minimum time between two blocks of trades.'),
    orderMemory: means(orderMemory(), 'For how long an order cannot be repeated.'),
  }),
  means:
    'The rules of this exchange. They stay the same until it restarts, except for ' +
    '`orderMemory.since`, and for `chain.conditionalTokens` until it is there.',
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
      orderMemory: { days: 30, since: null },
    },
  },
  handle: (_input, { settings, pipeline, remembered }: SystemServices) => {
    const conditionalTokens = pipeline.mining?.port.conditionalTokens ?? null
    const isWhole = conditionalTokens !== null || !settings.isOnChain
    const untilMs = isWhole ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY
    const freshness = pipeline.published.versions.ofOrderMemory(untilMs)
    return fresh(infoOf(settings, remembered.oldest, conditionalTokens), freshness)
  },
})

// The fees of takers and makers, with example trades (rules §3). They change only with a version.

const MAKER_FEE_BPS = 0
const EXAMPLE_RATE_BPS = RANKS[0].feeRateBps
const EXAMPLE_SHARES_RAW = 100_000_000
const EXAMPLE_TICKS = [1, 100, 250, 500, 600, 750, 900, 999]

const TAKER_FEE = {
  buy: 'floor(b * min(c, n - c) * n / (c * 10000))',
  sell: 'floor(b * min(c, n - c) / 10000)',
  where:
    'b is the fee rate in basis points; n is the raw shares and c the raw collateral of all fills' +
    ' of the taker order together',
}

/** The fee of an example trade, computed by the functions that charge it. */
function worked(side: 'BUY' | 'SELL', ticks: number) {
  const collateralRaw = costCeilRaw(ticks, EXAMPLE_SHARES_RAW)
  const isBuy = side === 'BUY'
  const feeOf = isBuy ? buyFeeSharesRaw : sellFeeCollateralRaw
  const feeRaw = feeOf(EXAMPLE_RATE_BPS, collateralRaw, EXAMPLE_SHARES_RAW)
  const fills = {
    filledSharesRaw: EXAMPLE_SHARES_RAW,
    filledCollateralRaw: collateralRaw,
    feeRaw,
  }
  return {
    side,
    price: ticks / PRICE_ONE_TICKS,
    shares: String(EXAMPLE_SHARES_RAW),
    collateral: String(collateralRaw),
    feeRateBps: EXAMPLE_RATE_BPS,
    ...(isBuy ? { feeContracts: String(feeRaw) } : { feeCollateral: String(feeRaw) }),
    effectiveFeeBps: paidFeeBps(SIDE[side], fills),
  }
}

const SCHEDULE = {
  ranks: RANKS,
  takerFee: TAKER_FEE,
  makerFeeBps: MAKER_FEE_BPS,
  examples: (['BUY', 'SELL'] as const).flatMap((side) =>
    EXAMPLE_TICKS.map((ticks) => worked(side, ticks)),
  ),
}
const SCHEDULE_BYTES = Buffer.from(JSON.stringify(SCHEDULE))

const rank = () =>
  object({
    id: means(integer(1), 'Id of the rank, 1 for the lowest.'),
    name: means(text(), 'Name of the rank.'),
    feeRateBps: means(integer(0), 'Rate that a taker of this rank signs, in basis points.'),
  })

const takerFee = () =>
  object({
    buy: means(text(), 'Fee of a buy in raw shares, taken from the shares bought.'),
    sell: means(text(), 'Fee of a sell in raw collateral, taken from the proceeds.'),
    where: means(text(), 'Meaning of the letters of both formulas.'),
  })

const example = () =>
  object({
    side: means(oneOf('BUY', 'SELL'), 'Whether the taker buys or sells.'),
    price: means(number(0, 1), 'Average price of its fills, including price improvement.'),
    shares: means(uint256Text(), 'Raw shares traded.'),
    collateral: means(uint256Text(), 'Raw collateral traded.'),
    feeRateBps: means(integer(0), 'Signed rate, in basis points.'),
    feeContracts: means(optional(uint256Text()), 'Fee of a buy in raw shares; absent for a sell.'),
    feeCollateral: means(
      optional(uint256Text()),
      'Fee of a sell in raw collateral; absent for a buy.',
    ),
    effectiveFeeBps: means(
      integer(0),
      'Fee in basis points of the amount received, rounded half up.',
    ),
  })

export const fees = route({
  method: 'GET',
  path: '/fees',
  auth: open(),
  rateClass: 'public',
  cache: cached(REVALIDATE),
  about: 'Returns the fee schedule: the rates of all ranks, the fee formula, and example trades.',
  reply: object({
    ranks: means(list(rank()), 'All ranks; a profile may have a lower individual rate.'),
    takerFee: means(takerFee(), 'Formula of the taker fee, computed once for the whole trade.'),
    makerFeeBps: means(integer(0), 'Maker fee in basis points, whatever rate it signed.'),
    examples: means(list(example()), 'Example taker trades with the charged fees.'),
  }),
  means: 'The schedule for markets with fees; the others charge none.',
  example: { reply: SCHEDULE },
  handle: (_input, _services: SystemServices) => bytes(SCHEDULE_BYTES),
})

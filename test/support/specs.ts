// Plain profiles and markets for tests and benches; a test names only what it changes.

import type { PlaceRequest } from '../../engine/core/decide/decide.ts'
import type { Market } from '../../engine/core/markets/catalogue.ts'
import type { PlaceOrder, ProfileFields } from '../../engine/domain/command.ts'
import type { TokenNo } from '../../engine/domain/ids.ts'
import type { MarketSpec } from '../../engine/domain/markets/market.ts'
import type { SeriesSpec } from '../../engine/domain/markets/series.ts'

export function profileFields(
  account: number,
  changes: Partial<ProfileFields> = {},
): ProfileFields {
  return {
    account: `0x${account.toString(16).padStart(40, '0')}`,
    username: null,
    displayName: `Trader ${account}`,
    client: 'eoa',
    smartWallet: null,
    rank: { id: 1, name: 'Bronze', feeRateBps: 300 },
    feeCapBps: null,
    scopes: ['trading'],
    ...changes,
  }
}

export function marketSpec(marketId: number, changes: Partial<MarketSpec> = {}): MarketSpec {
  return {
    slug: `market-${marketId}`,
    title: `Market ${marketId}`,
    description: '',
    deadlineMs: null,
    feeEnabled: false,
    categories: [],
    tags: [],
    conditionId: `0x${marketId.toString(16).padStart(64, '0')}`,
    yesTokenId: String(marketId * 2),
    noTokenId: String(marketId * 2 + 1),
    exchangeAddress: '0x05c748E2f4DcDe0ec9Fa8DDc40DE6b867f923fa5',
    adapterAddress: null,
    minSizeRaw: 0,
    maxSpread: 0.03,
    ...changes,
  }
}

/** A market as the catalogue of the core has it, funded and without a trade. */
export function marketOf(marketId: number, changes: Partial<Market> = {}): Market {
  const createdMs = 1_800_000_000_000
  return {
    ...marketSpec(marketId),
    marketId,
    createdMs,
    takerDelayMs: 0,
    updatedMs: createdMs,
    status: 'FUNDED',
    book: marketId,
    conditionRaw: 0,
    shortRaw: 0,
    rowCount: 0,
    lastTradeSeq: 0,
    isPaidOut: false,
    redeemAtMs: 0,
    strikeE8: 0,
    closeE8: 0,
    isFailed: false,
    payoutNumerators: null,
    volume: { raw: 0, carries: 0 },
    lastYesTicks: 0,
    markYesTicks: 0,
    openSizeRaw: 0,
    ...changes,
  }
}

/** BTC in slots of five minutes. */
export function seriesSpec(changes: Partial<SeriesSpec> = {}): SeriesSpec {
  return {
    symbol: 'BTC',
    frequency: 'minutely',
    subFrequency: 'minutes_5',
    stableSlug: 'btc-5min-price',
    slugPrefix: 'btc-5m',
    assetName: 'Bitcoin',
    assetType: 'crypto',
    slotsAhead: 2,
    title: 'Bitcoin up or down',
    description: '',
    categories: ['Crypto'],
    tags: [],
    feeEnabled: false,
    exchangeAddress: '0x05c748E2f4DcDe0ec9Fa8DDc40DE6b867f923fa5',
    minSizeRaw: 0,
    maxSpread: 0.03,
    ...changes,
  }
}

/** A request that passes every gate of its caller: own order, own signature, no receive window. */
export function ownRequest(order: PlaceOrder, tokenNo: TokenNo): PlaceRequest {
  return {
    order,
    tokenNo,
    ownerId: order.accountId,
    signerIsCaller: true,
    makerIsCaller: true,
    signatureOk: true,
    signedFeeBps: 0,
    timestampMs: 0,
    recvWindowMs: 0,
    wallMs: 0,
  }
}

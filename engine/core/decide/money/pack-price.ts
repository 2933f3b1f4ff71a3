// Prices packs and finds all their issues (rules §8.2 to §8.4). It reads the books passed by its
// caller, free balances, and state that main alone changes (invariant 2 of design §1).

import { HOUSE_ACCOUNT, type MarketId, type ProfileId } from '../../../domain/ids.ts'
import { kindOf } from '../../../domain/markets/market.ts'
import type { PackLeg } from '../../../domain/packs/pack-command.ts'
import { PACK_LIMITS } from '../../../domain/packs/pack-limits.ts'
import { dayOf } from '../../../domain/rewards/reward-time.ts'
import type { CollateralRaw, PriceTicks, TimeMs } from '../../../domain/units.ts'
import type { Clearing } from '../../clearing.ts'
import type { Market } from '../../markets/catalogue.ts'
import type { RiskyPack } from '../../packs/house-risk.ts'
import {
  type AskLevel,
  holdsNear,
  type LegBook,
  type LegPrice,
  legPrice,
  type Multipliers,
  multipliersOf,
  payoutRaw,
  windowOf,
} from '../../packs/pack-odds.ts'
import { areCorrelated } from './pack-ties.ts'

const { legsMin, legsMax, stakeMinRaw, priceMinTicks, priceMaxTicks } = PACK_LIMITS

/** Possible issues of a pack, in the order of the rules. */
export const PACK_REASONS = [
  'TOO_FEW_LEGS',
  'TOO_MANY_LEGS',
  'STAKE_TOO_LOW',
  'STAKE_TOO_HIGH',
  'DUPLICATE_MARKET',
  'CORRELATED_LEGS',
  'MARKET_NOT_FOUND',
  'MARKET_NOT_ACTIVE',
  'MARKET_NOT_ELIGIBLE',
  'NO_LIQUIDITY',
  'LEG_PRICE_TOO_LOW',
  'LEG_PRICE_TOO_HIGH',
  'INSUFFICIENT_DEPTH',
  'MULTIPLIER_TOO_HIGH',
  'MULTIPLIER_TOO_LOW',
  'HOUSE_CAPACITY',
  'INSUFFICIENT_BALANCE',
  'TRADING_RESTRICTED',
] as const
export type PackReason = (typeof PACK_REASONS)[number]

export interface PackIssue {
  readonly code: PackReason
  /** The leg concerned, from 0; absent for an issue of the whole pack. */
  readonly legIndex?: number
}

/** A leg of a request. */
export interface LegToPrice {
  /** Undefined for an unknown market. A finished market may be archived. */
  readonly marketId: MarketId | undefined
  readonly outcome: number
  /** The asks of its token in the public book, best first. They price the legs of an offer. */
  readonly asks: readonly AskLevel[]
  /**
   * Prices a leg against the house: orders of others that rested long enough, less what earlier
   * packs used.
   */
  readonly rested: LegBook
}

export interface PackQuoteRequest {
  readonly stakeRaw: CollateralRaw
  readonly legs: readonly LegToPrice[]
  /** The maker's payout for the stake; null for a pack against the house, which the books price. */
  readonly offeredRaw: CollateralRaw | null
  /** The owner of the stake; null if unknown. */
  readonly ownerId: ProfileId | null
  /** Whether the stake is paid now, so that the owner's balance is checked. */
  readonly isPaid: boolean
  /** How long before its market's deadline a leg closes. */
  readonly closeMs: number
}

export interface PricedLeg extends LegPrice {
  readonly marketId: MarketId | undefined
  readonly outcome: number
  /** The best usable ask; null if none is within the limits. */
  readonly bookTicks: PriceTicks | null
}

export interface PricedPack {
  readonly issues: readonly PackIssue[]
  readonly legs: readonly PricedLeg[]
  /** 0 while a leg has no price. */
  readonly payoutRaw: CollateralRaw
  readonly multipliers: Multipliers | null
  readonly stakeMaxRaw: CollateralRaw
}

/** Prices a pack and lists all its issues. */
export function pricePack(
  clearing: Clearing,
  request: PackQuoteRequest,
  nowMs: TimeMs,
): PricedPack {
  const { legs: requested, stakeRaw, offeredRaw } = request
  const markets = requested.map(({ marketId }) => {
    return marketId === undefined ? undefined : clearing.catalogue.byId(marketId)
  })
  const isOffer = offeredRaw !== null
  const windows = requested.map(({ asks, rested }) => {
    // The house does not sell at a price of a one-sided book.
    if (!isOffer && rested.bids.length === 0) return []
    return windowOf(isOffer ? asks : rested.asks)
  })
  const books = windows.map((window) => window.at(0)?.ticks ?? null)
  const isPriced = books.length > 0 && books.every((ticks) => ticks !== null)
  // Each share pays one raw unit of collateral.
  const needRaw: number = isPriced ? payoutRaw(stakeRaw, books) : 0
  const legs = requested.map(({ marketId, outcome, rested }, at) => {
    const priced = legPrice(windows[at], needRaw)
    const bookTicks = books[at]
    const isDeep = priced.isDeep && (isOffer || holdsNear(rested.bids, bookTicks, needRaw))
    return { marketId, outcome, bookTicks, ...priced, isDeep }
  })
  const prices = legs.map(({ priceTicks }) => priceTicks)
  const priced = {
    legs,
    payoutRaw: isPriced ? payoutRaw(stakeRaw, prices) : 0,
    multipliers: isPriced ? multipliersOf(prices) : null,
    stakeMaxRaw: isOffer ? PACK_LIMITS.offerStakeMaxRaw : PACK_LIMITS.stakeMaxRaw,
  }
  const issues = [
    ...sizeIssues(requested.length, stakeRaw, priced.stakeMaxRaw),
    ...marketIssues(clearing, requested, markets, nowMs + request.closeMs),
    ...legs.flatMap((leg, legIndex) => legIssues(leg, request, legIndex)),
    ...moneyIssues(clearing, request, priced, nowMs),
  ]
  return { ...priced, issues: inOrder(issues) }
}

function inOrder(issues: readonly PackIssue[]): PackIssue[] {
  const placeOf = ({ code }: PackIssue) => PACK_REASONS.indexOf(code)
  const legOf = ({ legIndex = -1 }: PackIssue) => legIndex
  return [...issues].sort((a, b) => placeOf(a) - placeOf(b) || legOf(a) - legOf(b))
}

function sizeIssues(legs: number, stakeRaw: CollateralRaw, maxRaw: CollateralRaw): PackIssue[] {
  return [
    ...(legs < legsMin ? [{ code: 'TOO_FEW_LEGS' as const }] : []),
    ...(legs > legsMax ? [{ code: 'TOO_MANY_LEGS' as const }] : []),
    ...(stakeRaw < stakeMinRaw ? [{ code: 'STAKE_TOO_LOW' as const }] : []),
    ...(stakeRaw > maxRaw ? [{ code: 'STAKE_TOO_HIGH' as const }] : []),
  ]
}

/** `untilMs` is the earliest time until which a market must be open. */
export function marketIssues(
  clearing: Clearing,
  requested: readonly Pick<LegToPrice, 'marketId'>[],
  markets: readonly (Market | undefined)[],
  untilMs: TimeMs,
): PackIssue[] {
  return markets.flatMap((market, legIndex): PackIssue[] => {
    const { marketId } = requested[legIndex]
    if (marketId === undefined) return [{ code: 'MARKET_NOT_FOUND', legIndex }]
    const isTwice = requested.slice(0, legIndex).some((each) => each.marketId === marketId)
    const twice = isTwice ? [{ code: 'DUPLICATE_MARKET' as const, legIndex }] : []
    // Only a finished market is archived.
    if (market === undefined) return [...twice, { code: 'MARKET_NOT_ACTIVE', legIndex }]
    const before = markets.slice(0, legIndex).filter((each) => each !== undefined)
    const isTied = before.some((each) => areCorrelated(clearing, each, market))
    return [
      ...twice,
      ...(isTied && !isTwice ? [{ code: 'CORRELATED_LEGS' as const, legIndex }] : []),
      ...(isActive(market, untilMs) ? [] : [{ code: 'MARKET_NOT_ACTIVE' as const, legIndex }]),
      ...(takesPacks(market) ? [] : [{ code: 'MARKET_NOT_ELIGIBLE' as const, legIndex }]),
    ]
  })
}

export function isActive({ status, deadlineMs, isFailed }: Market, untilMs: TimeMs): boolean {
  if (isFailed || (deadlineMs !== null && untilMs >= deadlineMs)) return false
  return status === 'CREATED' || status === 'FUNDED'
}

/**
 * Whether packs may contain the market: it has a book and no taker delay. With a delay, a pack
 * would take immediately the price that others wait for.
 */
export function takesPacks(market: Market): boolean {
  return kindOf(market) === 'clob' && (market.takerDelayMs ?? 0) === 0
}

function legIssues(
  { marketId, bookTicks, isDeep }: PricedLeg,
  { legs, offeredRaw }: PackQuoteRequest,
  legIndex: number,
): PackIssue[] {
  const { asks } = legs[legIndex]
  if (marketId === undefined) return []
  // The maker sets the payout, so the depth of the book does not matter.
  const isEnough = isDeep || offeredRaw !== null
  if (bookTicks !== null) return isEnough ? [] : [{ code: 'INSUFFICIENT_DEPTH', legIndex }]
  return [
    { code: 'NO_LIQUIDITY', legIndex },
    ...(asks.some(({ ticks }) => ticks < priceMinTicks)
      ? [{ code: 'LEG_PRICE_TOO_LOW' as const, legIndex }]
      : []),
    ...(asks.some(({ ticks }) => ticks > priceMaxTicks)
      ? [{ code: 'LEG_PRICE_TOO_HIGH' as const, legIndex }]
      : []),
  ]
}

/** Whether the house accepts the pack. Legs without a market are ignored. */
export function houseTakes(
  { ledger, packs: { houseRisk, houseDay } }: Clearing,
  pack: Pick<RiskyPack, 'ownerId' | 'stakeRaw' | 'payoutRaw'>,
  priced: readonly PricedLeg[],
  nowMs: TimeMs,
): boolean {
  const freeRaw = ledger.freeRaw(HOUSE_ACCOUNT)
  const day = dayOf(nowMs)
  const lossRaw = houseDay.lossRaw(day) + pack.payoutRaw - pack.stakeRaw
  if (lossRaw > houseDay.boundRaw(day, freeRaw + houseRisk.totalRaw)) return false
  return houseRisk.takes({ ...pack, legs: journaled(priced) }, freeRaw)
}

function moneyIssues(
  clearing: Clearing,
  { stakeRaw, ownerId, isPaid, offeredRaw }: PackQuoteRequest,
  { multipliers, payoutRaw: paysRaw, legs }: Omit<PricedPack, 'issues'>,
  nowMs: TimeMs,
): PackIssue[] {
  const { ledger, modes } = clearing
  const isPricedByHouse = offeredRaw === null && multipliers !== null
  const isTooHigh = isPricedByHouse
    ? multipliers.isTooHigh
    : offeredRaw !== null && offeredRaw > stakeRaw * PACK_LIMITS.multiplierMax
  const isTooLow = isPricedByHouse && multipliers.isTooLow
  const requested = { ownerId, stakeRaw, payoutRaw: paysRaw }
  const lacksHouse = isPricedByHouse && !houseTakes(clearing, requested, legs, nowMs)
  const lacksStake = isPaid && ownerId !== null && ledger.freeRaw(ownerId) < stakeRaw
  const isRestricted = modes.count > 0 && modes.orderReject(false, nowMs) !== null
  return [
    ...(isTooHigh ? [{ code: 'MULTIPLIER_TOO_HIGH' as const }] : []),
    ...(isTooLow ? [{ code: 'MULTIPLIER_TOO_LOW' as const }] : []),
    ...(lacksHouse ? [{ code: 'HOUSE_CAPACITY' as const }] : []),
    ...(lacksStake ? [{ code: 'INSUFFICIENT_BALANCE' as const }] : []),
    ...(isRestricted ? [{ code: 'TRADING_RESTRICTED' as const }] : []),
  ]
}

/** The legs with an existing market, as stored in the journal. */
export function journaled(legs: readonly PricedLeg[]): PackLeg[] {
  return legs.flatMap(({ marketId, outcome, priceTicks }) =>
    marketId === undefined ? [] : [{ marketId, outcome, priceTicks }],
  )
}

// Gates of the commands on packs (rules §8.4). A quote names everything that is wrong with a pack
// at once. The gates read the books that their caller gives them, free balances, and what main
// alone changes (law 2).

import { HOUSE_ACCOUNT, type MarketId, type ProfileId, type Seq } from '../../../domain/ids.ts'
import { kindOf } from '../../../domain/markets/market.ts'
import type { CallOnce } from '../../../domain/moves/call-once.ts'
import type { PackBody, PackLeg } from '../../../domain/packs/pack-command.ts'
import { PACK_LIMITS } from '../../../domain/packs/pack-limits.ts'
import { REJECT, type Reject } from '../../../domain/reject-precedence.ts'
import { dayOf } from '../../../domain/rewards/reward-time.ts'
import { SHARED_TABLES } from '../../../domain/shared-tables.ts'
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
import { decideCall } from './moves.ts'
import { areCorrelated } from './pack-ties.ts'

const { legsMin, legsMax, stakeMinRaw, priceMinTicks, priceMaxTicks } = PACK_LIMITS

/** What can be wrong with a pack, in the order of the rules. */
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
  /** Of the leg that it is about, from 0; absent for the pack as a whole. */
  readonly legIndex?: number
}

/** A leg that a call names. */
export interface AskedLeg {
  /** Undefined when there is no such market; a market that is over may have left memory. */
  readonly marketId: MarketId | undefined
  readonly outcome: number
  /** The asks of its token in the public book, best first. They price a leg of an offer. */
  readonly asks: readonly AskLevel[]
  /**
   * What prices a leg of the house: orders of others that have rested long enough, less what priced
   * packs before.
   */
  readonly rested: LegBook
}

export interface PackAsk {
  readonly stakeRaw: CollateralRaw
  readonly legs: readonly AskedLeg[]
  /** What a maker pays for the stake; null for a pack of the house, which the books price. */
  readonly offeredRaw: CollateralRaw | null
  /** Who stakes; null when that is not known. */
  readonly ownerId: ProfileId | null
  /** Whether the stake is paid now, so that the balance of its owner counts. */
  readonly isPaid: boolean
  /** How long before the deadline of its market a leg closes. */
  readonly closeMs: number
}

export interface PricedLeg extends LegPrice {
  readonly marketId: MarketId | undefined
  readonly outcome: number
  /** The best usable ask; null when none is in the range. */
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

/** Prices a pack, and names all that is wrong with it. */
export function pricePack(clearing: Clearing, ask: PackAsk, nowMs: TimeMs): PricedPack {
  const { legs: asked, stakeRaw, offeredRaw } = ask
  const markets = asked.map(({ marketId }) => {
    return marketId === undefined ? undefined : clearing.catalogue.byId(marketId)
  })
  const isOffer = offeredRaw !== null
  const windows = asked.map(({ asks, rested }) => {
    // A book with one side has no price that the house sells at.
    if (!isOffer && rested.bids.length === 0) return []
    return windowOf(isOffer ? asks : rested.asks)
  })
  const books = windows.map((window) => window.at(0)?.ticks ?? null)
  const isPriced = books.length > 0 && books.every((ticks) => ticks !== null)
  // Each share pays one raw unit of collateral.
  const needRaw: number = isPriced ? payoutRaw(stakeRaw, books) : 0
  const legs = asked.map(({ marketId, outcome, rested }, at) => {
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
    ...sizeIssues(asked.length, stakeRaw, priced.stakeMaxRaw),
    ...marketIssues(clearing, asked, markets, nowMs + ask.closeMs),
    ...legs.flatMap((leg, legIndex) => legIssues(leg, ask, legIndex)),
    ...moneyIssues(clearing, ask, priced, nowMs),
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

/** `untilMs` is how long a market must be open at least. */
export function marketIssues(
  clearing: Clearing,
  asked: readonly Pick<AskedLeg, 'marketId'>[],
  markets: readonly (Market | undefined)[],
  untilMs: TimeMs,
): PackIssue[] {
  return markets.flatMap((market, legIndex): PackIssue[] => {
    const { marketId } = asked[legIndex]
    if (marketId === undefined) return [{ code: 'MARKET_NOT_FOUND', legIndex }]
    const isTwice = asked.slice(0, legIndex).some((each) => each.marketId === marketId)
    const twice = isTwice ? [{ code: 'DUPLICATE_MARKET' as const, legIndex }] : []
    // Only a market that is over leaves memory.
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

function isActive({ status, deadlineMs, isFailed }: Market, untilMs: TimeMs): boolean {
  if (isFailed || (deadlineMs !== null && untilMs >= deadlineMs)) return false
  return status === 'CREATED' || status === 'FUNDED'
}

/**
 * Whether packs may ever have a leg of the market: it has a book, and does not delay takers. A pack
 * would take the price at once for which others wait.
 */
export function takesPacks(market: Market): boolean {
  return kindOf(market) === 'clob' && (market.takerDelayMs ?? 0) === 0
}

function legIssues(
  { marketId, bookTicks, isDeep }: PricedLeg,
  { legs, offeredRaw }: PackAsk,
  legIndex: number,
): PackIssue[] {
  const { asks } = legs[legIndex]
  if (marketId === undefined) return []
  // A maker names the payout, so how much is for sale says nothing of it.
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

/** Whether the house takes the pack; legs of no market say nothing of that. */
function houseTakes(
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
  { stakeRaw, ownerId, isPaid, offeredRaw }: PackAsk,
  { multipliers, payoutRaw: paysRaw, legs }: Omit<PricedPack, 'issues'>,
  nowMs: TimeMs,
): PackIssue[] {
  const { ledger, modes } = clearing
  const isPricedByHouse = offeredRaw === null && multipliers !== null
  const isTooHigh = isPricedByHouse
    ? multipliers.isTooHigh
    : offeredRaw !== null && offeredRaw > stakeRaw * PACK_LIMITS.multiplierMax
  const isTooLow = isPricedByHouse && multipliers.isTooLow
  const asked = { ownerId, stakeRaw, payoutRaw: paysRaw }
  const lacksHouse = isPricedByHouse && !houseTakes(clearing, asked, legs, nowMs)
  const lacksStake = isPaid && ownerId !== null && ledger.freeRaw(ownerId) < stakeRaw
  const isBarred = modes.count > 0 && modes.orderRefusal(false, nowMs) !== null
  return [
    ...(isTooHigh ? [{ code: 'MULTIPLIER_TOO_HIGH' as const }] : []),
    ...(isTooLow ? [{ code: 'MULTIPLIER_TOO_LOW' as const }] : []),
    ...(lacksHouse ? [{ code: 'HOUSE_CAPACITY' as const }] : []),
    ...(lacksStake ? [{ code: 'INSUFFICIENT_BALANCE' as const }] : []),
    ...(isBarred ? [{ code: 'TRADING_RESTRICTED' as const }] : []),
  ]
}

/** The legs of markets that there are, as the journal holds them. */
export function journaled(legs: readonly PricedLeg[]): PackLeg[] {
  return legs.flatMap(({ marketId, outcome, priceTicks }) =>
    marketId === undefined ? [] : [{ marketId, outcome, priceTicks }],
  )
}

export interface Staking {
  readonly profileId: ProfileId
  readonly stakeRaw: CollateralRaw
  readonly once?: CallOnce | undefined
}

/** What a quote promised. */
export interface QuotedPack {
  readonly payoutRaw: CollateralRaw
  /** By leg: what the payout was made of. */
  readonly prices: readonly PriceTicks[]
  readonly expiresMs: TimeMs
  /** Whether a pack was made of it. */
  readonly isUsed: boolean
}

/**
 * `priced` is the pack as it stands now; `quoted` is null without a quote of this pack. The pack
 * that is made is the quoted one: a price that only its creation saw raises nothing, not even what
 * a void leg leaves.
 */
export function decidePack(
  clearing: Clearing,
  staking: Staking,
  priced: PricedPack,
  quoted: QuotedPack | null,
  nowMs: TimeMs,
): PackBody | Reject {
  const barred = decideCall(clearing, staking) ?? gatePackCount(clearing)
  if (barred !== null) return barred
  if (quoted === null) return REJECT.QUOTE_INVALID
  if (quoted.isUsed) return REJECT.QUOTE_USED
  if (quoted.expiresMs <= nowMs) return REJECT.QUOTE_EXPIRED
  if (hasMostPacks(clearing, staking.profileId)) return REJECT.PACK_LIMIT
  const { issues, payoutRaw: paysRaw } = priced
  const { profileId: ownerId, stakeRaw } = staking
  const { payoutRaw, prices } = quoted
  // A pack that would pay more by now pays what was quoted, so its price is judged by that.
  const isOver = ({ code }: PackIssue) =>
    payoutRaw <= paysRaw &&
    (code === 'MULTIPLIER_TOO_HIGH' ||
      (code === 'HOUSE_CAPACITY' &&
        houseTakes(clearing, { ownerId, stakeRaw, payoutRaw }, priced.legs, nowMs)))
  if (!issues.every(isOver)) return REJECT.PACK_NOT_ELIGIBLE
  if (paysRaw < payoutRaw) return REJECT.QUOTE_CHANGED
  const legs = journaled(priced.legs).map((leg, at) => ({ ...leg, priceTicks: prices[at] }))
  return { kind: 'createPack', ...staking, payoutRaw, legs, day: dayOf(nowMs) }
}

export function gatePackCount({ packs }: Clearing): Reject | null {
  return packs.count < PACK_LIMITS.packsMax ? null : REJECT.PACK_CAPACITY
}

/** Whether the profile has as many packs that are not over as it may have now. */
export function hasMostPacks({ packs }: Clearing, profileId: ProfileId): boolean {
  return packs.owners.boundOf(SHARED_TABLES.packs, profileId) !== null
}

interface Offering {
  readonly profileId: ProfileId
  readonly stakeMaxRaw: CollateralRaw
  readonly payoutRaw: CollateralRaw
}

/** `priced` gives the prices by which a void leg counts; its depth does not matter to a maker. */
export function decideOffer(
  clearing: Clearing,
  offering: Offering,
  priced: PricedPack,
  nowMs: TimeMs,
): PackBody | Reject {
  const { packs, ledger } = clearing
  const { profileId, stakeMaxRaw, payoutRaw: paysRaw } = offering
  const barred = decideCall(clearing, { profileId })
  if (barred !== null) return barred
  const bound = packs.makers.boundOf(SHARED_TABLES.offers, profileId)
  if (bound === 'table') return REJECT.PACK_CAPACITY
  const [freeRaw, asideRaw] = [ledger.freeRaw(profileId), paysRaw - stakeMaxRaw]
  if (freeRaw < asideRaw) return REJECT.INSUFFICIENT_COLLATERAL.short(freeRaw, asideRaw)
  if (priced.issues.length > 0) return REJECT.PACK_NOT_ELIGIBLE
  if (bound !== null) return REJECT.OFFER_LIMIT
  const expiresMs = nowMs + PACK_LIMITS.offerMs
  return { kind: 'offerPack', ...offering, expiresMs, legs: journaled(priced.legs) }
}

/** What a stake on the offer pays: its part of the payout, rounded down in favour of the maker. */
export function offeredRaw(
  offer: { readonly stakeMaxRaw: CollateralRaw; readonly payoutRaw: CollateralRaw },
  stakeRaw: CollateralRaw,
): CollateralRaw {
  return Number((BigInt(offer.payoutRaw) * BigInt(stakeRaw)) / BigInt(offer.stakeMaxRaw))
}

/** `closeMs` is how long before the deadline of its market a leg closes. */
export function decideAccept(
  clearing: Clearing,
  offerId: Seq,
  staking: Staking,
  { nowMs, closeMs }: { readonly nowMs: TimeMs; readonly closeMs: number },
): PackBody | Reject {
  const { packs, ledger, catalogue, modes, frozen } = clearing
  const { profileId, stakeRaw } = staking
  const barred = decideCall(clearing, staking)
  if (barred !== null) return barred
  const closed = modes.count === 0 ? null : modes.orderRefusal(false, nowMs)
  if (closed !== null) return closed
  const full = gatePackCount(clearing)
  if (full !== null) return full
  const freeRaw = ledger.freeRaw(profileId)
  if (freeRaw < stakeRaw) return REJECT.INSUFFICIENT_COLLATERAL.short(freeRaw, stakeRaw)
  if (hasMostPacks(clearing, profileId)) return REJECT.PACK_LIMIT
  const offer = packs.offer(offerId)
  if (offer === undefined || offer.expiresMs <= nowMs) return REJECT.OFFER_NOT_FOUND
  if (frozen.isFrozen(offer.makerId)) return REJECT.OFFER_NOT_FOUND
  if (offer.makerId === profileId) return REJECT.OWN_OFFER
  const areOpen = offer.legs.every(({ marketId }) => {
    const market = catalogue.byId(marketId)
    return market !== undefined && isActive(market, nowMs + closeMs)
  })
  if (!areOpen) return REJECT.OFFER_NOT_FOUND
  if (stakeRaw < stakeMinRaw) return REJECT.STAKE_TOO_LOW
  if (stakeRaw > offer.stakeMaxRaw) return REJECT.STAKE_TOO_HIGH
  const paysRaw = offeredRaw(offer, stakeRaw)
  // The part is rounded down, so a small part of an offer that pays little wins nothing.
  if (paysRaw <= stakeRaw) return REJECT.STAKE_TOO_LOW
  return { kind: 'acceptPackOffer', offerId, ...staking, payoutRaw: paysRaw }
}

export function decideEndOffer(
  { packs }: Clearing,
  offerId: Seq,
  makerId: ProfileId,
): PackBody | Reject {
  const offer = packs.offer(offerId)
  if (offer === undefined || offer.makerId !== makerId) return REJECT.OFFER_NOT_FOUND
  return { kind: 'endPackOffers', offerIds: [offerId] }
}

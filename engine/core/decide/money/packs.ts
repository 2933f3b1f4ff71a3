// Gates of the commands on packs (rules §8.4). A quote names everything that is wrong with a pack
// at once. The gates read the public books that their caller gives them, free balances, and what
// main alone changes (law 2).

import { HOUSE_ACCOUNT, type MarketId, type ProfileId, type Seq } from '../../../domain/ids.ts'
import { kindOf } from '../../../domain/markets/market.ts'
import { slotMsOf } from '../../../domain/markets/series.ts'
import type { CallOnce } from '../../../domain/moves/call-once.ts'
import type { PackBody, PackLeg } from '../../../domain/packs/pack-command.ts'
import { PACK_LIMITS } from '../../../domain/packs/pack-limits.ts'
import { REJECT, type Reject } from '../../../domain/reject-precedence.ts'
import { SHARED_TABLES } from '../../../domain/shared-tables.ts'
import type { CollateralRaw, PriceTicks, TimeMs } from '../../../domain/units.ts'
import type { Clearing } from '../../clearing.ts'
import type { Market } from '../../markets/catalogue.ts'
import type { RiskyPack } from '../../packs/house-risk.ts'
import {
  type AskLevel,
  type LegPrice,
  legPrice,
  type Multipliers,
  multipliersOf,
  payoutRaw,
  windowOf,
} from '../../packs/pack-odds.ts'
import { decideCall } from './moves.ts'

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

/** A leg that is asked for, with the asks of its token in the public book, best first. */
export interface AskedLeg {
  /** Undefined when there is no such market; a market that is over may have left memory. */
  readonly marketId: MarketId | undefined
  readonly outcome: number
  readonly asks: readonly AskLevel[]
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
  const windows = asked.map(({ asks }) => windowOf(asks))
  const books = windows.map((window) => window.at(0)?.ticks ?? null)
  const isPriced = books.length > 0 && books.every((ticks) => ticks !== null)
  // Each share pays one raw unit of collateral.
  const needRaw: number = isPriced ? payoutRaw(stakeRaw, books) : 0
  const legs = asked.map(({ marketId, outcome }, at) => {
    return { marketId, outcome, bookTicks: books[at], ...legPrice(windows[at], needRaw) }
  })
  const prices = legs.map(({ priceTicks }) => priceTicks)
  const priced = {
    legs,
    payoutRaw: isPriced ? payoutRaw(stakeRaw, prices) : 0,
    multipliers: isPriced ? multipliersOf(prices) : null,
    stakeMaxRaw: offeredRaw === null ? PACK_LIMITS.stakeMaxRaw : PACK_LIMITS.offerStakeMaxRaw,
  }
  const issues = [
    ...sizeIssues(asked.length, stakeRaw, priced.stakeMaxRaw),
    ...marketIssues(clearing, asked, markets, nowMs),
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

function marketIssues(
  clearing: Clearing,
  asked: readonly AskedLeg[],
  markets: readonly (Market | undefined)[],
  nowMs: TimeMs,
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
      ...(isActive(market, nowMs) ? [] : [{ code: 'MARKET_NOT_ACTIVE' as const, legIndex }]),
      ...(kindOf(market) === 'clob' ? [] : [{ code: 'MARKET_NOT_ELIGIBLE' as const, legIndex }]),
    ]
  })
}

function isActive({ status, deadlineMs, isFailed }: Market, nowMs: TimeMs): boolean {
  if (isFailed || (deadlineMs !== null && nowMs >= deadlineMs)) return false
  return status === 'CREATED' || status === 'FUNDED'
}

/** Whether one outcome says much of the other: same group, match, or symbol in one window. */
function areCorrelated({ series, matches }: Clearing, a: Market, b: Market): boolean {
  if (a.groupId !== undefined && a.groupId === b.groupId) return true
  const ofMatch = matches.byMarket(a.marketId)
  if (ofMatch !== undefined && matches.byMarket(b.marketId)?.slug === ofMatch.slug) return true
  if (a.slot === undefined || b.slot === undefined) return false
  const ofA = series.existing(a.slot.seriesId)
  const ofB = series.existing(b.slot.seriesId)
  const isApart =
    a.slot.startMs + slotMsOf(ofA) <= b.slot.startMs ||
    b.slot.startMs + slotMsOf(ofB) <= a.slot.startMs
  return ofA.symbol === ofB.symbol && !isApart
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
  { ledger, packs }: Clearing,
  pack: Pick<RiskyPack, 'ownerId' | 'stakeRaw' | 'payoutRaw'>,
  priced: readonly PricedLeg[],
): boolean {
  const risky = { ...pack, legs: journaled(priced) }
  return packs.houseRisk.takes(risky, ledger.freeRaw(HOUSE_ACCOUNT))
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
  const lacksHouse = isPricedByHouse && !houseTakes(clearing, asked, legs)
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
function journaled(legs: readonly PricedLeg[]): PackLeg[] {
  return legs.flatMap(({ marketId, outcome, priceTicks }) =>
    marketId === undefined ? [] : [{ marketId, outcome, priceTicks }],
  )
}

interface Staking {
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
  const barred = decideCall(clearing, staking) ?? gateRoom(clearing)
  if (barred !== null) return barred
  if (quoted === null) return REJECT.QUOTE_INVALID
  if (quoted.expiresMs <= nowMs) return REJECT.QUOTE_EXPIRED
  if (hasMost(clearing, staking.profileId)) return REJECT.PACK_LIMIT
  const { issues, payoutRaw: paysRaw } = priced
  const { profileId: ownerId, stakeRaw } = staking
  const { payoutRaw, prices } = quoted
  // A pack that would pay more by now pays what was quoted, so its price is judged by that.
  const isOver = ({ code }: PackIssue) =>
    payoutRaw <= paysRaw &&
    (code === 'MULTIPLIER_TOO_HIGH' ||
      (code === 'HOUSE_CAPACITY' &&
        houseTakes(clearing, { ownerId, stakeRaw, payoutRaw }, priced.legs)))
  if (!issues.every(isOver)) return REJECT.PACK_NOT_ELIGIBLE
  if (paysRaw < payoutRaw) return REJECT.QUOTE_CHANGED
  const legs = journaled(priced.legs).map((leg, at) => ({ ...leg, priceTicks: prices[at] }))
  return { kind: 'createPack', ...staking, payoutRaw, legs }
}

function gateRoom({ packs }: Clearing): Reject | null {
  return packs.count < PACK_LIMITS.packsMax ? null : REJECT.PACK_CAPACITY
}

/** Whether the profile has as many packs that are not over as it may have now. */
function hasMost({ packs }: Clearing, profileId: ProfileId): boolean {
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
  if (ledger.freeRaw(profileId) < paysRaw - stakeMaxRaw) return REJECT.INSUFFICIENT_COLLATERAL
  if (priced.issues.length > 0) return REJECT.PACK_NOT_ELIGIBLE
  if (bound !== null) return REJECT.OFFER_LIMIT
  const expiresMs = nowMs + PACK_LIMITS.offerMs
  return { kind: 'offerPack', ...offering, expiresMs, legs: journaled(priced.legs) }
}

/** What a stake on the offer pays: its part of the offered payout, rounded down. */
export function offeredRaw(
  offer: { readonly stakeMaxRaw: CollateralRaw; readonly payoutRaw: CollateralRaw },
  stakeRaw: CollateralRaw,
): CollateralRaw {
  return Number((BigInt(offer.payoutRaw) * BigInt(stakeRaw)) / BigInt(offer.stakeMaxRaw))
}

export function decideAccept(
  clearing: Clearing,
  offerId: Seq,
  staking: Staking,
  nowMs: TimeMs,
): PackBody | Reject {
  const { packs, ledger, catalogue, modes, frozen } = clearing
  const { profileId, stakeRaw } = staking
  const barred = decideCall(clearing, staking)
  if (barred !== null) return barred
  const closed = modes.count === 0 ? null : modes.orderRefusal(false, nowMs)
  if (closed !== null) return closed
  const full = gateRoom(clearing)
  if (full !== null) return full
  if (ledger.freeRaw(profileId) < stakeRaw) return REJECT.INSUFFICIENT_COLLATERAL
  if (hasMost(clearing, profileId)) return REJECT.PACK_LIMIT
  const offer = packs.offer(offerId)
  if (offer === undefined || offer.expiresMs <= nowMs) return REJECT.OFFER_NOT_FOUND
  if (frozen.isFrozen(offer.makerId)) return REJECT.OFFER_NOT_FOUND
  if (offer.makerId === profileId) return REJECT.OWN_OFFER
  const areOpen = offer.legs.every(({ marketId }) => {
    const market = catalogue.byId(marketId)
    return market !== undefined && isActive(market, nowMs)
  })
  if (!areOpen) return REJECT.OFFER_NOT_FOUND
  if (stakeRaw < stakeMinRaw) return REJECT.STAKE_TOO_LOW
  if (stakeRaw > offer.stakeMaxRaw) return REJECT.STAKE_TOO_HIGH
  return { kind: 'acceptPackOffer', offerId, ...staking, payoutRaw: offeredRaw(offer, stakeRaw) }
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

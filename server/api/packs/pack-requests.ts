// Pack requests and their errors (rules §8.1, §8.4).

import { PACK_REASONS, type PackIssue } from '../../../engine/core/decide/money/pack-price.ts'
import { moveHashOf } from '../../../engine/core/money/tx-hash.ts'
import { LEG_RESULTS } from '../../../engine/core/packs/packs.ts'
import type { MarketId } from '../../../engine/domain/ids.ts'
import { PACK_LIMITS } from '../../../engine/domain/packs/pack-limits.ts'
import { PACK_STATUSES } from '../../../persistence/follower/packs/packs.ts'
import type { PackPosition } from '../../../persistence/query/read/packs/curated-packs.ts'
import { paysRaw, type ShownPack } from '../../../persistence/query/read/packs/packs.ts'
import { profiles } from '../../../persistence/query/read/profiles.ts'
import {
  account,
  bytes32,
  isoTime,
  shownUsername,
  slug,
  uint256Text,
} from '../../edge/http/schema/fields.ts'
import {
  decimalText,
  exactlyOne,
  integer,
  means,
  named,
  nullable,
  number,
  oneOf,
  pattern,
  shownWith,
  text,
} from '../../edge/http/schema/scalars.ts'
import { anyOf, list, object, optional, schemaOf } from '../../edge/http/schema/schema.ts'
import { isoText } from '../../messages/iso-text.ts'
import { invalid, type Refusal, refuse } from '../../messages/refusal.ts'
import { ACCOUNT, MARKET_EXAMPLE } from '../examples.ts'
import type { Requester } from '../reads/private-reads.ts'
import type { SharedServices } from '../shared-services.ts'
import {
  legFields,
  legView,
  listedLeg,
  listedLegView,
  packIdOf,
  packUuid,
  priceOf,
  propType,
} from './pack-views.ts'
import type { RequestedLeg } from './packs.ts'
import type { PackServices } from './services.ts'

/** Legs beyond the limit of a pack are refused without a lookup, so they only cost a parse. */
const LEGS_REQUESTED_MAX = 20

/** The error of a pack with this many legs; null when it may have them. */
export function tooManyLegs(legs: readonly unknown[]): readonly PackIssue[] | null {
  return legs.length > PACK_LIMITS.legsMax ? [{ code: 'TOO_MANY_LEGS' }] : null
}
const SENTENCES = {
  TOO_FEW_LEGS: `A pack needs at least ${PACK_LIMITS.legsMin} legs; add some.`,
  TOO_MANY_LEGS: `A pack has at most ${PACK_LIMITS.legsMax} legs; remove some.`,
  STAKE_TOO_LOW: `The stake must be at least ${PACK_LIMITS.stakeMinRaw} raw units; increase it.`,
  STAKE_TOO_HIGH: 'The stake is more than maxStake; reduce it.',
  DUPLICATE_MARKET: 'Another leg is in the same market; remove one of them.',
  CORRELATED_LEGS:
    'Another leg depends on this one: same group, match, time window or symbol, or a common key. ' +
    'Choose an unrelated market.',
  MARKET_NOT_FOUND: 'Market not found; check its slug or id.',
  MARKET_NOT_ACTIVE:
    'The market is not active, or too close to its deadline for packs; choose another.',
  MARKET_NOT_ELIGIBLE: 'The market has no order book of its own, or delays takers; choose another.',
  NO_LIQUIDITY:
    'The outcome needs asks at 0.10 to 0.90 and bids, of other accounts and rested long enough; ' +
    'quote again later.',
  LEG_PRICE_TOO_LOW: 'The outcome is only sold below 0.10; choose another.',
  LEG_PRICE_TOO_HIGH: 'The outcome is only sold above 0.90; choose another.',
  INSUFFICIENT_DEPTH:
    'On one side, too few shares that priced no earlier pack rest within 0.10 of the best ask; ' +
    'stake less, or wait for new orders.',
  MULTIPLIER_TOO_HIGH: `The pack pays over ${PACK_LIMITS.multiplierMax} times its stake; drop one.`,
  MULTIPLIER_TOO_LOW: 'The pack would not pay more than its stake; add a less likely leg.',
  HOUSE_CAPACITY:
    'The payout exceeds a limit of the house: in total, today, per outcome or per profile; ' +
    'stake less.',
  INSUFFICIENT_BALANCE: 'Insufficient collateral balance; stake less.',
  TRADING_RESTRICTED: 'Trading is currently restricted; see GET /maintenance/status.',
} as const

export const stake = (what: string) =>
  means(pattern('^[1-9][0-9]{0,14}$', 'Raw units as decimal text, at least 1.'), what)

/** A quote reports all errors of any stake, including 0. */
export const quotedStake = (what: string) =>
  means(pattern('^(0|[1-9][0-9]{0,14})$', 'Raw units as decimal text, at least 0.'), what)

export const legsToPrice = (legsMin = 1) =>
  means(
    shownWith(
      list(
        exactlyOne(
          {
            marketSlug: means(optional(slug()), 'Slug of the market; required without marketId.'),
            marketId: means(optional(integer(1)), 'Id of the market; required without marketSlug.'),
            outcomeIndex: means(integer(0, 1), 'Outcome that must win: 0 for YES, 1 for NO.'),
          },
          'marketSlug',
          'marketId',
        ),
        legsMin,
        LEGS_REQUESTED_MAX,
      ),
      // A quote reports the errors of fewer or more legs, but no such pack can be made.
      { minItems: PACK_LIMITS.legsMin, maxItems: PACK_LIMITS.legsMax },
    ),
    `The legs, ${PACK_LIMITS.legsMin} to ${PACK_LIMITS.legsMax}, each in a different market.`,
  )

interface StatedLeg {
  readonly marketSlug?: string
  readonly marketId?: MarketId
  readonly outcomeIndex: number
}

/**
 * The legs in a body, including markets that left memory: such a market has ended, but is not
 * unknown. A market that is not public is undefined.
 */
export async function requestedLegs(
  legs: readonly StatedLeg[],
  { archive }: PackServices,
  requester: Requester,
): Promise<RequestedLeg[] | Refusal> {
  const issues = legs.flatMap(({ marketSlug, marketId }, at) => {
    if ((marketSlug === undefined) !== (marketId === undefined)) return []
    return [{ field: `legs.${at}`, message: 'must name either marketSlug or marketId' }]
  })
  if (issues.length > 0) return invalid(...issues)
  const slugs = await archive.bySlugs(
    legs.flatMap(({ marketSlug }) => marketSlug ?? []),
    requester,
  )
  const ids = await archive.byIds(
    legs.flatMap(({ marketId }) => marketId ?? []),
    requester,
  )
  if (slugs === undefined || ids === undefined) return refuse('READ_TIMEOUT')
  return legs.map(({ marketSlug, marketId, outcomeIndex: outcome }) => {
    const market = marketSlug === undefined ? ids.get(marketId ?? 0) : slugs.get(marketSlug)
    return { market: market?.status === 'DRAFT' ? undefined : market, outcome }
  })
}

export const reasons = () =>
  list(
    object({
      code: means(oneOf(...PACK_REASONS), 'Code of the error.'),
      legIndex: means(optional(integer(0)), 'Index of the leg, from 0; absent for none.'),
      message: means(text(), 'Message of the error.'),
    }),
  )

export function reasonViews(issues: readonly PackIssue[]) {
  return issues.map((issue) => ({ ...issue, message: SENTENCES[issue.code] }))
}

/** The refusal of a pack that cannot be made, with all its errors. */
export function ineligible({ issues }: { readonly issues: readonly PackIssue[] }): Refusal {
  return refuse('PACK_NOT_ELIGIBLE', { ineligibleReasons: reasonViews(issues) })
}

// Packs in replies (rules §8.5).

export const pack = () =>
  named(
    'Pack',
    object({
      id: means(text(), 'Id of the pack.'),
      status: means(oneOf(...PACK_STATUSES), 'ACTIVE until a leg lost or all legs are decided.'),
      stake: means(uint256Text(), 'Raw collateral staked.'),
      payout: means(uint256Text(), 'Raw collateral that it pays or paid if it wins.'),
      multiplier: means(number(0), 'Payout per stake, four decimals, rounded down.'),
      createdAt: means(isoTime(), 'When the stake was placed.'),
      resolvedAt: means(nullable(isoTime()), 'When the pack ended; null before.'),
      funding: means(oneOf('house', 'maker'), 'Who pays the winnings.'),
      sourcePack: means(
        anyOf(
          object({
            id: packUuid('Id of the curated pack.'),
            name: means(text(), 'Name of the curated pack.'),
          }),
          schemaOf<null>({ type: 'null' }),
        ),
        'The curated pack that was bought; null if the profile chose the legs.',
      ),
      creator: means(
        object({ account: account(), username: shownUsername() }),
        'The profile that staked.',
      ),
      legs: means(
        list(
          object({
            ...legFields(),
            price: means(number(0, 1), 'Effective price for the payout.'),
            bookPrice: means(nullable(number(0, 1)), 'Best usable ask now; null without one.'),
            result: means(
              oneOf(...LEG_RESULTS),
              'Result of the leg; VOID legs do not count. Legs of a lost pack may stay PENDING.',
            ),
            esportsPropType: propType(),
          }),
        ),
        'The outcomes that must all win.',
      ),
    }),
  )

export const PACK_EXAMPLE = {
  id: '4711',
  status: 'ACTIVE' as const,
  stake: '10000000',
  payout: '45000000',
  multiplier: 4.5,
  createdAt: '2026-01-01T00:00:00.000Z',
  resolvedAt: null,
  funding: 'house' as const,
  sourcePack: null,
  creator: { account: ACCOUNT, username: null },
  legs: [
    {
      marketSlug: MARKET_EXAMPLE.slug,
      title: MARKET_EXAMPLE.title,
      outcomeIndex: 0,
      price: 0.5,
      bookPrice: 0.55,
      result: 'PENDING' as const,
      esportsPropType: null,
    },
  ],
}

const MULTIPLIER_PARTS = 10_000

/** Payout per stake, four decimals, rounded down. */
function multiplierOf(payoutRaw: number, stakeRaw: number): number {
  const parts = (BigInt(payoutRaw) * BigInt(MULTIPLIER_PARTS)) / BigInt(stakeRaw)
  return Number(parts) / MULTIPLIER_PARTS
}

/** The packs as sent, in order; a refusal on a read timeout. */
export async function packViews(
  rows: readonly ShownPack[],
  services: PackServices,
  requester: Requester,
) {
  const { archive, reads, packs: desk } = services
  const ids = new Set<MarketId>(rows.flatMap(({ legs }) => legs.map(({ marketId }) => marketId)))
  const owners = [...new Set(rows.map(({ owner }) => owner))]
  const markets = await archive.byIds(ids, requester)
  const creators = await reads.read(profiles, owners, requester)
  if (markets === undefined || creators === undefined) return refuse('READ_TIMEOUT')
  const creatorOf = new Map(creators.map((each, at) => [owners[at], each]))
  return rows.map((row) => {
    const creator = creatorOf.get(row.owner)
    const payoutRaw = paysRaw(row)
    return {
      id: String(row.packId),
      status: row.status,
      stake: String(row.stakeRaw),
      payout: String(payoutRaw),
      multiplier: multiplierOf(payoutRaw, row.stakeRaw),
      createdAt: isoText(row.madeMs),
      resolvedAt: row.endedMs === null ? null : isoText(row.endedMs),
      funding: row.maker === null ? ('house' as const) : ('maker' as const),
      sourcePack:
        row.curatedId === null
          ? null
          : { id: packIdOf('curated', row.curatedId), name: row.curatedName ?? '' },
      creator: { account: creator?.account ?? '', username: creator?.username ?? null },
      legs: row.legs.flatMap(({ marketId, outcome, priceTicks, result }) => {
        const market = markets.get(marketId)
        if (market === undefined) return []
        const bookTicks = desk.bookTicks(market, outcome)
        return [
          {
            ...legView(market, outcome),
            price: priceOf(priceTicks),
            bookPrice: bookTicks === null ? null : priceOf(bookTicks),
            result,
            esportsPropType: desk.requestsOfMatch(market)?.propType ?? null,
          },
        ]
      }),
    }
  })
}

// Purchases of curated packs, as returned to their owner (rules §8.6).

export const POSITION_STATUSES = ['PENDING', 'ACTIVE', 'WON', 'LOST'] as const
type PositionStatus = (typeof POSITION_STATUSES)[number]

export const positionStatus = () =>
  means(
    oneOf(...POSITION_STATUSES),
    'PENDING until the purchase is in a block, then ACTIVE, finally WON or LOST.',
  )

export const packPositionFields = () =>
  named(
    'PackPosition',
    object({
      id: packUuid('Id of the position.'),
      status: positionStatus(),
      stakeAmount: means(uint256Text(), 'Raw collateral staked.'),
      collateralDeposited: means(
        uint256Text(),
        'Raw collateral reserved for it: stake and winnings.',
      ),
      multiplierOffered: means(
        pattern('^[0-9]+[.][0-9]{6}$', 'A number with six decimals.'),
        'Payout per stake at the purchase, rounded down.',
      ),
      vigPercent: means(decimalText(), 'Part of the fair payout that is kept, in percent.'),
      txHash: means(
        bytes32(),
        'Hash of the purchase; it is in a block once status is not PENDING.',
      ),
      claimTxHash: means(
        nullable(bytes32()),
        'Hash of the payment of a pack that won; otherwise null.',
      ),
      wallet: account(),
      createdAt: means(isoTime(), 'When it was bought.'),
      legs: means(list(listedLeg()), 'The outcomes that must all win.'),
      sourcePack: means(
        object({
          id: packUuid('Id of the curated pack.'),
          name: means(text(), 'Name of the curated pack.'),
        }),
        'The curated pack that was bought.',
      ),
      payoutAmount: means(
        uint256Text(),
        'Raw collateral that it pays if it wins; after its end the amount paid, 0 if it lost.',
      ),
    }),
  )

const DECIMALS = 6

/** Payout per stake with six decimals, rounded down. */
function multiplierText(payoutRaw: number, stakeRaw: number): string {
  const parts = (BigInt(payoutRaw) * BigInt(10 ** DECIMALS)) / BigInt(stakeRaw)
  const digits = String(parts).padStart(DECIMALS + 1, '0')
  return `${digits.slice(0, -DECIMALS)}.${digits.slice(-DECIMALS)}`
}

export function statusOf({ status, isMined }: PackPosition): PositionStatus {
  return status === 'ACTIVE' && !isMined ? 'PENDING' : status
}

/** The transaction that paid a pack; null if it has not won. */
export function claimOf({ status, endedSeq }: PackPosition, { settings }: SharedServices) {
  if (status !== 'WON' || endedSeq === null) return null
  return { seq: endedSeq, txHash: moveHashOf(settings.chainId, endedSeq) }
}

/** The positions in order; a refusal on a read timeout. */
export async function positionViews(
  rows: readonly PackPosition[],
  services: PackServices,
  requester: Requester,
) {
  const { archive, packs, settings, pipeline } = services
  const ids = new Set<MarketId>(rows.flatMap(({ legs }) => legs.map(({ marketId }) => marketId)))
  const markets = await archive.byIds(ids, requester)
  if (markets === undefined) return refuse('READ_TIMEOUT')
  return rows.map((row) => {
    const { packId, owner, stakeRaw, payoutRaw, curatedId, curatedName: name } = row
    const id = packIdOf('position', packId)
    return {
      id,
      status: statusOf(row),
      stakeAmount: String(stakeRaw),
      collateralDeposited: String(payoutRaw),
      multiplierOffered: multiplierText(payoutRaw, stakeRaw),
      vigPercent: String(PACK_LIMITS.vigPercent),
      txHash: moveHashOf(settings.chainId, packId),
      claimTxHash: claimOf(row, services)?.txHash ?? null,
      wallet: pipeline.clearing.accounts.accountOf(owner) ?? '',
      createdAt: isoText(row.madeMs),
      legs: row.legs.flatMap(({ marketId, outcome, priceTicks, result, countedMs }, legIndex) => {
        const market = markets.get(marketId)
        if (market === undefined) return []
        const bought = { result, resolvedAt: countedMs === null ? null : isoText(countedMs) }
        const events = { packId: id, legIndex, outcome, priceTicks, bought }
        return [listedLegView(market, events, packs)]
      }),
      sourcePack: { id: packIdOf('curated', curatedId), name },
      payoutAmount: row.status === 'LOST' ? '0' : String(paysRaw(row)),
    }
  })
}

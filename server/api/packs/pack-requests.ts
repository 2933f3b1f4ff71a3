// Pack requests and their errors (rules §8.1, §8.4).

import { PACK_REASONS, type PackIssue } from '../../../engine/core/decide/money/pack-price.ts'
import type { MarketId } from '../../../engine/domain/ids.ts'
import { PACK_LIMITS } from '../../../engine/domain/packs/pack-limits.ts'
import { slug } from '../../edge/http/schema/fields.ts'
import {
  exactlyOne,
  integer,
  means,
  oneOf,
  pattern,
  shownWith,
  text,
} from '../../edge/http/schema/scalars.ts'
import { list, object, optional } from '../../edge/http/schema/schema.ts'
import { invalid, type Refusal, refuse } from '../../messages/refusal.ts'
import type { Requester } from '../reads/private-reads.ts'
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

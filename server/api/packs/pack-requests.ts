// What a call asks of packs, and what is wrong with it (rules §8.1, §8.4).

import { PACK_REASONS, type PackIssue } from '../../../engine/core/decide/money/pack-price.ts'
import type { MarketId } from '../../../engine/domain/ids.ts'
import { PACK_LIMITS } from '../../../engine/domain/packs/pack-limits.ts'
import { slug } from '../../edge/http/schema/fields.ts'
import { means } from '../../edge/http/schema/meaning.ts'
import { exactlyOne, shownWith } from '../../edge/http/schema/printed.ts'
import { integer, oneOf, pattern, text } from '../../edge/http/schema/scalars.ts'
import { list, object, optional } from '../../edge/http/schema/schema.ts'
import { invalid, type Refusal, refuse } from '../../messages/refusal.ts'
import type { Requester } from '../reads/private-reads.ts'
import type { RequestedLeg } from './packs.ts'
import type { PackServices } from './services.ts'

/** More legs than a pack takes are named in the reply, and not looked at: that costs a parse. */
const LEGS_REQUESTED_MAX = 20

/** What is wrong with a pack of so many legs; null when it may have them. */
export function tooManyLegs(legs: readonly unknown[]): readonly PackIssue[] | null {
  return legs.length > PACK_LIMITS.legsMax ? [{ code: 'TOO_MANY_LEGS' }] : null
}
const SENTENCES = {
  TOO_FEW_LEGS: `A pack has ${PACK_LIMITS.legsMin} legs or more; add some.`,
  TOO_MANY_LEGS: `A pack has ${PACK_LIMITS.legsMax} legs at most; drop some.`,
  STAKE_TOO_LOW: `The stake must be ${PACK_LIMITS.stakeMinRaw} raw units or more; stake more.`,
  STAKE_TOO_HIGH: 'The stake is more than maxStake; stake less.',
  DUPLICATE_MARKET: 'Another leg is of the same market; drop one of them.',
  CORRELATED_LEGS:
    'Another leg depends on this one: same group, match, time window or symbol, or a common key. ' +
    'Choose a market of another topic.',
  MARKET_NOT_FOUND: 'Market not found; check its slug or number.',
  MARKET_NOT_ACTIVE:
    'The market is not active, or too close to its deadline for packs; choose another.',
  MARKET_NOT_ELIGIBLE: 'The market has no order book of its own, or delays takers; choose another.',
  NO_LIQUIDITY:
    'The outcome needs asks at 0.10 to 0.90 and bids, of other accounts and resting long enough; ' +
    'quote again later.',
  LEG_PRICE_TOO_LOW: 'The outcome is sold below 0.10 only; choose another.',
  LEG_PRICE_TOO_HIGH: 'The outcome is sold above 0.90 only; choose another.',
  INSUFFICIENT_DEPTH:
    'Too few shares rest within 0.10 of the best usable ask, on either side, that priced no pack ' +
    'before; stake less, or wait for new orders.',
  MULTIPLIER_TOO_HIGH: `The pack pays over ${PACK_LIMITS.multiplierMax} times its stake; drop one.`,
  MULTIPLIER_TOO_LOW: 'The pack would pay no more than its stake; add a leg that is less likely.',
  HOUSE_CAPACITY:
    'The payout passes what the house may lose: in all, today, to one outcome or to one profile; ' +
    'stake less.',
  INSUFFICIENT_BALANCE: 'Insufficient collateral balance; stake less.',
  TRADING_RESTRICTED: 'Trading is restricted at the moment; see GET /maintenance/status.',
} as const

export const stake = (what: string) =>
  means(pattern('^[1-9][0-9]{0,14}$', 'Raw units as decimal text, at least 1.'), what)

/** A quote says of any stake what is wrong with it, also of none. */
export const quotedStake = (what: string) =>
  means(pattern('^(0|[1-9][0-9]{0,14})$', 'Raw units as decimal text, at least 0.'), what)

export const legsToPrice = (legsMin = 1) =>
  means(
    shownWith(
      list(
        exactlyOne(
          {
            marketSlug: means(optional(slug()), 'Slug of the market; or name its marketId.'),
            marketId: means(optional(integer(1)), 'Number of the market; or name its marketSlug.'),
            outcomeIndex: means(integer(0, 1), 'Outcome that must win: 0 for YES, 1 for NO.'),
          },
          'marketSlug',
          'marketId',
        ),
        legsMin,
        LEGS_REQUESTED_MAX,
      ),
      // A quote says of fewer or more what is wrong with them; no such pack can be made.
      { minItems: PACK_LIMITS.legsMin, maxItems: PACK_LIMITS.legsMax },
    ),
    `The legs, ${PACK_LIMITS.legsMin} to ${PACK_LIMITS.legsMax}; each is of another market.`,
  )

interface StatedLeg {
  readonly marketSlug?: string
  readonly marketId?: MarketId
  readonly outcomeIndex: number
}

/**
 * The legs that a body names, also of markets that left memory: such a market is over, not unknown.
 * A market that nobody can see is undefined.
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
      code: means(oneOf(...PACK_REASONS), 'What is wrong, for programs.'),
      legIndex: means(optional(integer(0)), 'The leg that it is about, from 0; absent for none.'),
      message: means(text(), 'What is wrong, as a sentence.'),
    }),
  )

export function reasonViews(issues: readonly PackIssue[]) {
  return issues.map((issue) => ({ ...issue, message: SENTENCES[issue.code] }))
}

/** The refusal of a pack that cannot be made, with all that is wrong with it. */
export function ineligible({ issues }: { readonly issues: readonly PackIssue[] }): Refusal {
  return refuse('PACK_NOT_ELIGIBLE', { ineligibleReasons: reasonViews(issues) })
}

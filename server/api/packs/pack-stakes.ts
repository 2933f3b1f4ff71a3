// Quotes of packs, and packs that are made of them (rules §8.1 to §8.5).

import type { PackIssue } from '../../../engine/core/decide/money/pack-price.ts'
import { PACK_LIMITS } from '../../../engine/domain/packs/pack-limits.ts'
import { REJECT, Reject } from '../../../engine/domain/reject-precedence.ts'
import { packById } from '../../../persistence/query/read/packs/packs.ts'
import { eitherOf, hmac, sessionOrIdentity } from '../../auth/auth-scheme.ts'
import { route } from '../../edge/http/route.ts'
import { isoTime, slug, uint256Text } from '../../edge/http/schema/fields.ts'
import { means } from '../../edge/http/schema/meaning.ts'
import {
  boolean,
  integer,
  nullable,
  number,
  pattern,
  text,
} from '../../edge/http/schema/scalars.ts'
import { list, object } from '../../edge/http/schema/schema.ts'
import type { PublishedMarket } from '../../exchange/read-model/published.ts'
import { isoText } from '../../messages/iso-text.ts'
import { Refusal, refuse } from '../../messages/refusal.ts'
import { MARKET_EXAMPLE } from '../examples.ts'
import { idempotencyKey, requestOf } from '../portfolio/money-call.ts'
import { workFor } from '../reads/fair-shares.ts'
import { publicRequester, requesterOf } from '../reads/private-reads.ts'
import { endingIn } from '../reads/sliced-work.ts'
import { priceOf, propType } from './leg-views.ts'
import { PACK_EXAMPLE, pack, packViews } from './pack-fields.ts'
import { QUOTE_ID } from './pack-quotes.ts'
import {
  ineligible,
  legsToPrice,
  quotedStake,
  reasons,
  reasonViews,
  requestedLegs,
  stake,
  tooManyLegs,
} from './pack-requests.ts'
import type { PackServices } from './services.ts'

const LEGS_EXAMPLE = [
  { marketSlug: MARKET_EXAMPLE.slug, outcomeIndex: 0 },
  { marketSlug: 'goal-in-extra-time', outcomeIndex: 1 },
]
const QUOTE_EXAMPLE = 'AAAAAAKupUAAAAGbdtsdMAH0AfQAAAAAAAAp6FgVGe2xNHImeKCOJSer'
const TITLE_UNKNOWN = ''

/** What the refusal of a pack says of it, for documents. */
export const NOT_ELIGIBLE = {
  PACK_NOT_ELIGIBLE: {
    fields: { ineligibleReasons: means(reasons(), 'All that is wrong with the pack.') },
    example: {
      ineligibleReasons: [{ code: 'TOO_FEW_LEGS', message: 'A pack has 2 legs or more.' }],
    },
  },
}

export const quotePack = route({
  method: 'POST',
  path: '/parlay/quote',
  auth: eitherOf(hmac(), sessionOrIdentity()).orNobody(),
  rateClass: 'public',
  about: 'Prices a pack by orders that have rested, and names all that is wrong with it.',
  body: object({ legs: legsToPrice(0), stake: quotedStake('Raw collateral to stake.') }),
  reply: object({
    quoteId: means(
      nullable(text()),
      'Promises the payout to the caller until expiresAt; null without a proof or when ineligible.',
    ),
    eligible: means(boolean(), 'Whether the pack can be made.'),
    ineligibleReasons: means(reasons(), 'All that is wrong; empty for a pack that can be made.'),
    legs: means(
      list(
        object({
          marketSlug: means(nullable(slug()), 'Slug of the market; null for one that is unknown.'),
          outcomeIndex: means(integer(0, 1), 'Outcome that was asked for: 0 YES, 1 NO.'),
          title: means(text(), 'Question of the market; empty for one that is unknown.'),
          price: means(number(0, 1), 'Average price of the shares that are needed, rounded up.'),
          bookPrice: means(nullable(number(0, 1)), 'Best usable ask; null without one.'),
          depth: means(uint256Text(), 'Raw shares within 0.10 of the best usable ask.'),
          depthUsd: means(uint256Text(), 'What those shares cost, in raw collateral.'),
          esportsPropType: propType(),
        }),
      ),
      'The legs in the order in which they were asked for; none when there are too many.',
    ),
    fairMultiplier: means(nullable(number(0)), 'Payout per stake without vig; null unpriced.'),
    multiplier: means(nullable(number(0)), 'Payout per stake, rounded down; null unpriced.'),
    vigPercent: means(number(0), 'Part of the fair payout that is kept, in percent.'),
    stake: means(uint256Text(), 'The stake that was asked for, raw.'),
    payout: means(uint256Text(), 'What the pack would pay, raw; 0 unpriced.'),
    toWin: means(uint256Text(), 'Payout less stake, raw.'),
    maxStake: means(uint256Text(), 'Most that one pack takes, raw.'),
    expiresAt: means(isoTime(), 'Until when the quote is good.'),
  }),
  means: 'The pack as the books price it now.',
  rejects: ['VALIDATION', 'READ_TIMEOUT'],
  example: {
    body: { legs: LEGS_EXAMPLE, stake: '10000000' },
    reply: {
      quoteId: QUOTE_EXAMPLE,
      eligible: true,
      ineligibleReasons: [],
      legs: LEGS_EXAMPLE.map((leg) => ({
        ...leg,
        title: MARKET_EXAMPLE.title,
        price: 0.5,
        bookPrice: 0.5,
        depth: '90000000',
        depthUsd: '45000000',
        esportsPropType: null,
      })),
      fairMultiplier: 4,
      multiplier: 3.6,
      vigPercent: PACK_LIMITS.vigPercent,
      stake: '10000000',
      payout: '36000000',
      toWin: '26000000',
      maxStake: '70000000',
      expiresAt: '2026-01-01T00:00:30.000Z',
    },
  },
  handle: async ({ body, caller, call }, services: PackServices) => {
    const tooMany = tooManyLegs(body.legs)
    if (tooMany !== null) return unpriced(body.stake, tooMany, services)
    const requester = caller === null ? publicRequester(call) : requesterOf({ caller, call })
    const legs = await requestedLegs(body.legs, services, requester)
    if (legs instanceof Refusal) return legs
    const stakeRaw = Number(body.stake)
    const steps = services.packs.quoting({ legs, stakeRaw }, caller?.profileId ?? null)
    const quote = await services.slices.run(workFor(requester, services.pipeline), steps)
    if (quote === null) return refuse('OVERLOADED')
    const { issues, payoutRaw, multipliers } = quote
    return {
      quoteId: quote.quoteId,
      eligible: issues.length === 0,
      ineligibleReasons: reasonViews(issues),
      legs: quote.legs.map(({ outcome, bookTicks, priceTicks, depthRaw, depthCostRaw }, at) => ({
        ...namedLeg(legs[at].market, services),
        outcomeIndex: outcome,
        price: priceOf(priceTicks),
        bookPrice: bookTicks === null ? null : priceOf(bookTicks),
        depth: String(depthRaw),
        depthUsd: String(depthCostRaw),
      })),
      fairMultiplier: multipliers?.fair ?? null,
      multiplier: multipliers?.net ?? null,
      vigPercent: PACK_LIMITS.vigPercent,
      stake: body.stake,
      payout: String(payoutRaw),
      toWin: String(Math.max(0, payoutRaw - stakeRaw)),
      maxStake: String(quote.stakeMaxRaw),
      expiresAt: isoText(quote.expiresMs),
    }
  },
})

/** What a quote says of more legs than a pack takes, without a look at any of them. */
function unpriced(stakeText: string, issues: readonly PackIssue[], { pipeline }: PackServices) {
  return {
    quoteId: null,
    eligible: false,
    ineligibleReasons: reasonViews(issues),
    legs: [],
    fairMultiplier: null,
    multiplier: null,
    vigPercent: PACK_LIMITS.vigPercent,
    stake: stakeText,
    payout: '0',
    toWin: '0',
    maxStake: String(PACK_LIMITS.stakeMaxRaw),
    expiresAt: isoText(pipeline.sequencer.nowMs() + PACK_LIMITS.quoteMs),
  }
}

function namedLeg(market: PublishedMarket | undefined, { packs }: PackServices) {
  const requested = market === undefined ? null : packs.requestsOfMatch(market)
  return {
    marketSlug: market?.market.slug ?? null,
    title: market?.market.title ?? TITLE_UNKNOWN,
    esportsPropType: requested?.propType ?? null,
  }
}

export const createPack = route({
  method: 'POST',
  path: '/parlay/create',
  auth: eitherOf(hmac('trading'), sessionOrIdentity()),
  rateClass: 'trade',
  about: 'Stakes on a pack that was quoted; the same call again gives the first pack.',
  body: object({
    quoteId: means(
      pattern(QUOTE_ID, 'The quoteId of a quote.'),
      'Quote of the same legs and stake, to the same caller.',
    ),
    legs: legsToPrice(),
    stake: stake('Raw collateral to stake, as quoted.'),
    idempotencyKey: idempotencyKey(),
  }),
  status: 201,
  reply: pack(),
  means: 'The stake is made; the pack pays when all its legs win.',
  refusalFields: NOT_ELIGIBLE,
  links: {
    read: {
      to: 'GET /parlay/positions/:id',
      about: 'Reads the pack.',
      params: { id: '/id' },
    },
  },
  rejects: [
    'OVERLOADED',
    'VALIDATION',
    'PROFILE_FROZEN',
    'PACK_CAPACITY',
    'QUOTE_INVALID',
    'QUOTE_USED',
    'QUOTE_EXPIRED',
    'QUOTE_CHANGED',
    'PACK_NOT_ELIGIBLE',
    'PACK_NOT_FOUND',
    'PACK_LIMIT',
    'IDEMPOTENCY_KEY_TAKEN',
    'CALL_LIMIT',
    'READ_TIMEOUT',
  ],
  example: {
    body: { quoteId: QUOTE_EXAMPLE, legs: LEGS_EXAMPLE, stake: '10000000' },
    reply: PACK_EXAMPLE,
  },
  handle: async ({ body, caller, call }, services: PackServices) => {
    const request = requestOf({ owner: caller.profileId, caller, call, body }, services)
    if (request instanceof Refusal) return request
    // No quote was ever made of so many legs.
    if (tooManyLegs(body.legs) !== null)
      return services.pipeline.refused(REJECT.QUOTE_INVALID).then(refuse)
    const requester = requesterOf({ caller, call })
    const legs = await requestedLegs(body.legs, services, requester)
    if (legs instanceof Refusal) return legs
    const wanted = { legs, stakeRaw: Number(body.stake) }
    const work = workFor(requester, services.pipeline)
    const read = await services.slices.run(work, endingIn(services.packs.reading(legs), true))
    if (read === null) return refuse('OVERLOADED')
    const made = await services.packs.create(request, wanted, body.quoteId)
    if (made instanceof Reject) return refuse(made)
    return typeof made === 'number' ? shownPack(made, services, { caller, call }) : ineligible(made)
  },
})

/** A pack that a call just made, or made before. */
export async function shownPack(
  packId: number,
  services: PackServices,
  by: Parameters<typeof requesterOf>[0],
) {
  const requester = requesterOf(by)
  const row = await services.reads.read(packById, packId, requester)
  if (row === undefined) return refuse('READ_TIMEOUT')
  if (row === null) return refuse('PACK_NOT_FOUND')
  const views = await packViews([row], services, requester)
  return views instanceof Refusal ? views : views[0]
}

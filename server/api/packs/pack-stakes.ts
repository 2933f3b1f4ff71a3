// Quotes of packs, and packs made of them (rules §8.1 to §8.5).

import type { PackIssue } from '../../../engine/core/decide/money/pack-price.ts'
import { PACK_LIMITS } from '../../../engine/domain/packs/pack-limits.ts'
import { REJECT, Reject } from '../../../engine/domain/reject-precedence.ts'
import { packById } from '../../../persistence/query/read/packs/packs.ts'
import { profiles } from '../../../persistence/query/read/profiles.ts'
import { eitherOf, hmac, open, sessionOrIdentity } from '../../auth/auth-scheme.ts'
import { cached, REVALIDATE } from '../../edge/http/caching/cache.ts'
import { bytes } from '../../edge/http/reply.ts'
import { route } from '../../edge/http/route.ts'
import { isoTime, slug, uint256Text } from '../../edge/http/schema/fields.ts'
import {
  boolean,
  defaulted,
  integer,
  means,
  nullable,
  number,
  pattern,
  text,
} from '../../edge/http/schema/scalars.ts'
import { list, object } from '../../edge/http/schema/schema.ts'
import type { PublishedMarket } from '../../exchange/read-model/published.ts'
import { isoText } from '../../messages/iso-text.ts'
import { invalid, Refusal, refuse } from '../../messages/refusal.ts'
import { ACCOUNT, MARKET_EXAMPLE } from '../examples.ts'
import { networkRateRefusal, ownRateRefusal } from '../own-rate.ts'
import { idempotencyKey, requestOf } from '../portfolio/services.ts'
import { publicRequester, requesterOf, workFor } from '../reads/private-reads.ts'
import { endingIn } from '../reads/sliced-work.ts'
import {
  ineligible,
  legsToPrice,
  PACK_EXAMPLE,
  pack,
  packViews,
  quotedStake,
  reasons,
  reasonViews,
  requestedLegs,
  stake,
  tooManyLegs,
} from './pack-requests.ts'
import { offer, offerViews, priceOf, propType } from './pack-views.ts'
import { QUOTE_ID } from './packs.ts'
import { OFFERS_SHOWN_MAX, type PackServices } from './services.ts'

const LEGS_EXAMPLE = [
  { marketSlug: MARKET_EXAMPLE.slug, outcomeIndex: 0 },
  { marketSlug: 'goal-in-extra-time', outcomeIndex: 1 },
]
const QUOTE_EXAMPLE = 'AAAAAAKupUAAAAGbdtsdMAH0AfQAAAAAAAAp6FgVGe2xNHImeKCOJSer'
const TITLE_UNKNOWN = ''

/** The fields in the refusal of a pack, for documents. */
export const NOT_ELIGIBLE = {
  PACK_NOT_ELIGIBLE: {
    fields: { ineligibleReasons: means(reasons(), 'All errors of the pack.') },
    example: {
      ineligibleReasons: [
        { code: 'TOO_FEW_LEGS', message: 'A pack needs at least 2 legs; add some.' },
      ],
    },
  },
}

export const quotePack = route({
  method: 'POST',
  path: '/parlay/quote',
  auth: eitherOf(hmac(), sessionOrIdentity()).orNobody(),
  rateClass: 'public',
  about: 'Prices a pack from orders that have rested, and lists all its errors.',
  body: object({ legs: legsToPrice(0), stake: quotedStake('Raw collateral to stake.') }),
  reply: object({
    quoteId: means(
      nullable(text()),
      'Promises the payout to the caller until expiresAt; null if anonymous or ineligible.',
    ),
    eligible: means(boolean(), 'Whether the pack can be made.'),
    ineligibleReasons: means(reasons(), 'All errors; empty if the pack can be made.'),
    legs: means(
      list(
        object({
          marketSlug: means(nullable(slug()), 'Slug of the market; null if it is unknown.'),
          outcomeIndex: means(integer(0, 1), 'Requested outcome: 0 for YES, 1 for NO.'),
          title: means(text(), 'Question of the market; empty if it is unknown.'),
          price: means(number(0, 1), 'Average price of the needed shares, rounded up.'),
          bookPrice: means(nullable(number(0, 1)), 'Best usable ask; null without one.'),
          depth: means(uint256Text(), 'Raw shares within 0.10 of the best usable ask.'),
          depthUsd: means(uint256Text(), 'Cost of those shares, in raw collateral.'),
          esportsPropType: propType(),
        }),
      ),
      'The legs in the requested order; none if too many.',
    ),
    fairMultiplier: means(nullable(number(0)), 'Payout per stake without vig; null if unpriced.'),
    multiplier: means(nullable(number(0)), 'Payout per stake, rounded down; null if unpriced.'),
    vigPercent: means(number(0), 'Part of the fair payout that is kept, in percent.'),
    stake: means(uint256Text(), 'The requested stake, raw.'),
    payout: means(uint256Text(), 'Payout of the pack, raw; 0 if unpriced.'),
    toWin: means(uint256Text(), 'Payout minus stake, raw.'),
    maxStake: means(uint256Text(), 'Maximum stake of one pack, raw.'),
    expiresAt: means(isoTime(), 'When the quote expires.'),
  }),
  means: 'The pack at the current book prices.',
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

/** The quote for more legs than a pack may have. The legs are not looked up. */
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
  about: 'Stakes on a quoted pack; repeating the call returns the first pack.',
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
  means: 'The stake is placed; the pack pays when all its legs win.',
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
    'HELD_BY_WALLETS',
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
    // No quote exists for this many legs.
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

/** A pack that the call made now or earlier. */
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

// Pack offers that other profiles fund (rules §8.5).

const auth = () => eitherOf(hmac('trading'), sessionOrIdentity())
const offerId = () =>
  means(pattern('^[1-9][0-9]{0,14}$', 'Id of an offer.'), 'The id of the offer.')

const OFFER_EXAMPLE = {
  id: '4700',
  legs: [
    { marketSlug: MARKET_EXAMPLE.slug, title: MARKET_EXAMPLE.title, outcomeIndex: 0, price: 0.5 },
  ],
  stakeMax: '20000000',
  payout: '80000000',
  creator: { account: ACCOUNT, username: null },
  expiresAt: '2026-01-01T00:01:00.000Z',
}

export const packOffers = route({
  method: 'GET',
  path: '/parlay/offers',
  auth: open(),
  rateClass: 'public',
  cache: cached(REVALIDATE),
  about: 'Lists open offers: the newest of each maker, then the second of each.',
  query: {
    limit: means(
      defaulted(integer(1, OFFERS_SHOWN_MAX), OFFERS_SHOWN_MAX),
      'Maximum offers returned.',
    ),
  },
  reply: object({ data: means(list(offer()), 'The open offers.') }),
  means: 'The open offers, alternating between makers.',
  rejects: ['READ_TIMEOUT'],
  example: { query: { limit: 100 }, reply: { data: [OFFER_EXAMPLE] } },
  handle: async ({ query }, { openOffers }: PackServices) => {
    const encoded = await openOffers.first(query.limit)
    return encoded === undefined ? refuse('READ_TIMEOUT') : bytes(encoded)
  },
})

export const offerPack = route({
  method: 'POST',
  path: '/parlay/offers',
  auth: auth(),
  rateClass: 'trade',
  about: `Offers a pack for ${PACK_LIMITS.offerMs / 1000} seconds, and reserves its winnings.`,
  body: object({
    legs: legsToPrice(),
    stakeMax: stake('Maximum stake, raw.'),
    payout: stake('Payout for that stake when all legs win, raw; more than stakeMax.'),
  }),
  status: 201,
  reply: offer(),
  means: 'The offer is open; payout minus stakeMax is reserved.',
  refusalFields: NOT_ELIGIBLE,
  links: {
    end: {
      to: 'DELETE /parlay/offers/:id',
      about: 'Ends the offer.',
      params: { id: '/id' },
    },
    accept: {
      to: 'POST /parlay/offers/:id/accept',
      about: 'Accepts the offer, as another profile.',
      params: { id: '/id' },
    },
  },
  rejects: [
    'OVERLOADED',
    'VALIDATION',
    'HELD_BY_WALLETS',
    'PROFILE_FROZEN',
    'PACK_CAPACITY',
    'INSUFFICIENT_COLLATERAL',
    'PACK_NOT_ELIGIBLE',
    'OFFER_NOT_FOUND',
    'OFFER_LIMIT',
    'READ_TIMEOUT',
  ],
  example: {
    body: {
      legs: [
        { marketSlug: MARKET_EXAMPLE.slug, outcomeIndex: 0 },
        { marketSlug: 'goal-in-extra-time', outcomeIndex: 1 },
      ],
      stakeMax: '20000000',
      payout: '80000000',
    },
    reply: OFFER_EXAMPLE,
  },
  handle: async ({ body, caller, call }, services: PackServices) => {
    const [stakeRaw, payoutRaw] = [Number(body.stakeMax), Number(body.payout)]
    if (payoutRaw <= stakeRaw) {
      return invalid({ field: 'payout', message: 'must be more than stakeMax' })
    }
    const tooOften =
      ownRateRefusal(services.offerCalls, caller.profileId) ??
      networkRateRefusal(services.offerNetworks, call.from)
    if (tooOften !== null) return tooOften
    const issues = tooManyLegs(body.legs)
    if (issues !== null) return ineligible({ issues })
    const requester = requesterOf({ caller, call })
    const legs = await requestedLegs(body.legs, services, requester)
    if (legs instanceof Refusal) return legs
    // Read before the offer, so a caller that gets a 503 knows that nothing changed.
    const found = await services.reads.read(profiles, [caller.profileId], requester)
    if (found === undefined) return refuse('READ_TIMEOUT')
    const made = await services.packs.offer(caller.profileId, { legs, stakeRaw }, payoutRaw)
    if (made instanceof Reject) return refuse(made)
    if ('issues' in made) return ineligible(made)
    services.openOffers.note(made.offerId, call.from)
    return offerViews([made], found, services.pipeline)[0]
  },
})

export const endPackOffer = route({
  method: 'DELETE',
  path: '/parlay/offers/:id',
  auth: auth(),
  rateClass: 'trade',
  about: "Withdraws the caller's own offer and releases its reserve.",
  params: { id: offerId() },
  reply: object({ id: means(text(), 'Id of the ended offer.') }),
  means: 'The offer has ended.',
  rejects: ['OVERLOADED', 'OFFER_NOT_FOUND'],
  example: { params: { id: '4700' }, reply: { id: '4700' } },
  handle: async ({ params, caller }, { packs }: PackServices) => {
    const refused = await packs.endOffer(Number(params.id), caller.profileId)
    return refused === null ? { id: params.id } : refuse(refused)
  },
})

export const acceptPackOffer = route({
  method: 'POST',
  path: '/parlay/offers/:id/accept',
  auth: auth(),
  rateClass: 'trade',
  about: 'Stakes on an offer, which ends it; repeating the call returns the same pack.',
  params: { id: offerId() },
  body: object({
    stake: stake('Raw collateral to stake; at most stakeMax of the offer.'),
    idempotencyKey: idempotencyKey(),
  }),
  status: 201,
  reply: pack(),
  means: 'The stake is placed; the pack pays when all its legs win.',
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
    'HELD_BY_WALLETS',
    'PROFILE_FROZEN',
    'POST_ONLY_MODE',
    'CANCEL_ONLY_MODE',
    'TRADING_DISABLED',
    'PACK_CAPACITY',
    'INSUFFICIENT_COLLATERAL',
    'PACK_NOT_FOUND',
    'PACK_LIMIT',
    'OFFER_NOT_FOUND',
    'OWN_OFFER',
    'STAKE_TOO_HIGH',
    'STAKE_TOO_LOW',
    'DUPLICATE_CALL',
    'IDEMPOTENCY_KEY_TAKEN',
    'CALL_LIMIT',
    'READ_TIMEOUT',
  ],
  example: {
    params: { id: '4700' },
    body: { stake: '5000000' },
    reply: { ...PACK_EXAMPLE, funding: 'maker' },
  },
  handle: async ({ params, body, caller, call }, services: PackServices) => {
    const request = requestOf({ owner: caller.profileId, caller, call, body }, services)
    if (request instanceof Refusal) return request
    const made = await services.packs.accept(request, Number(params.id), Number(body.stake))
    return made instanceof Reject ? refuse(made) : shownPack(made, services, { caller, call })
  },
})

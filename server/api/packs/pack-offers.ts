// Pack offers that other profiles fund (rules §8.5).

import { PACK_LIMITS } from '../../../engine/domain/packs/pack-limits.ts'
import { Reject } from '../../../engine/domain/reject-precedence.ts'
import { profiles } from '../../../persistence/query/read/profiles.ts'
import { eitherOf, hmac, open, sessionOrIdentity } from '../../auth/auth-scheme.ts'
import { cached, REVALIDATE } from '../../edge/http/caching/cache.ts'
import { bytes } from '../../edge/http/reply.ts'
import { route } from '../../edge/http/route.ts'
import { defaulted, integer, means, pattern, text } from '../../edge/http/schema/scalars.ts'
import { list, object } from '../../edge/http/schema/schema.ts'
import { invalid, Refusal, refuse } from '../../messages/refusal.ts'
import { ACCOUNT, MARKET_EXAMPLE } from '../examples.ts'
import { networkRateRefusal, ownRateRefusal } from '../own-rate.ts'
import { idempotencyKey, requestOf } from '../portfolio/money-call.ts'
import { requesterOf } from '../reads/private-reads.ts'
import { OFFERS_SHOWN_MAX } from './open-offers.ts'
import { PACK_EXAMPLE, pack } from './pack-fields.ts'
import { ineligible, legsToPrice, requestedLegs, stake, tooManyLegs } from './pack-requests.ts'
import { NOT_ELIGIBLE, shownPack } from './pack-stakes.ts'
import { offer, offerViews } from './pack-views.ts'
import type { PackServices } from './services.ts'

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

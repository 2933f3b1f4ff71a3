// What everybody is told of offers of packs (rules §8.5), over REST and sockets.

import type { PackOffer } from '../../../engine/core/packs/packs.ts'
import type { ProfileId } from '../../../engine/domain/ids.ts'
import { PRICE_ONE_TICKS } from '../../../engine/domain/units.ts'
import type { ShownProfile } from '../../../persistence/query/read/profiles.ts'
import { isoTime, uint256Text } from '../../edge/http/schema/fields.ts'
import { means } from '../../edge/http/schema/meaning.ts'
import { named } from '../../edge/http/schema/printed.ts'
import { account, shownUsername } from '../../edge/http/schema/profile-fields.ts'
import { number, text } from '../../edge/http/schema/scalars.ts'
import { list, object } from '../../edge/http/schema/schema.ts'
import type { Pipeline } from '../../exchange/pipeline.ts'
import { isoText } from '../../messages/iso-text.ts'
import { legFields, legView } from './leg-views.ts'

const offerFields = () =>
  object({
    id: means(text(), 'Id of the offer, to accept it or take it back.'),
    legs: means(
      list(
        object({
          ...legFields(),
          price: means(number(0, 1), 'Price by which the leg counts when another one is void.'),
        }),
      ),
      'The outcomes that must all win.',
    ),
    stakeMax: means(uint256Text(), 'Most that may be staked, raw.'),
    payout: means(uint256Text(), 'What that stake pays, raw; a smaller stake pays its part.'),
    creator: means(
      object({ account: account(), username: shownUsername() }),
      'The maker, who funds the payout.',
    ),
    expiresAt: means(isoTime(), 'When the offer ends by itself.'),
  })

export const offer = () => named('Offer', offerFields())

/** The makers of offers, each once. */
export function makersOf(offers: readonly PackOffer[]): ProfileId[] {
  return [...new Set(offers.map(({ makerId }) => makerId))]
}

/** The offers as they are sent; `found` has the profiles of `makersOf(offers)`. */
export function offerViews(
  offers: readonly PackOffer[],
  found: readonly (Pick<ShownProfile, 'username'> | null)[],
  pipeline: Pipeline,
) {
  const makers = makersOf(offers)
  const nameOf = new Map(found.map((each, at) => [makers[at], each?.username ?? null]))
  return offers.map((each) => offerView(each, pipeline, nameOf.get(each.makerId) ?? null))
}

/** A leg whose market left memory is not told. */
function offerView(
  { offerId, makerId, stakeMaxRaw, payoutRaw, expiresMs, legs }: PackOffer,
  { published, clearing }: Pipeline,
  username: string | null,
) {
  return {
    id: String(offerId),
    legs: legs.flatMap(({ marketId, outcome, priceTicks }) => {
      const market = published.byId(marketId)
      if (market === undefined) return []
      return [{ ...legView(market, outcome), price: priceTicks / PRICE_ONE_TICKS }]
    }),
    stakeMax: String(stakeMaxRaw),
    payout: String(payoutRaw),
    creator: { account: clearing.accounts.accountOf(makerId) ?? '', username },
    expiresAt: isoText(expiresMs),
  }
}

// The published form of pack offers (rules §8.5), over REST and sockets.

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
    id: means(text(), 'Id of the offer, used to accept or withdraw it.'),
    legs: means(
      list(
        object({
          ...legFields(),
          price: means(number(0, 1), 'Price used for the leg when another one is void.'),
        }),
      ),
      'The outcomes that must all win.',
    ),
    stakeMax: means(uint256Text(), 'Maximum stake, raw.'),
    payout: means(uint256Text(), 'Payout for that stake, raw; less stake pays in proportion.'),
    creator: means(
      object({ account: account(), username: shownUsername() }),
      'The maker, who funds the payout.',
    ),
    expiresAt: means(isoTime(), 'When the offer expires.'),
  })

export const offer = () => named('Offer', offerFields())

/** The makers of offers, without repeats. */
export function makersOf(offers: readonly PackOffer[]): ProfileId[] {
  return [...new Set(offers.map(({ makerId }) => makerId))]
}

/** The offers as sent; `found` has the profiles of `makersOf(offers)`. */
export function offerViews(
  offers: readonly PackOffer[],
  found: readonly (Pick<ShownProfile, 'username'> | null)[],
  pipeline: Pipeline,
) {
  const makers = makersOf(offers)
  const nameOf = new Map(found.map((each, at) => [makers[at], each?.username ?? null]))
  return offers.map((each) => offerView(each, pipeline, nameOf.get(each.makerId) ?? null))
}

/** A leg whose market left memory is omitted. */
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

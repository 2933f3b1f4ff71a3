// A curated pack as published (rules §8.6).

import type { CuratedPack } from '../../../engine/core/packs/curated-packs.ts'
import type { MarketId } from '../../../engine/domain/ids.ts'
import { isoTime } from '../../edge/http/schema/fields.ts'
import { means } from '../../edge/http/schema/meaning.ts'
import { boolean, oneOf, text } from '../../edge/http/schema/scalars.ts'
import { list, object } from '../../edge/http/schema/schema.ts'
import type { PublishedMarket } from '../../exchange/read-model/published.ts'
import { isoText } from '../../messages/iso-text.ts'
import { listedLeg, listedLegView } from './leg-views.ts'
import { packIdOf, packUuid } from './pack-ids.ts'
import type { PackDesk } from './packs.ts'

/** The only type of curated pack: its legs may be in any markets. */
export const PARLAY_TYPE = 'curated'

export const curatedPack = () =>
  object({
    id: packUuid('Id of the pack, used to quote and buy it.'),
    name: means(text(), 'Name given by operators.'),
    status: means(
      oneOf('ACTIVE', 'ENDED'),
      'ACTIVE while it is on the list; ENDED once a leg ended or operators removed it.',
    ),
    eligible: means(
      boolean(),
      'Whether all its legs are open and have a usable price; a quote checks this for a stake.',
    ),
    parlayType: means(oneOf(PARLAY_TYPE), 'Always curated: operators chose the legs.'),
    createdAt: means(isoTime(), 'When operators added it to the list.'),
    legs: means(list(listedLeg()), 'The outcomes that must all win.'),
  })

/** The current state of a curated pack. */
export interface Standing {
  readonly isListed: boolean
  /** Whether its markets may share a pack now. */
  readonly isOpen: boolean
}

/** A leg with an unknown market is omitted. */
export function curatedView(
  { packId, name, madeMs, legs }: CuratedPack,
  { isListed, isOpen }: Standing,
  marketOf: (marketId: MarketId) => PublishedMarket | undefined,
  desk: PackDesk,
) {
  const id = packIdOf('curated', packId)
  const views = legs.flatMap(({ marketId, outcome }, legIndex) => {
    const market = marketOf(marketId)
    if (market === undefined) return []
    return [listedLegView(market, { packId: id, legIndex, outcome }, desk)]
  })
  const arePriced = views.every(({ bookPrice }) => bookPrice !== null)
  return {
    id,
    name,
    status: isListed ? ('ACTIVE' as const) : ('ENDED' as const),
    eligible: isListed && isOpen && arePriced,
    parlayType: PARLAY_TYPE,
    createdAt: isoText(madeMs),
    legs: views,
  } as const
}

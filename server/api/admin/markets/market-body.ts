// The operator's description of a market, a group or a series.

import { LIMITS } from '../../../../engine/domain/limits.ts'
import { PACK_LIMITS } from '../../../../engine/domain/packs/pack-limits.ts'
import { address, rawAmount, slug } from '../../../edge/http/schema/fields.ts'
import { means } from '../../../edge/http/schema/meaning.ts'
import { firstShown } from '../../../edge/http/schema/printed.ts'
import { boolean, integer, nullable, text } from '../../../edge/http/schema/scalars.ts'
import { type Infer, list, object, optional } from '../../../edge/http/schema/schema.ts'
import { line, lines } from '../../../edge/http/schema/visible-text.ts'
import { filterValues } from '../../pages/page-views.ts'

const labels = () => list(line(64, 1), 0, 32)
export const title = () => line(LIMITS.titleCharactersMax, 1)

/** Fields that can be changed later. */
export const aboutFields = {
  description: means(
    optional(lines(LIMITS.descriptionCharactersMax)),
    'How the question is decided.',
  ),
  categories: means(optional(labels()), 'Topics of the market.'),
  tags: means(optional(labels()), 'Further labels of the market.'),
  properties: means(
    optional(filterValues(LIMITS.marketPropertiesMax, LIMITS.propertyValuesMax)),
    'Property values by property slug.',
  ),
  proxyTitle: means(optional(title()), 'A shorter title, or the answer of a child market.'),
  imageUrl: means(optional(line(2048, 1)), 'Link to a picture.'),
  logo: means(optional(line(2048, 1)), 'Link to a small picture.'),
  dailyRewardRaw: means(
    optional(rawAmount()),
    'Raw collateral per day for orders that rest near the midpoint.',
  ),
  rebateBps: means(
    optional(integer(0, 10_000)),
    'Part of taker fees paid back to makers, in basis points.',
  ),
  delayedCancel: means(
    optional(boolean()),
    'False if owners cannot cancel orders during the taker delay; true by default.',
  ),
  correlationKey: means(
    optional(line(PACK_LIMITS.correlationKeyCharactersMax)),
    'Markets with the same key cannot share a pack; empty for none. A series also has its symbol.',
  ),
}

export const deadline = () =>
  means(
    optional(nullable(firstShown(text(40), integer(0)))),
    'When trading ends, in Unix milliseconds or ISO 8601, in the future; null or absent for never.',
  )

export const venueFields = {
  fee: means(optional(boolean()), 'True if takers pay fees; false by default.'),
  takerDelayMs: means(
    optional(integer(0, LIMITS.takerDelayMsMax)),
    'Delay of orders that would match on arrival, in milliseconds; 0 by default.',
  ),
  exchangeAddress: means(
    optional(address()),
    'Contract that orders are signed for; the configured one by default.',
  ),
  minSizeRaw: means(
    optional(rawAmount()),
    'Minimum raw shares of an order that counts in adjustedMidpoint; 50,000,000 by default.',
  ),
}

export const namedBody = object({ slug: slug(), title: title(), ...aboutFields, ...venueFields })
export type NamedBody = Infer<typeof namedBody>

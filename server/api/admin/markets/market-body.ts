// What an operator says of a market, a group or a series.

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

/** What may also be changed later. */
export const aboutFields = {
  description: means(
    optional(lines(LIMITS.descriptionCharactersMax)),
    'How the question will be decided.',
  ),
  categories: means(optional(labels()), 'Topics of the market.'),
  tags: means(optional(labels()), 'Further labels of the market.'),
  properties: means(
    optional(filterValues(LIMITS.marketPropertiesMax, LIMITS.propertyValuesMax)),
    'Values by the slug of their property, for filters.',
  ),
  proxyTitle: means(optional(title()), 'A shorter title, or the answer that a child stands for.'),
  imageUrl: means(optional(line(2048, 1)), 'Link to a picture.'),
  logo: means(optional(line(2048, 1)), 'Link to a small picture.'),
  dailyRewardRaw: means(
    optional(rawAmount()),
    'Raw collateral a day for orders that rest near the middle.',
  ),
  rebateBps: means(
    optional(integer(0, 10_000)),
    "Part of the takers' fees that makers get back, in basis points.",
  ),
  delayedCancel: means(
    optional(boolean()),
    'False when owners cannot cancel orders that the taker delay holds; true when absent.',
  ),
  correlationKey: means(
    optional(line(PACK_LIMITS.correlationKeyCharactersMax)),
    'Markets with the same key are never in one pack; empty for none. A series has its symbol too.',
  ),
}

export const deadline = () =>
  means(
    optional(nullable(firstShown(text(40), integer(0)))),
    'When trading ends, Unix milliseconds or ISO 8601, in the future; null or absent for never.',
  )

export const venueFields = {
  fee: means(optional(boolean()), 'True when takers pay fees; false when absent.'),
  takerDelayMs: means(
    optional(integer(0, LIMITS.takerDelayMsMax)),
    'How long an order that would match on arrival waits, in milliseconds; 0 when absent.',
  ),
  exchangeAddress: means(
    optional(address()),
    'Contract that orders are signed for; the one of the settings when absent.',
  ),
  minSizeRaw: means(
    optional(rawAmount()),
    'Least raw shares of an order that counts in adjustedMidpoint; 50,000,000 when absent.',
  ),
}

export const namedBody = object({ slug: slug(), title: title(), ...aboutFields, ...venueFields })
export type NamedBody = Infer<typeof namedBody>

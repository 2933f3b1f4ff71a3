// The published form of a leg of a pack, of an offer and in the feeds.

import { LEG_RESULTS, type LegResult } from '../../../engine/core/packs/packs.ts'
import { PRICE_ONE_TICKS, type PriceTicks } from '../../../engine/domain/units.ts'
import { bytes32, isoTime, slug } from '../../edge/http/schema/fields.ts'
import { means } from '../../edge/http/schema/meaning.ts'
import { integer, nullable, number, oneOf, text } from '../../edge/http/schema/scalars.ts'
import { object } from '../../edge/http/schema/schema.ts'
import type { PublishedMarket } from '../../exchange/read-model/published.ts'
import type { PackDesk } from './packs.ts'

export const priceOf = (ticks: number) => ticks / PRICE_ONE_TICKS

export const legFields = () => ({
  marketSlug: slug(),
  title: means(text(), 'Question of the market of the leg.'),
  outcomeIndex: means(integer(0, 1), 'Outcome that must win: 0 for YES, 1 for NO.'),
})

export const propType = () =>
  means(
    nullable(oneOf('map_winner', 'map_handicap', 'total_maps')),
    'Kind of question of an esports market; null for any other market.',
  )

export function legView({ market: { slug: marketSlug, title } }: PublishedMarket, outcome: number) {
  return { marketSlug, title, outcomeIndex: outcome }
}

/** A leg of a curated pack, of its quote and of its purchases. */
export const listedLeg = () =>
  object({
    id: means(text(), 'Id of the leg: the id of its pack, and its index.'),
    legIndex: means(integer(0), 'Index of the leg in its pack, from 0.'),
    ...legFields(),
    outcome: means(oneOf('Yes', 'No'), 'Name of the outcome that must win.'),
    marketId: means(integer(1), 'Id of the market.'),
    conditionId: means(bytes32(), 'Condition of the market.'),
    marketType: means(oneOf('single', 'group'), 'Whether the market belongs to a group.'),
    price: means(
      nullable(number(0, 1)),
      'Effective price: as bought, as quoted, or the bookPrice of the list.',
    ),
    bookPrice: means(nullable(number(0, 1)), 'Best usable ask now; null without one.'),
    livePrice: means(nullable(number(0, 1)), 'Price of the last trade; null before the first.'),
    priceAtCreation: means(
      nullable(text()),
      'Price at which the leg was bought, as decimal text; null before a purchase.',
    ),
    resolutionStatus: means(
      nullable(oneOf(...LEG_RESULTS)),
      'Result of a bought leg; VOID legs do not count. Null before a purchase.',
    ),
    resolvedAt: means(
      nullable(isoTime()),
      'When the market of a bought leg was settled; null before, and before a purchase.',
    ),
    esportsPropType: propType(),
  })

/** The data of a leg apart from its market; absent for a leg that was not bought. */
interface LegMetadata {
  readonly packId: string
  readonly legIndex: number
  readonly outcome: number
  /** Absent: the best usable ask. */
  readonly priceTicks?: PriceTicks
  readonly bought?: { readonly result: LegResult; readonly resolvedAt: string | null }
}

export function listedLegView(
  published: PublishedMarket,
  { packId, legIndex, outcome, priceTicks, bought }: LegMetadata,
  desk: Pick<PackDesk, 'requestsOfMatch' | 'bookTicks'>,
) {
  const { market, lastYesTicks, group } = published
  const bookTicks = desk.bookTicks(published, outcome)
  const bookPrice = bookTicks === null ? null : priceOf(bookTicks)
  const lastTicks = outcome === 0 ? lastYesTicks : PRICE_ONE_TICKS - lastYesTicks
  const price = priceTicks === undefined ? bookPrice : priceOf(priceTicks)
  return {
    id: `${packId}:${legIndex}`,
    legIndex,
    ...legView(published, outcome),
    outcome: outcome === 0 ? ('Yes' as const) : ('No' as const),
    marketId: market.marketId,
    conditionId: market.conditionId,
    marketType: group === null ? ('single' as const) : ('group' as const),
    price,
    bookPrice,
    livePrice: lastYesTicks === 0 ? null : priceOf(lastTicks),
    priceAtCreation: bought === undefined ? null : String(price),
    resolutionStatus: bought?.result ?? null,
    resolvedAt: bought?.resolvedAt ?? null,
    esportsPropType: desk.requestsOfMatch(published)?.propType ?? null,
  }
}

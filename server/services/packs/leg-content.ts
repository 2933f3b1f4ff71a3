// What is told of a leg of a pack, of an offer and in the feeds: where it stands, and on what.

import { slug } from '../../http/schema/fields.ts'
import { means } from '../../http/schema/meaning.ts'
import { integer, text } from '../../http/schema/scalars.ts'
import type { PublishedMarket } from '../../pipeline/shown/published.ts'

export const legFields = () => ({
  marketSlug: slug(),
  title: means(text(), 'Question of the market of the leg.'),
  outcomeIndex: means(integer(0, 1), 'Outcome that must win: 0 for YES, 1 for NO.'),
})

export function legView({ market: { slug: marketSlug, title } }: PublishedMarket, outcome: number) {
  return { marketSlug, title, outcomeIndex: outcome }
}

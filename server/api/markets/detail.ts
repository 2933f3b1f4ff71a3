// One market: alone, or in an envelope with the parts that the caller includes (rules §12.3). The
// envelope also has the fields of the market, so both replies share one schema.

import { bytes } from '../../edge/http/reply.ts'
import { means, named, pattern } from '../../edge/http/schema/scalars.ts'
import { list, openObject, optional } from '../../edge/http/schema/schema.ts'
import { marketView } from '../../exchange/read-model/market-view.ts'
import { refuse } from '../../messages/refusal.ts'
import { crumb } from '../pages/page-shapes.ts'
import type { Requester } from '../reads/private-reads.ts'
import { market } from '../shapes.ts'
import type { MarketServices } from './services.ts'

const PREVIEW = { before: 1, after: 5 }
const WORD = '(timelinePreview|nextMarket|navigation)'

export const include = () =>
  means(
    optional(
      pattern(
        `^(${WORD}(,${WORD}){0,2})?$`,
        'Any of timelinePreview, nextMarket and navigation, separated by commas.',
      ),
    ),
    'What to include; the market is then repeated as market. nextMarket is part of every market.',
  )

/** Clients in languages without union types read either reply with one type. */
export function marketReply() {
  const envelope = {
    market: means(optional(market()), 'The same market; absent unless something is included.'),
    navigation: means(
      optional(list(crumb())),
      'The path of pages to the deepest page that lists the market; absent unless included.',
    ),
    timelinePreview: means(
      optional(openObject({})),
      'Slots of its series around it, one before and five after; absent for other markets.',
    ),
  }
  return named('MarketReply', openObject({ ...market().properties, ...envelope }))
}

interface Wanted {
  readonly slug: string
  readonly include: string | undefined
  readonly requester: Requester
}

/** The market of this slug, with the parts that `include` names. */
export async function detailOf(
  { slug, include: wanted, requester }: Wanted,
  services: MarketServices,
) {
  const { pipeline, lists, archive, timelines, settings, clock } = services
  const live = pipeline.published.bySlug(slug)
  const found = live ?? (await archive.bySlug(slug, requester))
  if (found === undefined) return refuse('READ_TIMEOUT')
  if (found === null) return refuse('MARKET_NOT_FOUND')
  const json = () =>
    live === undefined
      ? Buffer.from(JSON.stringify(marketView(found, settings.collateral, clock())))
      : lists.market(live)
  if (wanted === undefined || wanted === '') return bytes(json())
  const bytesOf = json()
  const parts = [bytesOf.subarray(0, -1), Buffer.from(',"market":'), bytesOf]
  if (wanted.includes('navigation')) {
    const trail = services.marketPages.trails.of(found)
    parts.push(Buffer.from(`,"navigation":${JSON.stringify(trail)}`))
  }
  if (wanted.includes('timelinePreview') && found.market.slot !== undefined) {
    const line = await timelines.around({ series: { slug }, ...PREVIEW }, requester)
    if (line === undefined) return refuse('READ_TIMEOUT')
    const preview = line === null ? null : { ...line.slots, ...line.of }
    parts.push(Buffer.from(`,"timelinePreview":${JSON.stringify(preview)}`))
  }
  parts.push(Buffer.from('}'))
  return bytes(Buffer.concat(parts))
}

// How a client names markets in a public channel, and the markets that it means.

import { invalid, type Refusal, refuse } from '../../../http/refusal.ts'
import type { PublishedMarket, PublishedMarkets } from '../../../pipeline/shown/published.ts'

/** The markets by slug, or the refusal when one of them is not shown. */
export function marketsNamed(
  published: PublishedMarkets,
  slugs: readonly string[],
): Map<string, PublishedMarket> | Refusal {
  const found = new Map<string, PublishedMarket>()
  for (const slug of slugs) {
    const shown = published.bySlug(slug)
    if (shown === undefined) return refuse('MARKET_NOT_FOUND')
    found.set(slug, shown)
  }
  return found
}

export function namesMissing(): Refusal {
  return invalid({ field: 'marketSlugs', message: 'must name the markets' })
}

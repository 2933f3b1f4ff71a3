// Resolves the market names that a client sends in a public channel.

import { kindOf } from '../../../../engine/domain/markets/market.ts'
import { childrenNamed } from '../../../exchange/read-model/market-kinds.ts'
import type { PublishedMarket, PublishedMarkets } from '../../../exchange/read-model/published.ts'
import { invalid, type Refusal, refuse } from '../../../messages/refusal.ts'

/** The markets whose tapes are requested, a group by its children; or the refusal. */
export function tapesNamed(
  published: PublishedMarkets,
  slugs: readonly string[],
): Map<string, PublishedMarket> | Refusal {
  const found = new Map<string, PublishedMarket>()
  const missing: string[] = []
  for (const slug of slugs) {
    const shown = published.bySlug(slug)
    if (shown === undefined) missing.push(slug)
    else for (const each of tapesOf(published, shown)) found.set(each.market.slug, each)
  }
  return missing.length > 0 ? marketsMissing(published, missing) : found
}

/** A group trades through its children. One that left memory does not trade any more. */
export function tapesOf(
  published: PublishedMarkets,
  shown: PublishedMarket,
): readonly PublishedMarket[] {
  if (kindOf(shown.market) !== 'group') return [shown]
  return shown.children.filter((child) => published.bySlug(child.market.slug) === child)
}

/**
 * Reports which names of the client are unknown. For a group among them, the error lists its
 * markets, which the channel accepts instead.
 */
export function marketsMissing(published: PublishedMarkets, missing: readonly string[]): Refusal {
  for (const slug of missing) {
    const group = published.bySlug(slug)
    if (group !== undefined) return refuse('MARKET_NOT_FOUND', { ...childrenNamed(group), missing })
  }
  return refuse('MARKET_NOT_FOUND', { missing })
}

export function namesMissing(): Refusal {
  return invalid({ field: 'marketSlugs', message: 'must name the markets' })
}

// Markets that rows name by their slug alone: the page reads what they are called once.

import { read } from '../../exchange/api.ts'
import type { MarketView } from '../../exchange/shapes.ts'

const KNOWN_MAX = 200

const known = new Map<string, MarketView | null>()

async function readMarket(slug: string, signal: AbortSignal): Promise<void> {
  if (known.has(slug)) return
  // A market that cannot be read leaves its rows with its slug.
  const found = await read<MarketView>(`/markets/${encodeURIComponent(slug)}`, signal).catch(
    () => null,
  )
  if (signal.aborted) return
  for (const oldest of known.keys()) if (known.size >= KNOWN_MAX) known.delete(oldest)
  known.set(slug, found)
}

/** Gives what is known of each market, null for one that cannot be read. */
export async function marketsOf(
  slugs: Iterable<string>,
  signal: AbortSignal,
): Promise<(slug: string) => MarketView | null> {
  await Promise.all([...new Set(slugs)].map((slug) => readMarket(slug, signal)))
  return (slug) => known.get(slug) ?? null
}

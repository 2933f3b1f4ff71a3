// Follows and bookmarks of the demo's traders. Repeating these calls changes nothing.

import { DemoClient, type DemoTrader } from './demo-client.ts'
import type { Filling } from './demo-profiles.ts'
import { GROUP, MARKETS, POOL } from './demo-text.ts'

const BOOKMARKS = [
  ...MARKETS.slice(0, 3).map(({ slug }) => `clob/${slug}`),
  `negrisk/${GROUP.slug}`,
  `amm/${POOL.slug}`,
]

/** The traders follow each other and bookmark some markets; the first shows its bookmarks. */
export async function fillSocial(
  { venue, isStopped }: Filling,
  traders: readonly DemoTrader[],
): Promise<void> {
  for (const [index, trader] of traders.entries()) {
    const client = new DemoClient(trader, venue)
    const others = traders.filter((other) => other !== trader)
    const paths = [
      ...others.map(({ account }) => `/profiles/${account}/follow`),
      ...BOOKMARKS.slice(index).map((target) => `/market-bookmarks/${target}`),
    ]
    for (const path of paths) {
      if (isStopped()) return
      await client.call('PUT', path)
    }
    if (index === 0) await client.call('PATCH', '/market-bookmarks/visibility', { isPublic: true })
  }
}

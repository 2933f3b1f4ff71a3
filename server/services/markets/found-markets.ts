// Markets that the tables found, as they are sent: in their order, from the bytes that every reader
// gets. The tables lag a little, so a market that takes no orders any more is left out (law 1).

import type { MarketId } from '../../../engine/domain/ids.ts'
import { takesOrders } from '../../../engine/domain/markets/market.ts'
import type { MarketLists } from '../../pipeline/shown/lists/market-lists.ts'
import type { PublishedMarkets } from '../../pipeline/shown/published.ts'
import type { Asker } from '../private-reads.ts'

/** Callers that search take turns as one: their reads cost more than those of others. */
export const SEARCHERS: Asker = { profileId: -2 }

const OPEN = Buffer.from('[')
const CLOSE = Buffer.from(']')
const COMMA = Buffer.from(',')

/** A JSON list of the markets of these ids that are active. */
export function foundMarkets(
  marketIds: readonly MarketId[],
  { published, lists }: { published: PublishedMarkets; lists: MarketLists },
): Buffer {
  const parts: Buffer[] = [OPEN]
  for (const marketId of marketIds) {
    const found = published.byId(marketId)
    if (found === undefined || !takesOrders(found.status)) continue
    if (parts.length > 1) parts.push(COMMA)
    parts.push(lists.market(found))
  }
  parts.push(CLOSE)
  return Buffer.concat(parts)
}

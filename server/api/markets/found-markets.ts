// Sends markets that the tables found, in their order, from the bytes that all readers share. The
// tables lag slightly behind, so a market that no longer accepts orders is omitted (invariant 1).

import type { MarketId } from '../../../engine/domain/ids.ts'
import { takesOrders } from '../../../engine/domain/markets/market.ts'
import type { MarketLists } from '../../exchange/read-model/lists/market-lists.ts'
import type { PublishedMarkets } from '../../exchange/read-model/published.ts'
import type { Part } from '../../messages/payload.ts'
import { publicRequester, type Requester } from '../reads/private-reads.ts'

/** Callers that search share one group: their reads cost more than those of others. */
export function searcherOf(call: Parameters<typeof publicRequester>[0]): Requester {
  return { ...publicRequester(call), group: 'searches' }
}

/** The JSON of those of these markets that are active, separated by commas. */
export function foundMarkets(
  marketIds: readonly MarketId[],
  { published, lists }: { published: PublishedMarkets; lists: MarketLists },
  isBare = false,
): readonly Part[] {
  const found = marketIds.flatMap((marketId) => {
    const shown = published.byId(marketId)
    return shown !== undefined && takesOrders(shown.status) ? [shown] : []
  })
  return lists.joined(found, isBare)
}

// Restores the public market data that is not in memory after a start: the trades of the last day,
// and the markets that left memory before their group. A start reads it from the tables before the
// first command is decided, so nothing is counted twice or missed.

import { LIMITS } from '../../engine/domain/limits.ts'
import { dayBucketOf, oldestBucketOf } from '../../engine/domain/markets/day-window.ts'
import { kindOf } from '../../engine/domain/markets/market.ts'
import type { TimeMs } from '../../engine/domain/units.ts'
import { DataFolderError } from '../../persistence/folder-error.ts'
import { patiently } from '../../persistence/query/patient-read.ts'
import type { QueryHandle } from '../../persistence/query/query-handle.ts'
import { type CandlePlace, candlesAfter } from '../../persistence/query/read/history/candles.ts'
import { archivedOfGroup } from '../../persistence/query/read/markets/markets.ts'
import type { Query } from '../../persistence/query/read/query.ts'
import { DayFigures } from '../exchange/read-model/day-figures.ts'
import type { PublishedMarkets } from '../exchange/read-model/published.ts'

/** Returns the answer of the tables; without one the start fails. */
async function answered<Requested, Answer>(
  query: QueryHandle,
  read: Query<Requested, Answer>,
  requested: Requested,
): Promise<Answer> {
  const found = await patiently(() => query.request(read, requested))
  if (found !== undefined) return found
  throw new DataFolderError('The read tables did not return the market history; start again.')
}

/** Restores the tables' data of markets, and lets new fills count for the last day. */
export async function restoreShown(
  query: QueryHandle,
  published: PublishedMarkets,
  clock: () => TimeMs,
): Promise<void> {
  await restoreGroups(query, published)
  await restoreLastDay(query, published, clock)
}

async function restoreLastDay(
  query: QueryHandle,
  published: PublishedMarkets,
  clock: () => TimeMs,
): Promise<void> {
  const limit = LIMITS.candlesReadMax
  let place: CandlePlace = { bucket: oldestBucketOf(dayBucketOf(clock())), marketId: 0 }
  // Without a market in memory, nothing is shown and no thread is needed.
  let isMore = published.all().length > 0
  while (isMore) {
    const candles = await answered(query, candlesAfter, { ...place, limit })
    for (const candle of candles) {
      const market = published.byId(candle.marketId)
      if (market === undefined) continue
      market.day ??= new DayFigures()
      market.day.add(candle.bucket, candle)
    }
    isMore = candles.length === limit
    place = candles.at(-1) ?? place
  }
  published.countDays(clock)
}

/** A group shows all its markets until it leaves memory after them. */
async function restoreGroups(query: QueryHandle, published: PublishedMarkets): Promise<void> {
  for (const group of published.all()) {
    // Markets of a group are resolved together, and none leaves memory before that.
    if (kindOf(group.market) !== 'group' || group.status !== 'RESOLVED') continue
    published.restoreGroup(group, await answered(query, archivedOfGroup, group.market.marketId))
  }
}

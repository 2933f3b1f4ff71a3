// What the markets traded in the last day, from the read tables. A start reads it before the first
// command is decided, so that nothing counts twice and nothing is missed.

import { setTimeout as pause } from 'node:timers/promises'
import { dayBucketOf, oldestBucketOf } from '../../engine/domain/day-window.ts'
import { LIMITS } from '../../engine/domain/limits.ts'
import type { TimeMs } from '../../engine/domain/units.ts'
import { DataFolderError } from '../../persistence/folder-error.ts'
import type { QueryHandle } from '../../persistence/query/query-handle.ts'
import { candlesAfter } from '../../persistence/query/read/history/candles.ts'
import { DayFigures } from '../pipeline/shown/day-figures.ts'
import type { PublishedMarkets } from '../pipeline/shown/published.ts'

/** Gives the next bucket, or null; without an answer the start fails. */
async function next(query: QueryHandle, afterBucket: number) {
  for (let attempt = 0; attempt < LIMITS.settledReadsMax; attempt++) {
    const found = await query.ask(candlesAfter, { afterBucket })
    if (found !== undefined) return found
    await pause(LIMITS.settledReadPauseMs)
  }
  throw new DataFolderError('The read tables do not say what the last day traded; start it again.')
}

/** Fills the figures of the last day, and lets new fills count. */
export async function restoreLastDay(
  query: QueryHandle,
  published: PublishedMarkets,
  clock: () => TimeMs,
): Promise<void> {
  // An exchange without markets has traded nothing, and needs no thread to say so.
  if (published.lastId > 0) {
    let afterBucket = oldestBucketOf(dayBucketOf(clock())) - 1
    for (;;) {
      const found = await next(query, afterBucket)
      if (found === null) break
      for (const { marketId, ...candle } of found.candles) {
        const market = published.byId(marketId)
        if (market === undefined) continue
        market.day ??= new DayFigures()
        market.day.add(found.bucket, candle)
      }
      afterBucket = found.bucket
    }
  }
  published.countDays(clock)
}

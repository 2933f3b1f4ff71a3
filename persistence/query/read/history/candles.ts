import type { MarketId } from '../../../../engine/domain/ids.ts'
import { type GrowingSum, SUM_CARRY_RAW } from '../../../../engine/domain/units.ts'
import { query } from '../query.ts'

// What the markets traded in the last day, so many candles with each question: many markets may
// have traded in one bucket.

/** A volume may be larger than what a number holds. */
const AFTER = `
SELECT bucket, market_id AS marketId, first_ticks AS firstTicks, high_ticks AS highTicks,
  low_ticks AS lowTicks, volume_raw % ${SUM_CARRY_RAW} AS raw,
  volume_raw / ${SUM_CARRY_RAW} AS carries
FROM candles WHERE (bucket, market_id) > (?, ?) ORDER BY bucket, market_id LIMIT ?`

/** Names a candle: the bucket of its time, then its market. */
export interface CandlePlace {
  readonly bucket: number
  readonly marketId: MarketId
}

export interface CandleRow extends CandlePlace, Readonly<GrowingSum> {
  readonly firstTicks: number
  readonly highTicks: number
  readonly lowTicks: number
}

/** The first candles behind a place, by bucket and market; fewer than `limit` when that is all. */
export const candlesAfter = query({
  name: 'candlesAfter',
  prepare: (db) => ({ after: db.prepare<[number, MarketId, number], CandleRow>(AFTER) }),
  run: ({ after }, { bucket, marketId, limit }: CandlePlace & { limit: number }) =>
    after.all(bucket, marketId, limit),
})

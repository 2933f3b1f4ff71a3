import type { MarketId } from '../../../../engine/domain/ids.ts'
import { type GrowingSum, SUM_CARRY_RAW } from '../../../../engine/domain/units.ts'
import { query } from '../query.ts'

// The markets' trading in the last day, a number of candles per query: many markets may have traded
// in one bucket.

/** A volume may exceed the safe integers. */
const AFTER = `
SELECT bucket, market_id AS marketId, first_ticks AS firstTicks, high_ticks AS highTicks,
  low_ticks AS lowTicks, volume_raw % ${SUM_CARRY_RAW} AS raw,
  volume_raw / ${SUM_CARRY_RAW} AS carries
FROM candles WHERE (bucket, market_id) > (?, ?) ORDER BY bucket, market_id LIMIT ?`

/** Identifies a candle by the bucket of its time and its market. */
export interface CandlePlace {
  readonly bucket: number
  readonly marketId: MarketId
}

export interface CandleRow extends CandlePlace, Readonly<GrowingSum> {
  readonly firstTicks: number
  readonly highTicks: number
  readonly lowTicks: number
}

/** The first candles after a position, by bucket and market; fewer than `limit` at the end. */
export const candlesAfter = query({
  name: 'candlesAfter',
  prepare: (db) => ({ after: db.prepare<[number, MarketId, number], CandleRow>(AFTER) }),
  run: ({ after }, { bucket, marketId, limit }: CandlePlace & { limit: number }) =>
    after.all(bucket, marketId, limit),
})

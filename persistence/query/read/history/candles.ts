import type { MarketId } from '../../../../engine/domain/ids.ts'
import { type GrowingSum, SUM_CARRY_RAW } from '../../../../engine/domain/units.ts'
import { query } from '../query.ts'

// What the markets traded in the last day, one bucket of time with each question.

const NEXT = 'SELECT bucket FROM candles WHERE bucket > ? ORDER BY bucket LIMIT 1'
/** A volume may be larger than what a number holds. */
const OF_BUCKET = `
SELECT market_id AS marketId, first_ticks AS firstTicks, high_ticks AS highTicks,
  low_ticks AS lowTicks, volume_raw % ${SUM_CARRY_RAW} AS raw,
  volume_raw / ${SUM_CARRY_RAW} AS carries
FROM candles WHERE bucket = ?`

export interface CandleRow extends Readonly<GrowingSum> {
  readonly marketId: MarketId
  readonly firstTicks: number
  readonly highTicks: number
  readonly lowTicks: number
}

export interface CandlesOfBucket {
  readonly bucket: number
  readonly candles: readonly CandleRow[]
}

/** The first bucket after `afterBucket` that has candles, with all of them; null for none. */
export const candlesAfter = query({
  name: 'candlesAfter',
  prepare: (db) => ({
    next: db.prepare<[number], { bucket: number }>(NEXT),
    ofBucket: db.prepare<[number], CandleRow>(OF_BUCKET),
  }),
  run: ({ next, ofBucket }, { afterBucket }: { afterBucket: number }): CandlesOfBucket | null => {
    const bucket = next.get(afterBucket)?.bucket
    return bucket === undefined ? null : { bucket, candles: ofBucket.all(bucket) }
  },
})

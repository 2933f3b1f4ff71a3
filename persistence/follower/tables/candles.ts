import type { MarketId } from '../../../engine/domain/ids.ts'
import { dayBucketOf, oldestBucketOf } from '../../../engine/domain/markets/day-window.ts'
import type { TimeMs } from '../../../engine/domain/units.ts'
import type { Connection, Statement } from '../../database.ts'
import { eachPaced, type Pace } from './pace.ts'

// Each market's trading in each bucket of the last day. Main counts the same in memory, and reads
// these rows at its start. A reversed trade remains in them, as it remains in the volume of its
// market. The window ends at the newest trade, so the table has at most one row per bucket and
// market that traded in it.

const PUT = `
INSERT INTO candles
  (bucket, market_id, first_ticks, high_ticks, low_ticks, last_ticks, volume_raw)
VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
  high_ticks = max(high_ticks, excluded.high_ticks),
  low_ticks = min(low_ticks, excluded.low_ticks),
  last_ticks = excluded.last_ticks,
  volume_raw = volume_raw + excluded.volume_raw`
const OLDEST = 'SELECT bucket FROM candles ORDER BY bucket LIMIT 1'
const FORGET = 'DELETE FROM candles WHERE bucket = ?'
/** A candle is written before its volume exceeds the safe integers; the table adds up. */
const VOLUME_RAW_MAX = 2 ** 52

interface Candle {
  readonly bucket: number
  readonly marketId: MarketId
  readonly firstTicks: number
  highTicks: number
  lowTicks: number
  lastTicks: number
  volumeRaw: number
}

/** One fill: a YES price, and the taker's leg in collateral. */
export interface CandleFill {
  readonly marketId: MarketId
  readonly yesTicks: number
  readonly valueRaw: number
  readonly nowMs: TimeMs
}

export class CandlesTable {
  readonly #put: Statement<[number, MarketId, number, number, number, number, number]>
  readonly #oldest: Statement<[], { bucket: number }>
  readonly #forget: Statement<[number]>
  /** Unwritten candles of the current bucket. */
  readonly #open = new Map<MarketId, Candle>()
  #bucket = 0
  #closed: Candle[] = []
  #isNewBucket = false

  constructor(connection: Connection) {
    this.#put = connection.prepare(PUT)
    this.#oldest = connection.prepare(OLDEST)
    this.#forget = connection.prepare(FORGET)
  }

  filled({ marketId, yesTicks, valueRaw, nowMs }: CandleFill): void {
    const bucket = dayBucketOf(nowMs)
    if (bucket !== this.#bucket) this.#begin(bucket)
    const candle = this.#open.get(marketId)
    if (candle === undefined) {
      const ticks = { firstTicks: yesTicks, highTicks: yesTicks, lowTicks: yesTicks }
      this.#open.set(marketId, {
        bucket,
        marketId,
        ...ticks,
        lastTicks: yesTicks,
        volumeRaw: valueRaw,
      })
      return
    }
    candle.highTicks = Math.max(candle.highTicks, yesTicks)
    candle.lowTicks = Math.min(candle.lowTicks, yesTicks)
    candle.lastTicks = yesTicks
    candle.volumeRaw += valueRaw
    if (candle.volumeRaw < VOLUME_RAW_MAX) return
    this.#closed.push(candle)
    this.#open.delete(marketId)
  }

  /** Runs inside the chunk's transaction. */
  flush(pace: Pace): void {
    this.#close()
    eachPaced(this.#closed, pace, (candle) => this.#write(candle))
    this.#closed = []
    if (this.#isNewBucket) this.#dropOld(oldestBucketOf(this.#bucket), pace)
    this.#isNewBucket = false
  }

  /** One bucket at a time: after a stop of a day, the whole table is old. */
  #dropOld(oldest: number, pace: Pace): void {
    for (;;) {
      const bucket = this.#oldest.get()?.bucket ?? oldest
      if (bucket >= oldest) return
      this.#forget.run(bucket)
      pace.look()
    }
  }

  #begin(bucket: number): void {
    this.#close()
    this.#bucket = bucket
    this.#isNewBucket = true
    // A rebuild covers many days in one chunk, so rows older than a day are not written at all.
    const oldest = oldestBucketOf(bucket)
    this.#closed = this.#closed.filter((candle) => candle.bucket >= oldest)
  }

  #close(): void {
    for (const candle of this.#open.values()) this.#closed.push(candle)
    this.#open.clear()
  }

  #write(candle: Candle): void {
    const { bucket, marketId, firstTicks, highTicks, lowTicks, lastTicks, volumeRaw } = candle
    this.#put.run(bucket, marketId, firstTicks, highTicks, lowTicks, lastTicks, volumeRaw)
  }
}

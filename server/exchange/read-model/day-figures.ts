// The trades of one market in the last day, in buckets of five minutes. A market that never traded
// has none. A bucket takes 20 bytes, so a market takes at most about 6 KB. Invariants: buckets rise
// from the oldest to the newest; none is empty; a whole day always fits.

import { assert } from '../../../engine/domain/assert.ts'
import { DAY_BUCKETS, oldestBucketOf } from '../../../engine/domain/markets/day-window.ts'
import { addTo, type GrowingSum, SUM_CARRY_RAW } from '../../../engine/domain/units.ts'

export interface DayBucket extends Readonly<GrowingSum> {
  readonly firstTicks: number
  readonly highTicks: number
  readonly lowTicks: number
}

/** Prices are YES prices. */
export interface DayView {
  readonly volume: GrowingSum
  /** The first price of the day. */
  readonly openTicks: number
  readonly highTicks: number
  readonly lowTicks: number
}

/** Volume of four hours ago counts half as much as current volume. */
const HALVING_BUCKETS = 48
const CAPACITY_AT_FIRST = 4

function columnsOf(capacity: number) {
  return {
    bucket: new Int32Array(capacity),
    firstTicks: new Uint16Array(capacity),
    highTicks: new Uint16Array(capacity),
    lowTicks: new Uint16Array(capacity),
    carries: new Uint16Array(capacity),
    raw: new Float64Array(capacity),
  }
}

export class DayFigures {
  /** A ring of buckets. */
  #columns = columnsOf(CAPACITY_AT_FIRST)
  #capacity = CAPACITY_AT_FIRST
  #head = 0
  #count = 0

  /** Adds a fill at a YES price; `valueRaw` is the taker's leg. Buckets never go back. */
  traded(bucket: number, yesTicks: number, valueRaw: number): void {
    const columns = this.#columns
    const at = this.#at(this.#count - 1)
    if (this.#count === 0 || columns.bucket[at] < bucket) {
      const ticks = { firstTicks: yesTicks, highTicks: yesTicks, lowTicks: yesTicks }
      this.add(bucket, { ...ticks, raw: valueRaw, carries: 0 })
      return
    }
    columns.highTicks[at] = Math.max(columns.highTicks[at], yesTicks)
    columns.lowTicks[at] = Math.min(columns.lowTicks[at], yesTicks)
    columns.raw[at] += valueRaw
    if (columns.raw[at] < SUM_CARRY_RAW) return
    columns.raw[at] -= SUM_CARRY_RAW
    columns.carries[at]++
  }

  /** Adds a bucket after the newest one, and forgets those older than a day. */
  add(bucket: number, { firstTicks, highTicks, lowTicks, raw, carries }: DayBucket): void {
    const newest = this.#columns.bucket[this.#at(this.#count - 1)]
    assert(this.#count === 0 || newest < bucket, 'buckets are added in order')
    while (this.#count > 0 && this.#columns.bucket[this.#head] < oldestBucketOf(bucket)) {
      this.#head = this.#at(1)
      this.#count--
    }
    if (this.#count === this.#capacity) this.#grow()
    const columns = this.#columns
    const at = this.#at(this.#count++)
    columns.bucket[at] = bucket
    columns.firstTicks[at] = firstTicks
    columns.highTicks[at] = highTicks
    columns.lowTicks[at] = lowTicks
    columns.carries[at] = carries
    columns.raw[at] = raw
  }

  /** The day that ends with `bucket`; null when nothing traded in it. */
  view(bucket: number): DayView | null {
    const columns = this.#columns
    const oldest = oldestBucketOf(bucket)
    const volume: GrowingSum = { raw: 0, carries: 0 }
    let openTicks = 0
    let highTicks = 0
    let lowTicks = Number.MAX_SAFE_INTEGER
    for (let index = 0; index < this.#count; index++) {
      const at = this.#at(index)
      if (columns.bucket[at] < oldest) continue
      if (openTicks === 0) openTicks = columns.firstTicks[at]
      highTicks = Math.max(highTicks, columns.highTicks[at])
      lowTicks = Math.min(lowTicks, columns.lowTicks[at])
      addTo(volume, columns.raw[at])
      volume.carries += columns.carries[at]
    }
    return openTicks === 0 ? null : { volume, openTicks, highTicks, lowTicks }
  }

  /**
   * Recent volume, for comparisons: the binary logarithm of the collateral of all buckets, each
   * halved once per four hours of its age, plus the time in units of four hours. Because all
   * markets age alike, a value stays valid until its market trades again.
   */
  trend(): number {
    const columns = this.#columns
    let sum = 0
    let newest = 0
    for (let index = 0; index < this.#count; index++) {
      const at = this.#at(index)
      const bucket = columns.bucket[at]
      const value = columns.raw[at] + columns.carries[at] * SUM_CARRY_RAW
      sum = sum * 2 ** ((newest - bucket) / HALVING_BUCKETS) + value
      newest = bucket
    }
    return Math.log2(Math.max(sum, 1)) + newest / HALVING_BUCKETS
  }

  #at(index: number): number {
    return (this.#head + Math.max(index, 0)) % this.#capacity
  }

  #grow(): void {
    assert(this.#capacity < DAY_BUCKETS, 'the buckets of a day fit their capacity')
    const capacity = Math.min(this.#capacity * 2, DAY_BUCKETS)
    const from = this.#columns
    const to = columnsOf(capacity)
    for (let index = 0; index < this.#count; index++) {
      const at = this.#at(index)
      to.bucket[index] = from.bucket[at]
      to.firstTicks[index] = from.firstTicks[at]
      to.highTicks[index] = from.highTicks[at]
      to.lowTicks[index] = from.lowTicks[at]
      to.carries[index] = from.carries[at]
      to.raw[index] = from.raw[at]
    }
    this.#columns = to
    this.#capacity = capacity
    this.#head = 0
  }
}

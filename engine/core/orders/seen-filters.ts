// Hot path. bench/core.bench.ts
// The keys of all orders that are remembered, in filters by age (rules §1.3). New keys go into the
// newest. It is closed after an eighth of the window or of the memory, and never changes again. The
// oldest is dropped as a whole once all its keys are older than the window, or the memory is full.
// Live orders of a dropped filter are added again, so an order is remembered while it lives.
//
// One thread adds; another thread reads the same shared memory.

import { assert } from '../../domain/assert.ts'
import type { Seq } from '../../domain/ids.ts'
import { LIMITS } from '../../domain/limits.ts'
import { DAY_MS, type TimeMs } from '../../domain/units.ts'
import {
  type CapturedSegment,
  SEGMENT_BYTES,
  SeenFilter,
  type SharedSegment,
} from './seen-filter.ts'

/**
 * Of the window and of the memory. More parts would cost each new order a search of more filters.
 */
const PARTS = 8

/** Of the two keys of a live order, in a filter that has just split. */
const LIVE_BYTES = 9

/** For how long keys are remembered at least, and in how much memory at most. */
export interface OrderMemory {
  readonly windowMs: number
  readonly bytesMax: number
}

export function orderMemory(
  days: number = LIMITS.orderMemoryDays,
  mebibytes: number = LIMITS.orderMemoryMb,
): OrderMemory {
  return { windowMs: days * DAY_MS, bytesMax: mebibytes * 2 ** 20 }
}

export interface Progress {
  readonly seq: Seq
  readonly nowMs: TimeMs
  readonly liveCount: number
}

/** What is known of a filter beside its keys. */
export interface FilterAge {
  /** The first seq whose order may be in the filter. It identifies the filter. */
  readonly firstSeq: Seq
  /** When it was opened: older filters have no newer key. 0 while there are no keys at all. */
  readonly startMs: TimeMs
}

interface AgedFilter extends FilterAge {
  startMs: TimeMs
  readonly filter: SeenFilter
  /** The MAC of the file that has this closed filter; null if there is none. */
  mac: Uint8Array | null
  /** Whether its keys must be added again (see `addMissing`). */
  isMissing: boolean
}

/** Orders from `firstSeq` to before `endSeq`. */
export interface SeqRange {
  readonly firstSeq: Seq
  readonly endSeq: Seq
}

/** What a reader does not have yet. */
export interface FiltersUpdate {
  readonly seed: number
  /** Older filters are dropped. */
  readonly oldestSeq: Seq
  /** New filters, and those with new segments; oldest first. */
  readonly filters: readonly (FilterAge & { readonly segments: readonly SharedSegment[] })[]
}

export interface CapturedAge extends FilterAge {
  readonly mac: Uint8Array | null
  /** null if its file cannot be used. */
  readonly segments: readonly CapturedSegment[] | null
}

/** Oldest first; the last one takes new keys. */
export interface CapturedFilters {
  readonly seed: number
  readonly filters: readonly CapturedAge[]
}

export class SeenFilters {
  #seed: number
  /** Oldest first. Only the last one changes. A reader has none before its first update. */
  #filters: AgedFilter[] = []
  /** Filters that a reader does not know. */
  readonly #new = new Set<Seq>()

  constructor(seed = 0) {
    this.#seed = seed | 0
  }

  /** Memory of all filters. */
  get bytes(): number {
    return this.#filters.reduce((sum, { filter }) => sum + filter.bytes, 0)
  }

  /** Every order from this one on is remembered. */
  get oldest(): FilterAge {
    return this.#filters.at(0) ?? { firstSeq: 1, startMs: 0 }
  }

  /** False if the key was certainly never added. Any thread may call it. */
  mayHold(high: number, low: number): boolean {
    const filters = this.#filters
    for (let index = 0; index < filters.length; index++) {
      if (filters[index].filter.mayHold(high, low)) return true
    }
    return false
  }

  /** For the writing thread only. */
  add(high: number, low: number): void {
    this.#newest.filter.add(high, low)
  }

  /** Closes the newest filter if it is old or large. It has all orders up to `seq`. */
  close({ seq, nowMs }: Progress, { windowMs, bytesMax }: OrderMemory): void {
    const newest = this.#newest
    const { filter } = newest
    if (filter.bytes === 0 || newest.firstSeq > seq) return
    if (newest.startMs === 0) {
      // The first filter was opened before the first command.
      newest.startMs = nowMs
      this.#new.add(newest.firstSeq)
    }
    const isOld = nowMs - newest.startMs >= windowMs / PARTS
    // A filter that is nearly full is about to take twice its memory.
    const isLarge = filter.bytes * 2 > bytesMax / PARTS && filter.isNearlyFull
    if (isOld || isLarge) this.#open({ firstSeq: seq + 1, startMs: nowMs })
  }

  /** The seq before which filters should be dropped; null if none should. */
  dueSeq({ nowMs, liveCount }: Progress, { windowMs, bytesMax }: OrderMemory): Seq | null {
    const growth = Math.max(this.#newest.filter.bytes, SEGMENT_BYTES) + liveCount * LIVE_BYTES
    let bytes = this.bytes + growth
    let oldest = 0
    for (; oldest < this.#filters.length - 1; oldest++) {
      const isOver = this.#filters[oldest + 1].startMs <= nowMs - windowMs
      // A file of an earlier version, or of a larger bound, may be a single large filter.
      const isLast = oldest === this.#filters.length - 2
      const isRecent = isLast && nowMs - this.#newest.startMs < DAY_MS
      if (!isOver && (isRecent || bytes <= bytesMax)) break
      bytes -= this.#filters[oldest].filter.bytes
    }
    return oldest === 0 ? null : this.#filters[oldest].firstSeq
  }

  /** Drops filters. Keys of older live orders were added again since `dueSeq` gave the seq. */
  drop(beforeSeq: Seq): void {
    while (this.#filters.length > 0 && this.oldest.firstSeq < beforeSeq) this.#filters.shift()
  }

  takeUpdates(): FiltersUpdate {
    const filters = this.#filters.flatMap(({ firstSeq, startMs, filter }) => {
      const segments = filter.takeUpdates()
      const isNew = this.#new.delete(firstSeq)
      return isNew || segments.length > 0 ? [{ firstSeq, startMs, segments }] : []
    })
    this.#new.clear()
    return { seed: this.#seed, oldestSeq: this.oldest.firstSeq, filters }
  }

  /** For a reader: it now finds all keys that the writer had added before this update. */
  adopt({ seed, oldestSeq, filters }: FiltersUpdate): void {
    this.#seed = seed
    for (const { segments, ...age } of filters) {
      const known = this.#filters.find(({ firstSeq }) => firstSeq === age.firstSeq)
      const adopting = known ?? this.#open(age)
      adopting.startMs = age.startMs
      adopting.filter.adopt(segments)
    }
    this.drop(oldestSeq)
  }

  /** The newest filter as a copy, and the closed ones, which do not change. */
  capture(): CapturedFilters {
    const newest = this.#newest
    const filters = this.#filters.map(({ firstSeq, startMs, mac, filter }) => {
      const isNewest = firstSeq === newest.firstSeq
      return { firstSeq, startMs, mac, segments: isNewest ? filter.copy() : filter.segments() }
    })
    return { seed: this.#seed, filters }
  }

  /** The filter is in a file with this MAC. */
  isSaved({ firstSeq }: FilterAge, mac: Uint8Array): void {
    const saved = this.#filters.find((each) => each.firstSeq === firstSeq)
    if (saved !== undefined) saved.mac = mac
  }

  /** The captured filters, ready for writing. */
  static restore({ seed, filters }: CapturedFilters): SeenFilters {
    const restored = new SeenFilters(seed)
    for (const { segments, mac, ...age } of filters) {
      restored.#open(age)
      const newest = restored.#newest
      newest.filter.restore(segments ?? [])
      newest.mac = segments === null ? null : mac
      newest.isMissing = segments === null
    }
    return restored
  }

  /**
   * Fills the restored filters whose files could not be used. `keysOf` gives the keys of their
   * orders. Returns whether there were any.
   */
  addMissing(keysOf: (range: SeqRange) => Iterable<readonly [high: number, low: number]>): boolean {
    let isAny = false
    for (const [index, each] of this.#filters.entries()) {
      if (!each.isMissing) continue
      const endSeq = this.#filters.at(index + 1)?.firstSeq ?? Number.POSITIVE_INFINITY
      for (const key of keysOf({ firstSeq: each.firstSeq, endSeq })) each.filter.add(...key)
      each.isMissing = false
      isAny = true
    }
    return isAny
  }

  get #newest(): AgedFilter {
    return this.#filters.at(-1) ?? this.#open({ firstSeq: 1, startMs: 0 })
  }

  #open(age: FilterAge): AgedFilter {
    const last = this.#filters.at(-1)
    assert(last === undefined || last.firstSeq < age.firstSeq, 'a later filter has later keys')
    const opened = { ...age, filter: new SeenFilter(this.#seed), mac: null, isMissing: false }
    this.#filters.push(opened)
    this.#new.add(age.firstSeq)
    return opened
  }
}

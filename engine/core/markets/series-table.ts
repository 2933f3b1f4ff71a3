// Series that create slots or have slots in memory (rules §10). Only commands change them.
// Invariants: ids count from 1 and are never reused; a series has at most one slot per start; live
// series are unique by symbol, frequency and sub-frequency.

import { assert } from '../../domain/assert.ts'
import type { MarketId, SeriesId } from '../../domain/ids.ts'
import {
  type SeriesChange,
  type SeriesKey,
  type SeriesSpec,
  seriesKeyText,
  slotMsOf,
} from '../../domain/markets/series.ts'
import type { TimeMs } from '../../domain/units.ts'
import { hashedFieldsOf } from '../cells/hashed-fields.ts'

export interface Series extends SeriesSpec {
  readonly seriesId: SeriesId
  readonly createdMs: TimeMs
  /** No more slots are created. */
  isEnded: boolean
  /** When its newest slot ends; 0 before the first slot. */
  lastEndMs: TimeMs
  /** Markets of its slots in memory, by start. */
  readonly slots: Map<TimeMs, MarketId>
}

type CapturedSeries = Omit<Series, 'slots'> & {
  readonly slots: readonly (readonly [startMs: TimeMs, marketId: MarketId])[]
}
export interface CapturedSeriesTable {
  readonly lastId: SeriesId
  readonly series: readonly CapturedSeries[]
}

export class SeriesTable {
  readonly #byId = new Map<SeriesId, Series>()
  readonly #byKey = new Map<string, Series>()
  readonly #byStableSlug = new Map<string, Series>()
  readonly #byPrefix = new Map<string, Series>()
  /** Number of series with each symbol. */
  readonly #symbols = new Map<string, number>()
  lastId: SeriesId = 0

  /** Series in memory. */
  get count(): number {
    return this.#byId.size
  }

  byId(seriesId: SeriesId): Series | undefined {
    return this.#byId.get(seriesId)
  }

  /** For ids in a journaled command, whose series is always in memory. */
  existing(seriesId: SeriesId): Series {
    const series = this.#byId.get(seriesId)
    assert(series !== undefined, 'the series of a command is in memory')
    return series
  }

  byKey(key: SeriesKey): Series | undefined {
    return this.#byKey.get(seriesKeyText(key))
  }

  byStableSlug(slug: string): Series | undefined {
    return this.#byStableSlug.get(slug)
  }

  byPrefix(prefix: string): Series | undefined {
    return this.#byPrefix.get(prefix)
  }

  /** Whether the slug is reserved for a slot of a series or for the series itself. */
  claims(slug: string): boolean {
    const prefix = /^(.+)-[0-9]+$/.exec(slug)?.[1] ?? ''
    return this.#byPrefix.has(prefix) || this.#byStableSlug.has(slug)
  }

  hasSymbol(symbol: string): boolean {
    return this.#symbols.has(symbol)
  }

  /** By ascending id. */
  all(): Iterable<Series> {
    return this.#byId.values()
  }

  create(seriesId: SeriesId, spec: SeriesSpec, nowMs: TimeMs): void {
    assert(seriesId === this.lastId + 1, 'series ids count from 1')
    this.lastId = seriesId
    const slots = new Map<TimeMs, MarketId>()
    this.#add({ ...spec, seriesId, createdMs: nowMs, isEnded: false, lastEndMs: 0, slots })
  }

  #add(series: Series): void {
    this.#byId.set(series.seriesId, series)
    this.#symbols.set(series.symbol, (this.#symbols.get(series.symbol) ?? 0) + 1)
    this.#byPrefix.set(series.slugPrefix, series)
    if (series.isEnded) return
    assert(this.byKey(series) === undefined, 'one live series has a key')
    assert(this.byStableSlug(series.stableSlug) === undefined, 'one live series has a stable slug')
    this.#byKey.set(seriesKeyText(series), series)
    this.#byStableSlug.set(series.stableSlug, series)
  }

  edit(seriesId: SeriesId, change: SeriesChange): void {
    const series = this.existing(seriesId)
    assert(!series.isEnded, 'an ended series is not edited')
    Object.assign(series, change)
  }

  /** Returns the symbol if no other series has it; otherwise null. */
  end(seriesId: SeriesId): string | null {
    const series = this.existing(seriesId)
    assert(!series.isEnded, 'a series ends once')
    series.isEnded = true
    this.#byKey.delete(seriesKeyText(series))
    this.#byStableSlug.delete(series.stableSlug)
    return this.#forgetIfOver(series)
  }

  slotCreated(seriesId: SeriesId, startMs: TimeMs, marketId: MarketId): Series {
    const series = this.existing(seriesId)
    assert(!series.isEnded && startMs >= series.lastEndMs, 'slots follow one another')
    series.slots.set(startMs, marketId)
    series.lastEndMs = startMs + slotMsOf(series)
    return series
  }

  /**
   * The slot's market was archived. Returns the symbol if no series has it any more; otherwise
   * null.
   */
  slotGone(seriesId: SeriesId, startMs: TimeMs): string | null {
    const series = this.existing(seriesId)
    series.slots.delete(startMs)
    return this.#forgetIfOver(series)
  }

  #forgetIfOver(series: Series): string | null {
    if (!series.isEnded || series.slots.size > 0) return null
    this.#byId.delete(series.seriesId)
    this.#byPrefix.delete(series.slugPrefix)
    const left = (this.#symbols.get(series.symbol) ?? 0) - 1
    if (left > 0) this.#symbols.set(series.symbol, left)
    else this.#symbols.delete(series.symbol)
    return left > 0 ? null : series.symbol
  }

  capture(): CapturedSeriesTable {
    const series = Array.from(this.all(), (each) => ({ ...each, slots: [...each.slots] }))
    return { lastId: this.lastId, series }
  }

  restore({ lastId, series }: CapturedSeriesTable): void {
    this.lastId = lastId
    for (const each of series) this.#add({ ...each, slots: new Map(each.slots) })
  }

  /** The full state by ascending id, for the state hash; empty before the first series. */
  *hashedFields(): Iterable<unknown> {
    if (this.lastId > 0) yield ['series', this.lastId]
    for (const { slots, ...series } of this.#byId.values())
      yield [...hashedFieldsOf(series), [...slots]]
  }
}

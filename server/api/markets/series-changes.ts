// Changes to series by operators and the oracle (rules §10). Each one is an ordinary command.

import { decideEdit } from '../../../engine/core/decide/markets.ts'
import { decideReport, decideSeries, newSlot } from '../../../engine/core/decide/series.ts'
import type { Series } from '../../../engine/core/markets/series-table.ts'
import type { SeriesId } from '../../../engine/domain/ids.ts'
import type { MarketAbout, MarketSpec } from '../../../engine/domain/markets/market.ts'
import { SLOT_FIELDS } from '../../../engine/domain/markets/market-settings.ts'
import {
  type SeriesChange,
  type SeriesSpec,
  slotMsOf,
  slotStartMs,
} from '../../../engine/domain/markets/series.ts'
import { REJECT, type Reject } from '../../../engine/domain/reject-precedence.ts'
import type { PriceE8, TimeMs } from '../../../engine/domain/units.ts'
import type { SlotSpecOf } from '../../exchange/jobs/slot-clock.ts'
import type { Pipeline } from '../../exchange/pipeline.ts'
import type { ArchivedMarkets } from './archived-markets.ts'
import { marketIds } from './market-ids.ts'

export class SeriesChanges {
  readonly #pipeline: Pipeline
  readonly #specOf: SlotSpecOf
  readonly #archive: Pick<ArchivedMarkets, 'isPrefixUsed'>

  constructor(
    pipeline: Pipeline,
    specOf: SlotSpecOf,
    archive: Pick<ArchivedMarkets, 'isPrefixUsed'>,
  ) {
    this.#pipeline = pipeline
    this.#specOf = specOf
    this.#archive = archive
  }

  /**
   * Creates a series, whose slots are then created automatically. With `strikeE8` its first slot is
   * the one in progress, with this price at its start. Without it, the first slot is the next one.
   */
  async create(series: SeriesSpec, strikeE8: PriceE8, by?: string): Promise<SeriesId | Reject> {
    const { clearing } = this.#pipeline
    const isUsed = await this.#isUsed(series.slugPrefix)
    if (isUsed === undefined) return REJECT.READ_TIMEOUT
    if (isUsed) return this.#pipeline.refused(REJECT.SLUG_TAKEN)
    let seriesId = 0
    const creating = this.#pipeline.change(() => {
      const reject = decideSeries(clearing, series)
      if (reject !== null) return reject
      seriesId = clearing.series.lastId + 1
      return { kind: 'createSeries', seriesId, series }
    }, by)
    if (seriesId !== 0 && strikeE8 !== 0) this.#begin(seriesId, strikeE8, by)
    return (await creating) ?? seriesId
  }

  /** While memory holds every market ever created, the tables have no others. */
  async #isUsed(slugPrefix: string): Promise<boolean | undefined> {
    const { lastId, count } = this.#pipeline.clearing.catalogue
    if (lastId === count) return false
    // A slot may have left memory by a command that is not durable yet.
    await this.#pipeline.durable()
    return this.#archive.isPrefixUsed(slugPrefix)
  }

  /** Creates the slot in progress. It opens when the price at its boundary is known. */
  #begin(seriesId: SeriesId, strikeE8: PriceE8, by?: string): void {
    const { clearing, sequencer } = this.#pipeline
    const series = clearing.series.existing(seriesId)
    const startMs = slotStartMs(series, sequencer.nowMs())
    const { symbol } = series
    void this.#pipeline.change(() => newSlot(clearing, this.#specOf(series, startMs)), by)
    void this.#pipeline.change(() => {
      const boundary = clearing.oracle.boundary(symbol, startMs)
      if (boundary === undefined || boundary.isDecided) return null
      return { kind: 'decideBoundary', symbol, atMs: startMs, priceE8: strikeE8 }
    }, by)
  }

  /** The change applies to slots created from now on. */
  async edit(seriesId: SeriesId, change: SeriesChange, by?: string): Promise<Reject | null> {
    const { clearing } = this.#pipeline
    return this.#pipeline.change(() => {
      const known = clearing.series.byId(seriesId)
      if (known === undefined || known.isEnded) return REJECT.SERIES_NOT_FOUND
      return decideEdit(clearing, change) ?? { kind: 'editSeries', seriesId, change }
    }, by)
  }

  /** No more slots are created. */
  async end(seriesId: SeriesId, by?: string): Promise<Reject | null> {
    const { series } = this.#pipeline.clearing
    return this.#pipeline.change(() => {
      const known = series.byId(seriesId)
      if (known === undefined || known.isEnded) return REJECT.SERIES_NOT_FOUND
      return { kind: 'endSeries', seriesId }
    }, by)
  }

  /** The oracle observed this price at this time. */
  async report(symbol: string, atMs: TimeMs, priceE8: PriceE8): Promise<Reject | null> {
    const { clearing } = this.#pipeline
    return this.#pipeline.change((nowMs) => {
      const reject = decideReport(clearing, symbol, atMs, nowMs)
      return reject ?? { kind: 'reportPrice', symbol, atMs, priceE8 }
    })
  }
}

// The market spec of a slot, derived from its series and its start.

const MS_PER_SEC = 1000

/** The slug of the slot that begins at this time (rules §10.1). */
function slotSlug(slugPrefix: string, startMs: TimeMs): string {
  return `${slugPrefix}-${startMs / MS_PER_SEC}`
}

/** 2026-11-22 14:05 */
function minuteText(atMs: TimeMs): string {
  return new Date(atMs).toISOString().slice(0, 16).replace('T', ' ')
}

/** The fields that the market of a slot takes from its series; absent fields stay absent. */
function slotFieldsOf(series: Series): Omit<MarketAbout, 'title'> {
  const { description, categories, tags } = series
  const about: Partial<MarketAbout> = series
  const fields = SLOT_FIELDS.filter((field) => about[field] !== undefined)
  const kept = Object.fromEntries(fields.map((field) => [field, about[field]]))
  return { description, categories, tags, ...kept }
}

/** Returns the function that the slot clock calls; the ids of tokens depend on the collateral. */
export function slotSpecOf(collateralAddress: string): SlotSpecOf {
  return (series: Series, startMs: TimeMs): MarketSpec => {
    const { seriesId, slugPrefix, exchangeAddress, takerDelayMs } = series
    const slug = slotSlug(slugPrefix, startMs)
    const deadlineMs = startMs + slotMsOf(series)
    return {
      slug,
      slot: { seriesId, startMs },
      title: `${series.title}: ${minuteText(startMs)} to ${minuteText(deadlineMs)} UTC`,
      ...slotFieldsOf(series),
      properties: { ticker: [series.symbol], ...series.properties },
      deadlineMs,
      feeEnabled: series.feeEnabled,
      ...marketIds(slug, exchangeAddress, collateralAddress),
      exchangeAddress,
      adapterAddress: null,
      minSizeRaw: series.minSizeRaw,
      maxSpread: series.maxSpread,
      ...(takerDelayMs === undefined ? {} : { takerDelayMs }),
    }
  }
}

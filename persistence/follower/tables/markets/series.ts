// Series and their slots: the timelines of rules §10.3. A slot has one row from its creation on
// with its latest state, so archived slots are read like the others.

import type { Market } from '../../../../engine/core/markets/catalogue.ts'
import type { ControlCommand } from '../../../../engine/domain/command.ts'
import { SLOT_STATES, slotStateOf } from '../../../../engine/domain/markets/series.ts'
import type { Connection, Statement } from '../../../database.ts'
import { eachPaced, type Pace } from '../pace.ts'

const PUT_SERIES = `
INSERT OR REPLACE INTO series (series_id, symbol, frequency, sub_frequency, stable_slug)
VALUES (?, ?, ?, ?, ?)`
const PUT_SLOT = `
INSERT INTO slots (series_id, start_ms, end_ms, market_id, slug, state) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT DO UPDATE SET state = excluded.state`

type SeriesRow = [number, string, string, string, string]
type SlotRow = [number, number, number, number, string, number]

export class SeriesTables {
  readonly #putSeries: Statement<SeriesRow>
  readonly #putSlot: Statement<SlotRow>
  #series: SeriesRow[] = []
  /** By market. Only its latest state is written. */
  readonly #slots = new Map<number, SlotRow>()

  constructor(connection: Connection) {
    this.#putSeries = connection.prepare(PUT_SERIES)
    this.#putSlot = connection.prepare(PUT_SLOT)
  }

  created({ seriesId, series }: Extract<ControlCommand, { kind: 'createSeries' }>): void {
    const { symbol, frequency, subFrequency, stableSlug } = series
    this.#series.push([seriesId, symbol, frequency, subFrequency ?? '', stableSlug])
  }

  /** A command created or changed the market. Ignored unless it is a slot. */
  changed(market: Market): void {
    const { slot, deadlineMs, marketId, slug } = market
    if (slot === undefined || deadlineMs === null) return
    const state = SLOT_STATES.indexOf(slotStateOf(market))
    this.#slots.set(marketId, [slot.seriesId, slot.startMs, deadlineMs, marketId, slug, state])
  }

  /** Runs inside the chunk's transaction. */
  flush(pace: Pace): void {
    eachPaced(this.#series, pace, (row) => this.#putSeries.run(...row))
    eachPaced(this.#slots.values(), pace, (row) => this.#putSlot.run(...row))
    this.#series = []
    this.#slots.clear()
  }
}

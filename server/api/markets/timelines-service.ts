// Timelines of series as sent (rules §10.3).

import {
  FREQUENCIES,
  type Frequency,
  SUB_FREQUENCIES,
  type SubFrequency,
} from '../../../engine/domain/markets/series.ts'
import { SLOT_STATES } from '../../../engine/domain/markets/slot-state.ts'
import type { PriceE8, TimeMs } from '../../../engine/domain/units.ts'
import type { CandleRow } from '../../../persistence/query/read/markets/oracle-candles.ts'
import {
  type SeriesRow,
  type SlotRow,
  type TimelineParams,
  timeline,
} from '../../../persistence/query/read/markets/timeline.ts'
import { isoText } from '../../messages/iso-text.ts'
import type { PrivateReads, Requester } from '../reads/private-reads.ts'

const MS_PER_SEC = 1000
const E8 = 100_000_000

function slotView({ marketId, slug, startMs, endMs, state }: SlotRow) {
  const name = SLOT_STATES[state]
  const times = { startAt: isoText(startMs), endAt: isoText(endMs) }
  return { slotId: marketId, slug, state: name, tradable: name === 'OPEN', ...times }
}

/** A slot counts down to its next boundary: to its start before it opens, then to its end. */
function timedView(slot: SlotRow | null, nowMs: TimeMs) {
  if (slot === null) return null
  const view = slotView(slot)
  const boundaryMs = view.state === 'PRE_OPEN' ? slot.startMs : slot.endMs
  return { ...view, countdownSec: Math.max(0, Math.ceil((boundaryMs - nowMs) / MS_PER_SEC)) }
}

function jobView({ seriesId, symbol, frequency, subFrequency, stableSlug }: SeriesRow) {
  return {
    id: seriesId,
    symbol,
    frequency: named<Frequency>(FREQUENCIES, frequency) ?? FREQUENCIES[0],
    subFrequency: named<SubFrequency>(SUB_FREQUENCIES, subFrequency),
    stableSlug,
  }
}

function named<Name extends string>(names: readonly Name[], text: string): Name | null {
  return names.find((name) => name === text) ?? null
}

const numberOf = (priceE8: PriceE8) => priceE8 / E8

export function candleView({ startMs, openE8, highE8, lowE8, closeE8 }: CandleRow) {
  return {
    timestamp: startMs / MS_PER_SEC,
    open: numberOf(openE8),
    high: numberOf(highE8),
    low: numberOf(lowE8),
    close: numberOf(closeE8),
    volume: 0,
  }
}

export class Timelines {
  readonly #reads: PrivateReads
  readonly #nowMs: () => TimeMs

  constructor(reads: PrivateReads, nowMs: () => TimeMs) {
    this.#reads = reads
    this.#nowMs = nowMs
  }

  /** Null for an unknown series, undefined on a read timeout. */
  async around(params: Omit<TimelineParams, 'nowMs'>, requester: Requester) {
    const nowMs = this.#nowMs()
    const found = await this.#reads.read(timeline, { ...params, nowMs }, requester)
    if (found === undefined || found === null) return found
    const { series, anchor, current, next, batch } = found
    const anchorAt = batch.findIndex(({ startMs }) => startMs === anchor?.startMs)
    return {
      slots: {
        current: timedView(current, nowMs),
        next: timedView(next, nowMs),
        batch: batch.map((slot, at) => ({ ...slotView(slot), index: at - anchorAt })),
      },
      of: {
        anchor: anchor === null ? null : { slotId: anchor.marketId, slug: anchor.slug },
        job: jobView(series),
      },
    }
  }
}

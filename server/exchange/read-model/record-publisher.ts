// Hot path. bench/pipeline.bench.ts
// Applies the records of a market to its public state.

import {
  EVENT,
  eventCode,
  eventIsBid,
  eventKind,
  eventLeftRaw,
  eventSeq,
  eventSizeRaw,
  eventTakerIsNo,
  eventTakerSells,
  eventTicks,
  MAKER,
  RESULT,
} from '../../../engine/domain/event.ts'
import type { Seq } from '../../../engine/domain/ids.ts'
import { dayBucketOf } from '../../../engine/domain/markets/day-window.ts'
import { marksByTrade } from '../../../engine/domain/markets/mark.ts'
import {
  addTo,
  costCeilRaw,
  costFloorRaw,
  type GrowingSum,
  type TimeMs,
} from '../../../engine/domain/units.ts'
import { DayFigures } from './day-figures.ts'
import type { Depth } from './depth.ts'

/** Receives the published changes of one market. It must not throw, and must be cheap. */
export interface MarketWatch {
  /** The book, the last price or the status may have changed. */
  changed(): void
  /** A fill of the arrival of `seq`; `isBuy` when its taker takes asks of the YES book. */
  filled(seq: Seq, yesTicks: number, sizeRaw: number, isBuy: boolean): void
  /** All fills of the arrival of `seq` were reported. */
  arrived(seq: Seq): void
}

/** The figures that the records of a market change. */
export interface ShownTrades {
  readonly depth: Depth
  /** Collateral traded: the takers' legs. */
  readonly volume: GrowingSum
  /** YES price of the last trade in ticks; 0 before the first. */
  lastYesTicks: number
  /** The same of the last fill that is large enough for a mark (rules §9.1). */
  markYesTicks: number
  /** The trades of the last day; null until the market trades. */
  day: DayFigures | null
  /** Seq of the newest arrival that traded here; 0 before the first since the start. */
  tradeSeq: Seq
  /** The sockets subscribed to this market. */
  watch: MarketWatch | null
}

/**
 * Publishes a durable record of a market. Its trades count for the last day when there is a clock.
 */
export function showRecord(
  published: ShownTrades,
  words: Int32Array,
  f64s: Float64Array,
  event: number,
  dayClock: (() => TimeMs) | null,
): void {
  const ticks = eventTicks(words, event)
  const code = eventCode(words, event)
  const leftRaw = eventLeftRaw(f64s, event)
  const kind = eventKind(words, event)
  switch (kind) {
    case EVENT.FILL: {
      const sizeRaw = eventSizeRaw(f64s, event)
      const ownTicks = eventTakerIsNo(words, event) ? 1000 - ticks : ticks
      const sells = eventTakerSells(words, event)
      const valueRaw = (sells ? costFloorRaw : costCeilRaw)(ownTicks, sizeRaw)
      addTo(published.volume, valueRaw)
      countForDay(published, ticks, valueRaw, dayClock)
      published.lastYesTicks = ticks
      if (marksByTrade(sizeRaw)) published.markYesTicks = ticks
      const seq = eventSeq(f64s, event)
      const isBuy = eventTakerIsNo(words, event) === sells
      published.watch?.filled(seq, ticks, sizeRaw, isBuy)
      published.tradeSeq = seq
      // A closed maker gets its remainder back, so its level loses that remainder too.
      published.depth.shrank(ticks, sizeRaw + leftRaw, code === MAKER.CLOSED ? 0 : leftRaw)
      return
    }
    case EVENT.STP_CANCEL:
    case EVENT.CANCELED:
      // A held order was in no level.
      if (ticks !== 0) published.depth.shrank(ticks, leftRaw, 0)
      return
    case EVENT.DECREASED:
      if (ticks !== 0) {
        published.depth.shrank(ticks, leftRaw + eventSizeRaw(f64s, event), leftRaw)
      }
      return
    case EVENT.DONE:
      if (code === RESULT.RESTED) {
        published.depth.rested(ticks, leftRaw, eventIsBid(words, event))
      }
      published.watch?.arrived(eventSeq(f64s, event))
      return
    case EVENT.NOT_OPEN:
      return
    default:
      kind satisfies never
  }
}

function countForDay(
  published: ShownTrades,
  yesTicks: number,
  valueRaw: number,
  dayClock: (() => TimeMs) | null,
): void {
  if (dayClock === null) return
  published.day ??= new DayFigures()
  published.day.traded(dayBucketOf(dayClock()), yesTicks, valueRaw)
}

/** Publishes a durable trade with a pool, and the market's total volume with it. */
export function showTrade(
  published: ShownTrades,
  trade: { readonly yesTicks: number; readonly valueRaw: number; readonly volume: GrowingSum },
  dayClock: (() => TimeMs) | null,
): void {
  const { volume, yesTicks, valueRaw } = trade
  Object.assign(published.volume, volume)
  published.lastYesTicks = yesTicks
  countForDay(published, yesTicks, valueRaw, dayClock)
}

// The interface of a contender, and the parts that several of them share.

import type { CancelOrders } from '../../engine/domain/command.ts'
import {
  CANCEL_REASONS,
  EVENT,
  eventAt,
  eventKind,
  eventSizeRaw,
} from '../../engine/domain/event.ts'

/** A book or an exchange that can run a workload again and again from the start. */
export interface Contender {
  readonly fills: FillCount
  /** Runs the rows from `from` (included) to `to` (excluded). */
  run(from: number, to: number): void
  /** Work that another thread would do meanwhile. It is not timed. */
  aside?(): void
  /** Removes the orders that are left, so that the next pass begins with empty books. */
  empty(): void
}

export const USER = CANCEL_REASONS.indexOf('USER')
export const EXPIRED = CANCEL_REASONS.indexOf('EXPIRED')

/** Fills since the last `take`. Equal fills show that contenders do the same work. */
export class FillCount {
  count = 0
  filledRaw = 0

  add(sizeRaw: number): void {
    this.count++
    this.filledRaw += sizeRaw
  }

  /** Counts the fills among the records that start at byte `at` of a buffer. */
  addEvents(words: Int32Array, f64s: Float64Array, records: number, at = 0): void {
    for (let record = 0; record < records; record++) {
      const event = eventAt(at, record)
      if (eventKind(words, event) === EVENT.FILL) this.add(eventSizeRaw(f64s, event))
    }
  }

  take(): { readonly fills: number; readonly filledRaw: number } {
    const taken = { fills: this.count, filledRaw: this.filledRaw }
    this.count = 0
    this.filledRaw = 0
    return taken
  }
}

/** A cancel command of one order, to be filled in. */
export function blankCancel(nowMs: number): CancelOrders {
  return {
    kind: 'cancelOrders',
    seq: 0,
    nowMs,
    marketId: 0,
    reason: 0,
    count: 1,
    slots: new Uint32Array(1),
    generations: new Uint32Array(1),
  }
}

// The life cycle of timeline slots (rules §10.2): they are created ahead, open at their start with
// the oracle's value at that time, and are resolved by its value at their end. Each step is a
// command and follows from the state alone, so a restart continues where the last process stopped.
// Main's thread owns it.
// Invariant: nothing is due before `nextDueMs`.

import type { Clearing } from '../../../engine/core/clearing.ts'
import { newSlot } from '../../../engine/core/decide/series.ts'
import type { Market } from '../../../engine/core/markets/catalogue.ts'
import type { Boundary } from '../../../engine/core/markets/oracle.ts'
import type { Series } from '../../../engine/core/markets/series-table.ts'
import type { ControlCommand } from '../../../engine/domain/command.ts'
import { LIMITS } from '../../../engine/domain/limits.ts'
import type { MarketSpec } from '../../../engine/domain/markets/market.ts'
import {
  BOUNDARY_REPORT_MS,
  BOUNDARY_WAIT_MS,
  slotMsOf,
  slotStartMs,
} from '../../../engine/domain/markets/series.ts'
import type { TimeMs } from '../../../engine/domain/units.ts'
import { faultPoint } from '../../../engine/thread/fault-point.ts'
import type { ControlBody, Sequencer } from '../sequencer/sequencer.ts'
import type { TimeSlice } from '../sequencer/time-slice.ts'

/** The specification of the market of a slot, whose ids follow from its slug. */
export type SlotSpecOf = (series: Series, startMs: TimeMs) => MarketSpec

export interface SlotClockParts {
  readonly clearing: Clearing
  readonly sequencer: Sequencer
  readonly booksMax: number
  readonly specOf: SlotSpecOf
  /** Bounds the work of one tick: every series may have a slot that ends at the same instant. */
  readonly slice: TimeSlice
}

/** Commands after which something else may be due. */
const MOVES: ReadonlySet<ControlCommand['kind']> = new Set([
  ...(['createSeries', 'endSeries', 'createMarket', 'reportPrice', 'decideBoundary'] as const),
  ...(['openSlot', 'failSlot', 'lockMarket', 'resolveMarkets'] as const),
])
const NEVER = Number.POSITIVE_INFINITY

/** The time to create the next slot of the series; Infinity for none. */
function nextSlotMs({ slotsAhead, isEnded, lastEndMs, ...key }: Series): TimeMs {
  return isEnded ? NEVER : lastEndMs - slotsAhead * slotMsOf(key)
}

/** The next slot follows the last one, but never starts in the past. */
function nextStartMs(series: Series, nowMs: TimeMs): TimeMs {
  const startMs = slotStartMs(series, nowMs)
  return Math.max(series.lastEndMs, startMs === nowMs ? startMs : startMs + slotMsOf(series))
}

/** The time to decide the boundary, given its reports so far. */
function decisionMs({ atMs, report, isDecided }: Boundary): TimeMs {
  if (isDecided) return NEVER
  if (report?.atMs === atMs) return atMs
  return atMs + (report === null ? BOUNDARY_WAIT_MS : BOUNDARY_REPORT_MS)
}

export class SlotClock {
  readonly #parts: SlotClockParts
  /** Null when it must be recomputed. */
  #dueMs: TimeMs | null = null
  /** Earliest time of the next attempt, after a full ring or without a free book. */
  #retryMs: TimeMs = 0
  /** The time slice of this tick is over; checked after each command. */
  #isCut = false

  constructor(parts: SlotClockParts) {
    this.#parts = parts
  }

  /** Call it for each applied control command. */
  applied(command: ControlCommand): void {
    if (MOVES.has(command.kind)) this.#dueMs = null
  }

  /** The next time when `tick` has something to do; Infinity for nothing. */
  get nextDueMs(): TimeMs {
    this.#dueMs ??= this.#firstDueMs()
    if (this.#retryMs === 0) return this.#dueMs
    // After a backward step of the clock, the next attempt is no further away than before.
    const { sequencer } = this.#parts
    this.#retryMs = Math.min(this.#retryMs, sequencer.nowMs() + LIMITS.slotRetryMs)
    return Math.max(this.#dueMs, this.#retryMs)
  }

  #firstDueMs(): TimeMs {
    const { series, oracle } = this.#parts.clearing
    let dueMs = NEVER
    for (const each of series.all()) dueMs = Math.min(dueMs, nextSlotMs(each))
    for (const boundary of oracle.boundaries()) {
      const isWaited = boundary.isDecided && !this.#slotsAt(boundary).next().done
      dueMs = Math.min(dueMs, isWaited ? 0 : decisionMs(boundary))
    }
    return dueMs
  }

  /** Does what is due. A new series gets one slot per tick, because its market ids take time. */
  tick(): void {
    const { clearing, sequencer, slice } = this.#parts
    const nowMs = sequencer.nowMs()
    if (nowMs < this.nextDueMs) return
    slice.begin()
    this.#isCut = false
    this.#retryMs = 0
    this.#dueMs = null
    const { oracle } = clearing
    for (const boundary of [...oracle.boundaries()]) {
      // The slots of an earlier boundary may have been the last that needed this one.
      if (oracle.boundary(boundary.symbol, boundary.atMs) !== boundary) continue
      if (!this.#decide(boundary, nowMs) || !this.#follow(boundary)) {
        this.#retryMs = nowMs + LIMITS.slotRetryMs
      }
      if (!this.#isCut) continue
      // The rest is due at once, in the next tick.
      this.#retryMs = 0
      return
    }
    for (const series of clearing.series.all()) {
      if (nextSlotMs(series) > nowMs) continue
      if (!this.#create(series, nextStartMs(series, nowMs))) {
        this.#retryMs = nowMs + LIMITS.slotRetryMs
      }
      break
    }
  }

  /** Stamps a command; false when a ring is full or there is nothing to do now. */
  #change(decide: () => ControlBody | null): boolean {
    faultPoint('mid-slots')
    let isStamped = false
    const { reject } = this.#parts.sequencer.change(() => {
      const body = decide()
      isStamped = body !== null
      return body
    })
    if (this.#parts.slice.isOver) this.#isCut = true
    return reject === null && isStamped
  }

  #create(series: Series, startMs: TimeMs): boolean {
    const { clearing, specOf } = this.#parts
    const market = specOf(series, startMs)
    return this.#change(() => newSlot(clearing, market))
  }

  /** False when the boundary is due but a ring is full. */
  #decide(boundary: Boundary, nowMs: TimeMs): boolean {
    if (decisionMs(boundary) > nowMs) return true
    const { symbol, atMs, report } = boundary
    const priceE8 = report?.priceE8 ?? 0
    return this.#change(() => ({ kind: 'decideBoundary', symbol, atMs, priceE8 }))
  }

  /** Opens, resolves or fails the slots that meet at a decided boundary; false to retry later. */
  #follow(boundary: Boundary): boolean {
    if (!boundary.isDecided) return true
    let isDone = true
    for (const { market, ends } of [...this.#slotsAt(boundary)]) {
      const step = () => (ends ? this.#closing(market, boundary) : this.#opening(market, boundary))
      if (!this.#change(step)) isDone = false
      if (this.#isCut) break
    }
    return isDone
  }

  /** The slots that wait for the value of a decided boundary; those that end there come first. */
  *#slotsAt({ symbol, atMs }: Boundary): Generator<{ market: Market; ends: boolean }> {
    const { catalogue, series } = this.#parts.clearing
    for (const ends of [true, false]) {
      for (const each of series.all()) {
        if (each.symbol !== symbol) continue
        const marketId = each.slots.get(ends ? atMs - slotMsOf(each) : atMs)
        if (marketId === undefined) continue
        const market = catalogue.existing(marketId)
        if (market.isFailed || market.status === 'RESOLVED') continue
        // A slot that never opened needs its start first. A trading slot is locked by its end.
        if (market.status === (ends ? 'LOCKED' : 'CREATED')) yield { market, ends }
      }
    }
  }

  #opening({ marketId }: Market, { priceE8: strikeE8 }: Boundary): ControlBody | null {
    if (strikeE8 === 0) return { kind: 'failSlot', marketId }
    const book = this.#parts.clearing.catalogue.freeBook(this.#parts.booksMax)
    return book === 0 ? null : { kind: 'openSlot', marketId, book, strikeE8 }
  }

  /** YES wins when the price did not fall (rules §10.2). */
  #closing({ marketId, strikeE8 }: Market, { priceE8: closeE8 }: Boundary): ControlBody {
    if (closeE8 === 0) return { kind: 'failSlot', marketId }
    const payoutNumerators = closeE8 >= strikeE8 ? ([1, 0] as const) : ([0, 1] as const)
    return { kind: 'resolveMarkets', resolutions: [{ marketId, payoutNumerators, closeE8 }] }
  }
}

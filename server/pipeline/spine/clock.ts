// The server's time (design §5): what the sequencer stamps and every deadline goes by. It runs on
// with the monotonic clock, so neither a step nor a jump of the wall clock moves a deadline.
//
//   wall behind            never followed back; time runs at nine tenths until they meet
//   wall ahead up to 2 s   followed at once
//   wall further ahead     followed when it has stayed there for 60 s
//
// What a caller stamped (a signature, a receive window) is judged by the wall clock alone.
// Invariant: `nowMs` never goes back.

import { assert } from '../../../engine/domain/assert.ts'
import { LIMITS } from '../../../engine/domain/limits.ts'
import { MS_PER_SEC, type TimeMs } from '../../../engine/domain/units.ts'

/** Where the pipeline gets its times from; both are whole Unix milliseconds. */
export interface Clock {
  readonly nowMs: () => TimeMs
  readonly wallMs: () => TimeMs
  /** Called once after a recovery, with the time of the last command. */
  readonly resume: (lastMs: TimeMs) => void
}

/** `waiting`: the wall clock is far ahead; `slowed`: it is behind. */
export type ClockState = 'steady' | 'waiting' | 'slowed'

export interface ClockParts {
  /** Whole Unix milliseconds: `Date.now`. */
  readonly wall: () => TimeMs
  /** Milliseconds since any instant, never back: `performance.now`. */
  readonly monotonic: () => number
  /** Gets a sentence for the log: the wall clock left the server's time, or they agree again. */
  readonly onChange: (sentence: string) => void
}

const { clockLeapMs, clockLeapWaitMs } = LIMITS
const SLOWED = 0.9
/** A wall clock that counts whole milliseconds may be this much later than it says. */
const WALL_STEP_MS = 1
/** A smaller gap is ordinary drift, and nobody needs to hear of it. */
const TELL_BEHIND_MS = 100

export class SteadyClock implements Clock {
  readonly #parts: ClockParts
  #timeMs: number
  #readAt: number
  /** When the wall clock was first seen far ahead; null while it is not. */
  #farAheadSince: number | null = null
  #state: ClockState = 'steady'
  /** How often the wall clock was found behind, and far ahead. */
  behindCount = 0
  aheadCount = 0

  constructor(parts: ClockParts) {
    this.#parts = parts
    this.#timeMs = parts.wall()
    this.#readAt = parts.monotonic()
  }

  get state(): ClockState {
    return this.#state
  }

  readonly wallMs = (): TimeMs => this.#parts.wall()

  readonly nowMs = (): TimeMs => {
    const readAt = this.#parts.monotonic()
    const wallMs = this.#parts.wall()
    const passedMs = Math.max(0, readAt - this.#readAt)
    const before = this.#timeMs
    this.#readAt = readAt
    this.#timeMs = this.#next(passedMs, wallMs)
    assert(this.#timeMs >= before, 'time never goes back')
    return Math.floor(this.#timeMs)
  }

  /**
   * At a start the server's time takes the wall clock at once, but is never below the last command.
   */
  readonly resume = (lastMs: TimeMs): void => {
    this.#readAt = this.#parts.monotonic()
    this.#timeMs = Math.max(this.#timeMs, this.#parts.wall(), lastMs)
  }

  /** The server's time minus the wall clock, in milliseconds. */
  get offsetMs(): number {
    return this.nowMs() - this.#parts.wall()
  }

  #next(passedMs: number, wallMs: TimeMs): number {
    const freeMs = this.#timeMs + passedMs
    const aheadMs = wallMs - freeMs
    if (aheadMs > clockLeapMs) return this.#farAhead(freeMs, wallMs)
    this.#farAheadSince = null
    if (aheadMs >= 0) {
      this.#become('steady', -aheadMs)
      return wallMs
    }
    if (aheadMs >= -WALL_STEP_MS) {
      this.#become('steady', -aheadMs)
      return freeMs
    }
    if (aheadMs < -TELL_BEHIND_MS) this.#become('slowed', -aheadMs)
    return Math.max(this.#timeMs + passedMs * SLOWED, Math.min(freeMs, wallMs + WALL_STEP_MS))
  }

  #farAhead(freeMs: number, wallMs: TimeMs): number {
    this.#farAheadSince ??= this.#readAt
    if (this.#readAt - this.#farAheadSince < clockLeapWaitMs) {
      this.#become('waiting', freeMs - wallMs)
      return freeMs
    }
    this.#farAheadSince = null
    this.#become('steady', 0)
    return wallMs
  }

  #become(state: ClockState, offsetMs: number): void {
    if (state === this.#state) return
    this.#state = state
    if (state === 'slowed') this.behindCount++
    if (state === 'waiting') this.aheadCount++
    this.#parts.onChange(sentenceOf(state, Math.round(Math.abs(offsetMs))))
  }
}

function sentenceOf(state: ClockState, byMs: number): string {
  switch (state) {
    case 'slowed':
      return `the wall clock is ${byMs} ms behind: the server's time is slowed until they meet`
    case 'waiting':
      return (
        `the wall clock is ${byMs} ms ahead: the server's time follows it when it has stayed ` +
        `there for ${clockLeapWaitMs / MS_PER_SEC} s`
      )
    case 'steady':
      return "the wall clock and the server's time agree again"
  }
}

/** A clock that is told the time. Callers and deadlines get the same time. */
export function toldClock(told: () => TimeMs): Clock {
  return { nowMs: told, wallMs: told, resume: () => {} }
}

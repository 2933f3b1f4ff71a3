// The server's time (design §5), by which the sequencer stamps and every deadline is measured. It
// advances with the monotonic clock, so neither a step nor a jump of the wall clock moves a
// deadline.
//
//   wall behind                never followed back; time runs at nine tenths until both converge
//   wall behind over 60 s      the same, and the exchange is not ready
//   wall ahead up to 2 s       followed at once
//   wall further ahead         followed when it has stayed there for 60 s
//   wall ahead over a day      not followed, and the exchange is not ready
//
// A start adopts the wall clock at once. If the wall clock is over a day past the last command, the
// operator must accept it: what falls due by a wrong clock locks markets permanently.
//
// Client timestamps (signatures, receive windows) are checked against the wall clock alone.
// Invariant: `nowMs` never goes back.

import { assert } from '../../../engine/domain/assert.ts'
import { CLOCK_LIMITS } from '../../../engine/domain/clock-limits.ts'
import { DAY_MS, MS_PER_SEC, type TimeMs } from '../../../engine/domain/units.ts'

/** The sources of time of the pipeline; both are whole Unix milliseconds. */
export interface Clock {
  readonly nowMs: () => TimeMs
  readonly wallMs: () => TimeMs
  /** The reason why a start must not continue from the last command; null when it may. */
  readonly refusal: (lastMs: TimeMs) => string | null
  /** Called once after a recovery, with the time of the last command. */
  readonly resume: (lastMs: TimeMs) => void
}

/**
 * `waiting`: the wall clock is far ahead; `tooFarAhead`: too far to be followed. `slowed`: it is
 * behind; `tooFarBehind`: so far that the exchange is not ready.
 */
export type ClockState = 'steady' | 'waiting' | 'tooFarAhead' | 'slowed' | 'tooFarBehind'

export interface ClockParts {
  /** Whole Unix milliseconds: `Date.now`. */
  readonly wall: () => TimeMs
  /** Milliseconds since any instant, never going back: `performance.now`. */
  readonly monotonic: () => number
  /** Logs that the wall clock departs from the server's time, or that they agree again. */
  readonly onChange: (sentence: string) => void
  /** The operator accepts the wall clock of this start, however far it is ahead. */
  readonly isLeapAccepted?: boolean
}

const { leapMs, leapWaitMs, leapMsMax, behindMsMax } = CLOCK_LIMITS
const SLOWED = 0.9
/** A wall clock with millisecond resolution may lag by up to this much. */
const WALL_STEP_MS = 1
/** A smaller gap is ordinary drift and is not reported. */
const REPORT_BEHIND_MS = 100

const BEHIND: ReadonlySet<ClockState> = new Set(['slowed', 'tooFarBehind'])
const AHEAD: ReadonlySet<ClockState> = new Set(['waiting', 'tooFarAhead'])

export class SteadyClock implements Clock {
  readonly #parts: ClockParts
  #timeMs: number
  /** The newest time that anyone was given. */
  #givenMs = 0
  #readAt: number
  /** The wall clock minus the server's time, when both were last read. */
  #aheadMs = 0
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

  /** Why the exchange is not ready; null while the two clocks are close enough to trade. */
  get trouble(): string | null {
    const by = spanText(Math.abs(this.#aheadMs))
    if (this.#state === 'tooFarBehind') return `the wall clock is ${by} behind the server's time`
    if (this.#state !== 'tooFarAhead') return null
    return `the wall clock is ${by} ahead of the server's time, which does not follow it`
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
    this.#givenMs = this.#timeMs
    return Math.floor(this.#timeMs)
  }

  readonly refusal = (lastMs: TimeMs): string | null => {
    const wallMs = this.#parts.wall()
    if (wallMs - lastMs <= leapMsMax || this.#parts.isLeapAccepted === true) return null
    return (
      `The wall clock reads ${utc(wallMs)}, ${spanText(wallMs - lastMs)} after the last command ` +
      `of this exchange (${utc(lastMs)}); a leap of more than a day must be confirmed, because ` +
      'all deadlines before it pass at once. Compare it with `date -u` and another clock. If it ' +
      'is wrong, set it and start again; if the exchange was down that long, start it once ' +
      'with --accept-clock.'
    )
  }

  /**
   * At a start, the server's time adopts the wall clock at once, but not below the last command. A
   * node learns the clock of its log after this clock is made, so the first wall clock may be
   * wrong.
   */
  readonly resume = (lastMs: TimeMs): void => {
    this.#readAt = this.#parts.monotonic()
    const wallMs = this.#parts.wall()
    this.#timeMs = Math.max(this.#givenMs, wallMs, lastMs)
    if (this.#parts.isLeapAccepted === true) this.#parts.onChange(consentText(wallMs, lastMs))
  }

  /** The server's time minus the wall clock, in milliseconds. */
  get offsetMs(): number {
    return this.nowMs() - this.#parts.wall()
  }

  #next(passedMs: number, wallMs: TimeMs): number {
    const freeMs = this.#timeMs + passedMs
    const aheadMs = wallMs - freeMs
    this.#aheadMs = aheadMs
    if (aheadMs > leapMs) return this.#farAhead(freeMs, wallMs)
    this.#farAheadSince = null
    if (aheadMs >= 0) {
      this.#become('steady')
      return wallMs
    }
    if (aheadMs >= -WALL_STEP_MS) {
      this.#become('steady')
      return freeMs
    }
    if (aheadMs < -behindMsMax) this.#become('tooFarBehind')
    else if (aheadMs < -REPORT_BEHIND_MS) this.#become('slowed')
    return Math.max(this.#timeMs + passedMs * SLOWED, Math.min(freeMs, wallMs + WALL_STEP_MS))
  }

  #farAhead(freeMs: number, wallMs: TimeMs): number {
    if (wallMs - freeMs > leapMsMax) {
      this.#farAheadSince = null
      this.#become('tooFarAhead')
      return freeMs
    }
    this.#farAheadSince ??= this.#readAt
    if (this.#readAt - this.#farAheadSince < leapWaitMs) {
      this.#become('waiting')
      return freeMs
    }
    this.#farAheadSince = null
    this.#become('steady')
    return wallMs
  }

  #become(state: ClockState): void {
    const before = this.#state
    if (state === before) return
    this.#state = state
    if (BEHIND.has(state) && !BEHIND.has(before)) this.behindCount++
    if (AHEAD.has(state) && !AHEAD.has(before)) this.aheadCount++
    this.#parts.onChange(sentenceOf(state, Math.round(Math.abs(this.#aheadMs))))
  }
}

const DOWN = "the server's time is slowed until they agree"

function sentenceOf(state: ClockState, byMs: number): string {
  switch (state) {
    case 'slowed':
      return `the wall clock is ${byMs} ms behind: ${DOWN}`
    case 'tooFarBehind':
      return (
        `the wall clock is ${spanText(byMs)} behind: ${DOWN}, and the exchange is not ready ` +
        `while the gap is over ${spanText(behindMsMax)}; compare it with another clock and ` +
        'set it if it is wrong; if it is right, the exchange once ran with a clock that was ahead'
      )
    case 'waiting':
      return (
        `the wall clock is ${byMs} ms ahead: the server's time follows once it has stayed ` +
        `there for ${leapWaitMs / MS_PER_SEC} s`
      )
    case 'tooFarAhead':
      return (
        `the wall clock is ${spanText(byMs)} ahead: the server's time does not follow it, and ` +
        'the exchange is not ready; compare it with another clock and set it if it is wrong; if ' +
        'it is right, restart the exchange with --accept-clock'
      )
    case 'steady':
      return "the wall clock and the server's time agree again"
  }
}

function consentText(wallMs: TimeMs, lastMs: TimeMs): string {
  const aheadMs = wallMs - lastMs
  if (lastMs > 0 && aheadMs > leapMsMax) {
    return `--accept-clock: the server's time leaps ${spanText(aheadMs)}, to ${utc(wallMs)}`
  }
  return '--accept-clock is not needed; remove it, so that the next start checks the wall clock'
}

const SPANS = [
  [DAY_MS, 'days'],
  [3_600_000, 'hours'],
  [60_000, 'minutes'],
] as const

/** A duration of at least two units, with one decimal place, like `10 days` or `2.5 hours`. */
function spanText(ms: number): string {
  const [unitMs, name] = SPANS.find(([each]) => ms >= 2 * each) ?? [MS_PER_SEC, 'seconds']
  return `${Math.round((ms / unitMs) * 10) / 10} ${name}`
}

function utc(ms: TimeMs): string {
  return new Date(ms).toISOString()
}

/** A clock whose time the caller supplies. Callers and deadlines see the same time. */
export function reportedClock(reported: () => TimeMs): Clock {
  return { nowMs: reported, wallMs: reported, refusal: () => null, resume: () => {} }
}

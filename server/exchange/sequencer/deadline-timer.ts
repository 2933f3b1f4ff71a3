// Wakes main when the next deadline is due. An idle process sleeps.
// Invariant: a timer is set for the nearest known deadline, or for the cap.

import type { TimeMs } from '../../../engine/domain/units.ts'

/** Main checks its deadlines at least this often, because the server's time may leap ahead. */
const CAP_MS = 1000
/** The retry interval of a due deadline that met a full ring or no quiescent point. */
const AGAIN_MS = 5

export interface DeadlineParts {
  /** The server's time. */
  readonly nowMs: () => TimeMs
  /** The next time when `run` has something to do, in the server's time; Infinity for nothing. */
  readonly nextMs: () => TimeMs
  readonly run: () => void
}

export class DeadlineTimer {
  readonly #parts: DeadlineParts
  #timer: NodeJS.Timeout | undefined
  /** When the timer ends, in the server's time. */
  #dueMs: TimeMs = Number.POSITIVE_INFINITY
  #isStopped = false

  constructor(parts: DeadlineParts) {
    this.#parts = parts
    this.#set(parts.nextMs() - parts.nowMs())
  }

  /** Call it whenever there may be a nearer deadline. */
  check(): void {
    const nextMs = this.#parts.nextMs()
    if (nextMs >= this.#dueMs) return
    const nowMs = this.#parts.nowMs()
    // A passed deadline keeps its timer: a new one in each tick would never fire.
    if (Math.max(nextMs, nowMs + 1) < this.#dueMs) this.#set(nextMs - nowMs)
  }

  stop(): void {
    this.#isStopped = true
    clearTimeout(this.#timer)
  }

  #set(waitMs: number): void {
    if (this.#isStopped) return
    // A timer counts whole milliseconds, and must not fire before the deadline.
    const boundMs = Math.min(CAP_MS, Math.max(1, Math.ceil(waitMs)))
    this.#dueMs = this.#parts.nowMs() + boundMs
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#fire(), boundMs)
  }

  #fire(): void {
    this.#parts.run()
    const waitMs = this.#parts.nextMs() - this.#parts.nowMs()
    this.#set(waitMs <= 0 ? AGAIN_MS : waitMs)
  }
}

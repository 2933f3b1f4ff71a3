// Wakes main when the next deadline is due. A process with nothing to do sleeps.
// Invariant: a timer is set for the nearest deadline that was told, or for the cap.

import type { TimeMs } from '../../../engine/domain/units.ts'

/** Main looks at its deadlines at least so often, because the server's time may leap ahead. */
const CAP_MS = 1000
/** A deadline that is due and found no room, or no still moment, is tried again after this. */
const AGAIN_MS = 5

export interface DeadlineParts {
  /** The server's time. */
  readonly nowMs: () => TimeMs
  /** When `run` has something to do next, in the server's time; Infinity for nothing. */
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

  /** Call it whenever a nearer deadline may have come. */
  check(): void {
    const nextMs = this.#parts.nextMs()
    if (nextMs >= this.#dueMs) return
    const nowMs = this.#parts.nowMs()
    // A deadline that has passed keeps its timer: a new one each turn would never end.
    if (Math.max(nextMs, nowMs + 1) < this.#dueMs) this.#set(nextMs - nowMs)
  }

  stop(): void {
    this.#isStopped = true
    clearTimeout(this.#timer)
  }

  #set(waitMs: number): void {
    if (this.#isStopped) return
    // A timer counts whole milliseconds, and must not end before the deadline.
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

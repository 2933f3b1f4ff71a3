// The reply of /ready: whether orders are accepted, and the checks behind it. A reply costs
// nothing, because a timer polls threads and disk beforehand. Time is an argument.

/** A thread that answers probes, whether it has work or not. */
export interface Requested {
  request(): void
  readonly isAnswered: boolean
}

/** Measures how long a thread has not answered. */
export class Pulse {
  readonly #thread: Requested
  #requestedMs = 0

  constructor(thread: Requested) {
    this.#thread = thread
  }

  /** Asks again, unless the previous question is unanswered. */
  request(nowMs: number): void {
    if (!this.#thread.isAnswered) return
    this.#requestedMs = nowMs
    this.#thread.request()
  }

  silentMs(nowMs: number): number {
    return this.#thread.isAnswered ? 0 : nowMs - this.#requestedMs
  }
}

/**
 * A thread that lags behind its work. It is in trouble only when it makes no progress, not when one
 * piece of work is large.
 */
export class Progress {
  #count = 0
  #changedMs = 0

  /** `count` differs from an earlier one when work was done since. */
  see(count: number, nowMs: number): void {
    if (count === this.#count) return
    this.#count = count
    this.#changedMs = nowMs
  }

  /** How long it has been stuck without progress, given that it lags by `behindMs`. */
  stuckMs(behindMs: number, nowMs: number): number {
    return Math.min(behindMs, nowMs - this.#changedMs)
  }
}

export interface Check {
  readonly name: string
  /** When false, a failure is only reported; orders are accepted anyway. */
  readonly isVital: boolean
  /** A public description of the failure; null when the check passes. */
  readonly trouble: () => string | null
}

export interface Finding {
  readonly name: string
  readonly ok: boolean
  readonly detail: string
}

export interface Readiness {
  readonly ready: boolean
  readonly checks: readonly Finding[]
}

export function readinessOf(checks: readonly Check[]): Readiness {
  let ready = true
  const findings = checks.map(({ name, isVital, trouble }) => {
    const detail = trouble()
    if (detail !== null && isVital) ready = false
    return { name, ok: detail === null, detail: detail ?? '' }
  })
  return { ready, checks: findings }
}

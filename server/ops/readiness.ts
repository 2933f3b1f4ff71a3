// The answer of /ready: whether orders are taken, and the checks that show it. An answer costs
// nothing, because a timer asks threads and disk before. Time is an argument.

/** A thread that answers when it is asked, whether it has work or not. */
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

  /** Asks again, unless the last question has no answer yet. */
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
 * A thread that is behind with its work. It is in trouble when it makes no progress, and not when
 * one piece of work is large.
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

  /** How long it has been behind without progress, when it is behind by `behindMs`. */
  stuckMs(behindMs: number, nowMs: number): number {
    return Math.min(behindMs, nowMs - this.#changedMs)
  }
}

export interface Check {
  readonly name: string
  /** When false, trouble is only told; orders are taken anyway. */
  readonly isVital: boolean
  /** Says in public words what is wrong; null when nothing is. */
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

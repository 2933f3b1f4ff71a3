// The answer of /ready: whether orders are taken, and the checks that show it. An answer costs
// nothing, because a timer asks threads and disk before. Time is an argument.

/** A thread that answers when it is asked, whether it has work or not. */
export interface Asked {
  ask(): void
  readonly isAnswered: boolean
}

/** Measures how long a thread has not answered. */
export class Pulse {
  readonly #thread: Asked
  #askedMs = 0

  constructor(thread: Asked) {
    this.#thread = thread
  }

  /** Asks again, unless the last question has no answer yet. */
  ask(nowMs: number): void {
    if (!this.#thread.isAnswered) return
    this.#askedMs = nowMs
    this.#thread.ask()
  }

  silentMs(nowMs: number): number {
    return this.#thread.isAnswered ? 0 : nowMs - this.#askedMs
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

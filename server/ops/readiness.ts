// What /ready says: whether orders are taken, and by what it is known. Answers cost nothing, since
// what has to be asked is asked before, by a timer; time is an argument.

/** A thread that gives a sign of life when it is asked, whether it has work or not. */
export interface Asked {
  ask(): void
  readonly isAnswered: boolean
}

/** Since when a thread owes its sign of life. */
export class Pulse {
  readonly #thread: Asked
  #askedMs = 0

  constructor(thread: Asked) {
    this.#thread = thread
  }

  /** Asks again, unless the last question is open. */
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
  /** False: a fault of it is told, and orders are taken all the same. */
  readonly isVital: boolean
  /** What is wrong, in words for everybody; null when nothing is. */
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

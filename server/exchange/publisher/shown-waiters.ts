import type { Seq } from '../../../engine/domain/ids.ts'

interface Waiter {
  readonly seq: Seq
  readonly settle: (isShown: boolean) => void
}

/** Reads that wait until everything up to a seq is published. */
export class ShownWaiters {
  readonly #shownSeq: () => Seq
  #waiters: Waiter[] = []

  constructor(shownSeq: () => Seq) {
    this.#shownSeq = shownSeq
  }

  get count(): number {
    return this.#waiters.length
  }

  /** Resolves with true as soon as `seq` is published, and with false after the deadline. */
  when(seq: Seq, deadlineMs: number): Promise<boolean> {
    if (this.#shownSeq() >= seq) return Promise.resolve(true)
    return new Promise((resolve) => {
      const waiter = {
        seq,
        settle: (isShown: boolean) => {
          clearTimeout(timer)
          resolve(isShown)
        },
      }
      const timer = setTimeout(() => {
        this.#waiters = this.#waiters.filter((other) => other !== waiter)
        resolve(false)
      }, deadlineMs)
      this.#waiters.push(waiter)
    })
  }

  /** Call it when more may be published. */
  check(): void {
    if (this.#waiters.length === 0) return
    const shownSeq = this.#shownSeq()
    const waiting = this.#waiters
    this.#waiters = waiting.filter(({ seq }) => seq > shownSeq)
    for (const { seq, settle } of waiting) if (seq <= shownSeq) settle(true)
  }
}

// A quiescent point: no market has anything left to answer, so main's state is the state at its
// newest seq. New orders and cancels wait for it, usually a millisecond. Commands of operators and
// deadlines continue, and only delay it. The wait is bounded; after that, nothing is inspected.

import { assert } from '../../../engine/domain/assert.ts'
import { LIMITS } from '../../../engine/domain/limits.ts'

export interface QuiescentPointParts {
  /** Whether everything that was sent to the markets is settled. */
  readonly isQuiescent: () => boolean
  /** Stops new orders until `resume`. */
  readonly pause: () => void
  readonly resume: () => void
}

export class QuiescentPoint {
  readonly #parts: QuiescentPointParts
  #look: ((isQuiescent: boolean) => void) | null = null
  #waiting: (() => void)[] = []
  #timer: NodeJS.Timeout | undefined

  constructor(parts: QuiescentPointParts) {
    this.#parts = parts
  }

  get isOn(): boolean {
    return this.#look !== null
  }

  /** Calls `look` once, with false after the deadline. `look` must not wait. */
  begin(look: (isQuiescent: boolean) => void): void {
    assert(this.#look === null, 'only one caller inspects the state at a time')
    this.#look = look
    this.#parts.pause()
    this.#timer = setTimeout(() => this.#end(false), LIMITS.quiescenceWaitMsMax)
    this.check()
  }

  /** Call it after results were settled. */
  check(): void {
    if (this.#look !== null && this.#parts.isQuiescent()) this.#end(true)
  }

  /** Resolves when no quiescent point is pending. */
  async over(): Promise<void> {
    while (this.isOn) await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }

  #end(isQuiescent: boolean): void {
    clearTimeout(this.#timer)
    const look = this.#look
    this.#look = null
    look?.(isQuiescent)
    const waiting = this.#waiting
    this.#waiting = []
    for (const resume of waiting) resume()
    this.#parts.resume()
  }
}

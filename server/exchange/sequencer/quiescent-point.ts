// A moment in which no market has anything left to answer: main's state is then the state at its
// newest seq. New orders and cancels wait for it, usually a millisecond. The commands of operators
// and deadlines go on, and only make it come later. The wait has a bound: past it nothing is looked
// at.

import { assert } from '../../../engine/domain/assert.ts'
import { LIMITS } from '../../../engine/domain/limits.ts'

export interface QuiescentPointParts {
  /** Whether everything that was sent to the markets is settled. */
  readonly isQuiescent: () => boolean
  /** Stops new orders from coming, until `resume`. */
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

  /** Calls `look` once, with false when the moment did not come in time. `look` must not wait. */
  begin(look: (isQuiescent: boolean) => void): void {
    assert(this.#look === null, 'one looks at a time')
    this.#look = look
    this.#parts.pause()
    this.#timer = setTimeout(() => this.#end(false), LIMITS.quiescenceWaitMsMax)
    this.check()
  }

  /** Call it after results were settled. */
  check(): void {
    if (this.#look !== null && this.#parts.isQuiescent()) this.#end(true)
  }

  /** Resolves when no still moment is on. */
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

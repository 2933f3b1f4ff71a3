// Bounds how long main works on one wide task before other work runs. The bound is a time, because
// the cost of an item differs by machine and load.

import { LIMITS } from '../../../engine/domain/limits.ts'

export class TimeSlice {
  readonly #monotonicMs: () => number
  #endsMs = Number.POSITIVE_INFINITY

  /** `monotonicMs` counts milliseconds from any instant and never goes back: `performance.now`. */
  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs
  }

  begin(): void {
    this.#endsMs = this.#monotonicMs() + LIMITS.mainSliceMs
  }

  get isOver(): boolean {
    return this.#monotonicMs() >= this.#endsMs
  }
}

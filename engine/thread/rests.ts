const WORK_MS = 1

/**
 * Rests between parts of long work, so that it takes no more than a share of one processor: a low
 * priority alone does not help an order whose core is shared.
 */
export class Rests {
  readonly #share: number
  readonly #cell = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  #sinceMs = performance.now()

  /** `share` is above 0, and 1 for work without a rest. */
  constructor(share: number) {
    this.#share = share
  }

  /** Call it often. Blocks the thread when it has worked for a while. */
  look(): void {
    const workedMs = performance.now() - this.#sinceMs
    if (workedMs < WORK_MS) return
    Atomics.wait(this.#cell, 0, 0, workedMs * (1 / this.#share - 1))
    this.#sinceMs = performance.now()
  }
}

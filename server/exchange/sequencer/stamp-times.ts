// Hot path. bench/pipeline.bench.ts
// When commands were stamped, in steps of a second, so that the age of an order follows from its
// seq and no order costs memory for it. Commands stamped before the start count from the start:
// nobody could trade with resting orders while the exchange was down. Main's thread writes.
// Invariant: seqs and times of the samples rise; each sample is the last command before a step.
//
//   samples: #times[at] Unix ms │ #seqs[at]   at = count % SAMPLES, the newest at count - 1

import { assert } from '../../../engine/domain/assert.ts'
import type { Seq } from '../../../engine/domain/ids.ts'
import { PACK_LIMITS } from '../../../engine/domain/packs/pack-limits.ts'
import { MS_PER_SEC, type TimeMs } from '../../../engine/domain/units.ts'

const STEP_MS = 1000
const SAMPLES = 4096
assert((SAMPLES * STEP_MS) / MS_PER_SEC > PACK_LIMITS.restSecMax, 'the longest rest is known')

export class StampTimes {
  readonly #times = new Float64Array(SAMPLES)
  readonly #seqs = new Float64Array(SAMPLES)
  #count = 0
  #stepEndMs: TimeMs = 0
  #lastMs: TimeMs = Number.POSITIVE_INFINITY
  #lastSeq: Seq = 0

  /** All commands up to this one count as stamped now. */
  begin(seq: Seq, nowMs: TimeMs): void {
    this.#count = 0
    this.#lastSeq = seq
    this.#lastMs = nowMs
    this.#stepEndMs = nowMs + STEP_MS
  }

  /** Called with each command, in order. */
  note(seq: Seq, nowMs: TimeMs): void {
    if (nowMs >= this.#stepEndMs) this.#step(nowMs)
    this.#lastSeq = seq
    this.#lastMs = nowMs
  }

  #step(nowMs: TimeMs): void {
    const at = this.#count % SAMPLES
    this.#times[at] = this.#lastMs
    this.#seqs[at] = this.#lastSeq
    this.#count++
    this.#stepEndMs = nowMs + STEP_MS
  }

  /** A seq that was stamped at that time or before; 0 when none is known. */
  seqAt(atMs: TimeMs): Seq {
    if (this.#lastMs <= atMs) return this.#lastSeq
    const oldest = Math.max(0, this.#count - SAMPLES)
    for (let sample = this.#count - 1; sample >= oldest; sample--) {
      if (this.#times[sample % SAMPLES] <= atMs) return this.#seqs[sample % SAMPLES]
    }
    return 0
  }
}

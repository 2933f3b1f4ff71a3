// Hot path. bench/pipeline.bench.ts
import type { Seq } from '../../engine/domain/ids.ts'

/** Kept ranges. An event-loop tick adds at most one, so they cover more than ten seconds. */
const RANGES = 1 << 14
const MASK = RANGES - 1

/**
 * Times that ranges of seqs share: the commands of one tick, of one commit. Ranges follow each
 * other without a gap. Invariant: `#lastSeqAt` rises from range to range.
 */
export class SharedStamps {
  readonly #lastSeqAt = new Float64Array(RANGES)
  readonly #msAt = new Float64Array(RANGES)
  /** Ranges added since the start, which precedes the first of them. */
  #count = 0
  #startSeq: Seq = 0
  /** The range of the last lookup: most lookups are for it, or for the next one. */
  #found = 0

  /** Forgets all ranges; the next one follows this seq. */
  startAt(seq: Seq): void {
    this.#count = 0
    this.#found = 0
    this.#startSeq = seq
  }

  /** The end of the newest range. */
  get lastSeq(): Seq {
    return this.#endOf(this.#count - 1)
  }

  /** The time of the oldest kept range; 0 for none. */
  get oldestMs(): number {
    return this.#count === 0 ? 0 : this.#msAt[this.#oldest & MASK]
  }

  get #oldest(): number {
    return Math.max(0, this.#count - RANGES + 1)
  }

  /** Adds the range that ends at `lastSeq`, unless it is empty. */
  add(lastSeq: Seq, ms: number): void {
    if (lastSeq <= this.lastSeq) return
    this.#lastSeqAt[this.#count & MASK] = lastSeq
    this.#msAt[this.#count & MASK] = ms
    this.#count++
  }

  /** The time of the seq's range; 0 when it has none yet or is no longer kept. */
  msOf(seq: Seq): number {
    if (this.#isIn(this.#found, seq)) return this.#msAt[this.#found & MASK]
    if (seq > this.lastSeq) return 0
    if (this.#isIn(this.#found + 1, seq)) return this.#msAt[++this.#found & MASK]
    let low = this.#oldest
    let high = this.#count - 1
    if (seq <= this.#endOf(low - 1)) return 0
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#endOf(middle) < seq) low = middle + 1
      else high = middle
    }
    this.#found = low
    return this.#msAt[low & MASK]
  }

  #isIn(range: number, seq: Seq): boolean {
    if (range >= this.#count || range < this.#oldest) return false
    return seq <= this.#endOf(range) && seq > this.#endOf(range - 1)
  }

  #endOf(range: number): Seq {
    return range < 0 ? this.#startSeq : this.#lastSeqAt[range & MASK]
  }
}

// Trades that are settled and in no block yet, as a column of seqs. Each trading arrival adds one,
// so nothing is allocated for it.

import type { Seq } from '../../../engine/domain/ids.ts'

export class WaitingTrades {
  #seqs = new Float64Array(1024)
  #count = 0

  get count(): number {
    return this.#count
  }

  add(seq: Seq): void {
    if (this.#count === this.#seqs.length) {
      const wider = new Float64Array(this.#count * 2)
      wider.set(this.#seqs)
      this.#seqs = wider
    }
    this.#seqs[this.#count++] = seq
  }

  has(seq: Seq): boolean {
    return this.#seqs.subarray(0, this.#count).includes(seq)
  }

  /** The trades up to this seq, by rising seq. */
  upTo(throughSeq: Seq): number[] {
    const due = this.#seqs.subarray(0, this.#count).filter((seq) => seq <= throughSeq)
    return Array.from(due.sort())
  }

  remove(isGone: (seq: Seq) => boolean): void {
    let kept = 0
    for (let index = 0; index < this.#count; index++) {
      const seq = this.#seqs[index]
      if (!isGone(seq)) this.#seqs[kept++] = seq
    }
    this.#count = kept
  }
}

// Trades that are settled and in no block yet, as a column: one is added with each arrival that
// traded, so nothing is allocated for it.

export class WaitingTrades {
  #seqs = new Float64Array(1024)
  #count = 0

  get count(): number {
    return this.#count
  }

  add(seq: number): void {
    if (this.#count === this.#seqs.length) {
      const wider = new Float64Array(this.#count * 2)
      wider.set(this.#seqs)
      this.#seqs = wider
    }
    this.#seqs[this.#count++] = seq
  }

  has(seq: number): boolean {
    return this.#seqs.subarray(0, this.#count).includes(seq)
  }

  /** By rising seq. */
  upTo(throughSeq: number): number[] {
    const due = this.#seqs.subarray(0, this.#count).filter((seq) => seq <= throughSeq)
    return Array.from(due.sort())
  }

  remove(isGone: (seq: number) => boolean): void {
    let kept = 0
    for (let index = 0; index < this.#count; index++) {
      const seq = this.#seqs[index]
      if (!isGone(seq)) this.#seqs[kept++] = seq
    }
    this.#count = kept
  }
}

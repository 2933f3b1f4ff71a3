// The chain that settles trades (design §5, rules §5.2): blocks, and the few trades that did not
// go the common way. A trade is known by the seq of its taker's arrival. It is MATCHED until a
// block covers its seq, then MINED, but for those set aside (RETRYING) or taken back (FAILED).
// Invariants: heights count by one, `throughSeq` never falls; a trade that is set aside was not
// settled; `#failed` holds only trades that no block covers yet, so all sets stay small.

import { assert } from '../../domain/assert.ts'
import type { SettlementCommand } from '../../domain/command.ts'
import type { Seq } from '../../domain/ids.ts'

export interface CapturedBlocks {
  readonly height: number
  readonly throughSeq: Seq
  readonly aside: readonly number[]
  readonly failed: readonly number[]
}

function rising(seqs: Iterable<number>): number[] {
  return [...seqs].sort((a, b) => a - b)
}

export class Blocks {
  height = 0
  /** Trades up to this seq are in blocks. */
  throughSeq: Seq = 0
  readonly #aside = new Set<number>()
  readonly #failed = new Set<number>()

  /** Trades that wait for another try. */
  get asideCount(): number {
    return this.#aside.size
  }

  /** By rising seq. */
  aside(): number[] {
    return rising(this.#aside)
  }

  isAside(tradeSeq: Seq): boolean {
    return this.#aside.has(tradeSeq)
  }

  /** Neither in a block nor taken back: it may still be settled, set aside or taken back. */
  isOpen(tradeSeq: Seq): boolean {
    if (this.#aside.has(tradeSeq)) return true
    return tradeSeq > this.throughSeq && !this.#failed.has(tradeSeq)
  }

  /** Never refuses; what main decided wrongly is a fault. Money is moved by its owner. */
  apply(command: SettlementCommand): void {
    switch (command.kind) {
      case 'mineBlock':
        assert(command.height === this.height + 1, 'blocks come without a gap')
        assert(command.throughSeq >= this.throughSeq, 'a block covers what the last one did')
        assert(command.throughSeq < command.seq, 'a block covers what is before it')
        this.height = command.height
        this.throughSeq = command.throughSeq
        for (const seq of this.#failed) if (seq <= command.throughSeq) this.#failed.delete(seq)
        return
      case 'retrySettlement':
        assert(this.isOpen(command.tradeSeq), 'only an open trade is set aside')
        assert(command.tradeSeq < command.seq, 'a trade is before what becomes of it')
        this.#aside.add(command.tradeSeq)
        return
      case 'settleTrade':
        assert(command.height === this.height, 'a later try goes into the newest block')
        assert(command.tradeSeq <= this.throughSeq, 'a block has passed what was set aside')
        assert(this.#aside.delete(command.tradeSeq), 'only what was set aside is tried again')
        return
      case 'failSettlement':
        assert(this.isOpen(command.tradeSeq), 'a trade is taken back once, and before it is mined')
        assert(command.tradeSeq < command.seq, 'a trade is before what becomes of it')
        this.#aside.delete(command.tradeSeq)
        if (command.tradeSeq > this.throughSeq) this.#failed.add(command.tradeSeq)
    }
  }

  /** For the state hash: none before the first block or trade that went another way. */
  *facts(): Iterable<unknown> {
    const { height, throughSeq, aside, failed } = this.capture()
    if (height + aside.length + failed.length === 0) return
    yield ['blocks', height, throughSeq, aside, failed]
  }

  capture(): CapturedBlocks {
    const { height, throughSeq } = this
    return { height, throughSeq, aside: this.aside(), failed: rising(this.#failed) }
  }

  restore(captured: CapturedBlocks): void {
    this.height = captured.height
    this.throughSeq = captured.throughSeq
    for (const seq of captured.aside) this.#aside.add(seq)
    for (const seq of captured.failed) this.#failed.add(seq)
  }
}

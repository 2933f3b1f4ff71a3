// The chain that mines trades (design §5, rules §5.2): its blocks, and the few trades that took
// another way. The seq of its taker's arrival names a trade. A trade is MATCHED until a block
// covers its seq, then MINED. A trade set aside is RETRYING; a reversed trade is FAILED.
// Invariants: heights count by one; `throughSeq` never falls; a trade that is set aside is not
// mined; `#failed` holds only trades that no block covers yet, so every set stays small.

import { assert } from '../../domain/assert.ts'
import type { SettlementCommand } from '../../domain/command.ts'
import type { Seq } from '../../domain/ids.ts'

export interface CapturedBlocks {
  readonly height: number
  readonly throughSeq: Seq
  readonly movedSeq: Seq
  readonly aside: readonly number[]
  readonly failed: readonly number[]
  readonly reversing: readonly (readonly [tradeSeq: Seq, fillsLeft: number])[]
}

function rising(seqs: Iterable<number>): number[] {
  return [...seqs].sort((a, b) => a - b)
}

export class Blocks {
  height = 0
  /** Blocks cover the trades up to this seq. */
  throughSeq: Seq = 0
  /** The newest command that moved money outside trading; 0 before the first. */
  movedSeq: Seq = 0
  /** No command before it that moved money waits for a block. It follows from the rest. */
  #oldestMoveSeq: Seq = 1
  readonly #aside = new Set<number>()
  readonly #failed = new Set<number>()
  /** Trades of which some fills are taken back, with the count of those that are not. */
  readonly #reversing = new Map<Seq, number>()

  /** Trades that wait for another try. */
  get asideCount(): number {
    return this.#aside.size
  }

  get #isMoveWaiting(): boolean {
    return this.movedSeq > this.throughSeq
  }

  /**
   * Whether something other than a trade waits for a block: a command that moved money outside
   * trading, or a reversal. The payout of its market waits until a block has passed the trade.
   */
  get isWaiting(): boolean {
    return this.#isMoveWaiting || this.#failed.size > 0
  }

  /** Whether a block up to this seq would hold or pass some of that. */
  wantsBlock(throughSeq: Seq): boolean {
    for (const tradeSeq of this.#failed) if (tradeSeq <= throughSeq) return true
    return this.#isMoveWaiting && this.#oldestMoveSeq <= throughSeq
  }

  /** The command moved money outside trading: the next block holds it. */
  moved(seq: Seq): void {
    if (!this.#isMoveWaiting) this.#oldestMoveSeq = seq
    this.movedSeq = seq
  }

  /** By rising seq. */
  aside(): number[] {
    return rising(this.#aside)
  }

  isAside(tradeSeq: Seq): boolean {
    return this.#aside.has(tradeSeq)
  }

  /** Whether every trade up to this seq is in a block or was reversed. */
  holdsAllThrough(tradeSeq: Seq): boolean {
    if (tradeSeq > this.throughSeq) return false
    for (const seq of this.#aside) if (seq <= tradeSeq) return false
    return true
  }

  /**
   * The trade is in no block and was not reversed; the chain may still mine, retry or reverse it.
   */
  isOpen(tradeSeq: Seq): boolean {
    if (this.#aside.has(tradeSeq)) return true
    return tradeSeq > this.throughSeq && !this.#failed.has(tradeSeq)
  }

  /** Trades that are partly taken back: the rest is taken back before any block. By rising seq. */
  reversing(): number[] {
    return rising(this.#reversing.keys())
  }

  /** How many fills of a trade are not taken back yet; undefined when none is. */
  fillsLeftOf(tradeSeq: Seq): number | undefined {
    return this.#reversing.get(tradeSeq)
  }

  /**
   * Never refuses: a wrong decision of main is a fault. Reversals and the ledger move the money.
   */
  apply(command: SettlementCommand): void {
    switch (command.kind) {
      case 'mineBlock':
        assert(command.height === this.height + 1, 'blocks come without a gap')
        assert(command.throughSeq >= this.throughSeq, 'a block covers all that the last one did')
        assert(command.throughSeq < command.seq, 'a block covers only what came before it')
        for (const seq of this.#reversing.keys()) {
          const isPassed = seq > command.throughSeq || this.#aside.has(seq)
          assert(isPassed, 'no block covers a trade that is partly taken back')
        }
        this.height = command.height
        this.throughSeq = command.throughSeq
        this.#oldestMoveSeq = Math.max(this.#oldestMoveSeq, command.throughSeq + 1)
        for (const seq of this.#failed) if (seq <= command.throughSeq) this.#failed.delete(seq)
        return
      case 'retrySettlement':
        assert(this.isOpen(command.tradeSeq), 'only an open trade is set aside')
        assert(command.tradeSeq < command.seq, 'a trade comes before its retry')
        assert(!this.#reversing.has(command.tradeSeq), 'what is partly taken back is not retried')
        this.#aside.add(command.tradeSeq)
        return
      case 'settleTrade':
        assert(command.height === this.height, 'a retry goes into the newest block')
        assert(command.tradeSeq <= this.throughSeq, 'a block has passed a trade that is retried')
        assert(!this.#reversing.has(command.tradeSeq), 'what is partly taken back is not mined')
        assert(this.#aside.delete(command.tradeSeq), 'only a trade that was set aside is retried')
        return
      case 'failSettlement':
        assert(this.isOpen(command.tradeSeq), 'a trade is reversed once, before it is mined')
        assert(command.tradeSeq < command.seq, 'a trade comes before its reversal')
        this.#reversed(command.tradeSeq, command.fillsLeft ?? 0)
    }
  }

  #reversed(tradeSeq: Seq, fillsLeft: number): void {
    const before = this.#reversing.get(tradeSeq) ?? Number.POSITIVE_INFINITY
    assert(fillsLeft >= 0 && fillsLeft < before, 'each command takes back some of the fills')
    if (fillsLeft > 0) {
      this.#reversing.set(tradeSeq, fillsLeft)
      return
    }
    this.#reversing.delete(tradeSeq)
    this.#aside.delete(tradeSeq)
    if (tradeSeq > this.throughSeq) this.#failed.add(tradeSeq)
  }

  /** For the state hash: no fact before the first block, retry or reversal. */
  *hashedFields(): Iterable<unknown> {
    if (this.movedSeq > 0) yield ['moved', this.movedSeq]
    const { height, throughSeq, aside, failed, reversing } = this.capture()
    for (const [tradeSeq, fillsLeft] of reversing) yield ['reversing', tradeSeq, fillsLeft]
    if (height + aside.length + failed.length === 0) return
    yield ['blocks', height, throughSeq, aside, failed]
  }

  capture(): CapturedBlocks {
    const { height, throughSeq, movedSeq } = this
    const reversing = [...this.#reversing].sort(([a], [b]) => a - b)
    const failed = rising(this.#failed)
    return { height, throughSeq, movedSeq, aside: this.aside(), failed, reversing }
  }

  restore(captured: CapturedBlocks): void {
    this.height = captured.height
    this.throughSeq = captured.throughSeq
    this.movedSeq = captured.movedSeq
    this.#oldestMoveSeq = captured.throughSeq + 1
    for (const seq of captured.aside) this.#aside.add(seq)
    for (const seq of captured.failed) this.#failed.add(seq)
    for (const [seq, fillsLeft] of captured.reversing) this.#reversing.set(seq, fillsLeft)
  }
}

// The chain that mines trades (design §5, rules §5.2): its blocks, and the few trades that failed
// at first. A trade is identified by the seq of its taker's arrival. It is MATCHED until a block
// covers its seq, then MINED. A trade set aside is RETRYING; a reversed trade is FAILED.
// Invariants: heights increase by one; `throughSeq` never decreases; a trade that is set aside is
// not mined; `#failed` contains only trades that no block covers yet, so all sets stay small.

import { assert } from '../../domain/assert.ts'
import type { CommandOf } from '../../domain/command-kinds.ts'
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
  /** All earlier commands that moved money are in blocks. Derived from the rest. */
  #oldestMoveSeq: Seq = 1
  readonly #aside = new Set<number>()
  readonly #failed = new Set<number>()
  /** Trades that are partly reversed, with their number of remaining fills. */
  readonly #reversing = new Map<Seq, number>()

  /** Trades waiting for a retry. */
  get asideCount(): number {
    return this.#aside.size
  }

  get #isMoveWaiting(): boolean {
    return this.movedSeq > this.throughSeq
  }

  /**
   * Whether something other than a trade waits for a block: money moved outside trading, or a
   * reversal. The market's payout waits until a block has passed the reversed trade.
   */
  get isWaiting(): boolean {
    return this.#isMoveWaiting || this.#failed.size > 0
  }

  /** Whether a block up to this seq would contain or pass some of that. */
  wantsBlock(throughSeq: Seq): boolean {
    for (const tradeSeq of this.#failed) if (tradeSeq <= throughSeq) return true
    return this.#isMoveWaiting && this.#oldestMoveSeq <= throughSeq
  }

  /** The command moved money outside trading, so the next block contains it. */
  moved(seq: Seq): void {
    if (!this.#isMoveWaiting) this.#oldestMoveSeq = seq
    this.movedSeq = seq
  }

  /** By ascending seq. */
  aside(): number[] {
    return rising(this.#aside)
  }

  isAside(tradeSeq: Seq): boolean {
    return this.#aside.has(tradeSeq)
  }

  /**
   * Trades up to this seq are in blocks or were reversed; one that was set aside is mined later.
   */
  get countableSeq(): Seq {
    const [firstAside = this.throughSeq + 1] = this.aside()
    return Math.min(this.throughSeq, firstAside - 1)
  }

  /** Whether all trades up to this seq are in a block or reversed. */
  holdsAllThrough(tradeSeq: Seq): boolean {
    if (tradeSeq > this.throughSeq) return false
    for (const seq of this.#aside) if (seq <= tradeSeq) return false
    return true
  }

  /**
   * Whether the trade is neither in a block nor reversed, so the chain may still mine, retry or
   * reverse it.
   */
  isOpen(tradeSeq: Seq): boolean {
    if (this.#aside.has(tradeSeq)) return true
    return tradeSeq > this.throughSeq && !this.#failed.has(tradeSeq)
  }

  /** Partly reversed trades by ascending seq. Each is fully reversed before the next block. */
  reversing(): number[] {
    return rising(this.#reversing.keys())
  }

  /** Fills of a trade that are not reversed yet; undefined if no reversal has started. */
  fillsLeftOf(tradeSeq: Seq): number | undefined {
    return this.#reversing.get(tradeSeq)
  }

  /**
   * Never refuses: a wrong decision of main is a fault. Reversals and the ledger move the money.
   */
  apply(command: CommandOf<'settlement'>): void {
    switch (command.kind) {
      case 'mineBlock':
        assert(command.height === this.height + 1, 'block heights have no gaps')
        assert(
          command.throughSeq >= this.throughSeq,
          'a block covers everything that the previous one did',
        )
        assert(command.throughSeq < command.seq, 'a block covers only earlier commands')
        for (const seq of this.#reversing.keys()) {
          const isPassed = seq > command.throughSeq || this.#aside.has(seq)
          assert(isPassed, 'no block covers a partly reversed trade')
        }
        this.height = command.height
        this.throughSeq = command.throughSeq
        this.#oldestMoveSeq = Math.max(this.#oldestMoveSeq, command.throughSeq + 1)
        for (const seq of this.#failed) if (seq <= command.throughSeq) this.#failed.delete(seq)
        return
      case 'retrySettlement':
        assert(this.isOpen(command.tradeSeq), 'only an open trade is set aside')
        assert(command.tradeSeq < command.seq, 'a trade comes before its retry')
        assert(!this.#reversing.has(command.tradeSeq), 'a partly reversed trade is not retried')
        this.#aside.add(command.tradeSeq)
        return
      case 'settleTrade':
        assert(command.height === this.height, 'a retry goes into the newest block')
        assert(command.tradeSeq <= this.throughSeq, 'a block has passed the retried trade')
        assert(!this.#reversing.has(command.tradeSeq), 'a partly reversed trade is not mined')
        assert(this.#aside.delete(command.tradeSeq), 'only a trade that was set aside is retried')
        return
      case 'failSettlement':
        assert(this.isOpen(command.tradeSeq), 'a trade is reversed once, before it is mined')
        assert(command.tradeSeq < command.seq, 'a trade comes before its reversal')
        this.#reversed(command.tradeSeq, command.fillsLeft ?? 0)
        return
      default:
        command satisfies never
    }
  }

  #reversed(tradeSeq: Seq, fillsLeft: number): void {
    const before = this.#reversing.get(tradeSeq) ?? Number.POSITIVE_INFINITY
    assert(fillsLeft >= 0 && fillsLeft < before, 'each command reverses some of the fills')
    if (fillsLeft > 0) {
      this.#reversing.set(tradeSeq, fillsLeft)
      return
    }
    this.#reversing.delete(tradeSeq)
    this.#aside.delete(tradeSeq)
    if (tradeSeq > this.throughSeq) this.#failed.add(tradeSeq)
  }

  /** For the state hash; empty before the first block, retry or reversal. */
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

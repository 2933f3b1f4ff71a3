// When trades are settled, and how that is told. Main submits what traded since the last block to
// the settlement port and stamps what it says: setbacks first, then the block, then what a block
// passed over before. Everything is told when it is durable (law 1).
// Invariants: a block covers only seqs whose receipts are settled here and durable (law 2); a
// verdict of the port is acted on once, however often the rings were full.

import type { Clearing } from '../../../engine/core/clearing.ts'
import {
  type Reversal,
  reversalOf,
  type SettledTrade,
} from '../../../engine/core/money/reversal.ts'
import { txHashOf } from '../../../engine/core/money/tx-hash.ts'
import { assert } from '../../../engine/domain/assert.ts'
import type { Seq } from '../../../engine/domain/ids.ts'
import { LIMITS } from '../../../engine/domain/limits.ts'
import type { SettlementStatus } from '../../../engine/domain/settlement.ts'
import type { TimeMs } from '../../../engine/domain/units.ts'
import type { ShardHandle } from '../../../engine/shard/shard-handle.ts'
import { faultPoint } from '../../../engine/wire/fault-point.ts'
import type { Setback, SettlementPort } from '../../settlement/settlement-port.ts'
import type { Publisher } from '../spine/durable-publisher.ts'
import type { RareBody } from '../spine/rare-body.ts'
import type { Sequencer } from '../spine/sequencer.ts'
import { WaitingTrades } from './waiting-trades.ts'

export interface SettlementParts {
  readonly port: SettlementPort
  /** Least time from one block to the next; 0 mines as soon as a trade is settled and durable. */
  readonly blockMs: number
  /** Trades that were in no block when the exchange started. */
  readonly waiting: readonly number[]
  /** The trade as it was settled; undefined while the tables do not show it. */
  readonly tradeOf: (tradeSeq: Seq) => Promise<SettledTrade | null | undefined>
}

/** A block that is durable: every trade up to `throughSeq` is in one, but for exceptions told. */
export interface BlockFact {
  readonly height: number
  readonly throughSeq: Seq
  readonly ms: TimeMs
  /** Seqs of the trades that are in it, also those that an earlier block passed over. */
  readonly mined: readonly number[]
  /** Profiles whose approvals it confirmed, or was to confirm and did not. */
  readonly approvers: readonly number[]
}

/** What became of one trade; `txHash` of MINED alone. */
export interface SettlementFact {
  readonly tradeSeq: Seq
  readonly status: SettlementStatus
  readonly txHash: string | null
  readonly nowMs: TimeMs
}

/** Told what is durable: first the setbacks, then the block. */
export interface SettlementListener {
  onBlock(block: BlockFact): void
  onSetback(fact: SettlementFact): void
}

/** What was stamped together and is told when it is durable. */
interface Round {
  readonly setbacks: SettlementFact[]
  retries: number
  failures: number
  block: BlockFact | null
}

/** Trades that wait no more after it. */
function endsOf({ failures, block }: Round): number {
  return failures + (block === null ? 0 : block.mined.length)
}

export interface MiningParts extends SettlementParts {
  readonly clearing: Clearing
  readonly publisher: Publisher
  readonly sequencer: Sequencer
  readonly shards: readonly ShardHandle[]
}

export class Mining {
  readonly #parts: MiningParts
  readonly #waiting = new WaitingTrades()
  /** What the port said and is not stamped yet. */
  readonly #verdicts = new Map<number, Setback>()
  /** Of trades that failed; null for one too wide to be taken back, which is mined. */
  readonly #reversals = new Map<number, Reversal | null>()
  readonly #replies = new Map<number, (fact: SettlementFact) => void>()
  readonly #listeners = new Set<SettlementListener>()
  #isAsking = false
  #minedMs: TimeMs
  #shown: Pick<BlockFact, 'height' | 'throughSeq'>
  /** Trades whose end is stamped and not told yet. */
  #ending = 0
  retries = 0
  failures = 0

  constructor(parts: MiningParts) {
    this.#parts = parts
    this.#minedMs = parts.sequencer.nowMs()
    const { height, throughSeq } = parts.clearing.blocks
    this.#shown = { height, throughSeq }
    for (const seq of parts.waiting) {
      if (parts.clearing.blocks.isOpen(seq) && !parts.clearing.blocks.isAside(seq)) {
        this.#waiting.add(seq)
      }
    }
  }

  /** The arrival of this seq traded and is settled: it waits for a block. */
  traded(seq: Seq): void {
    this.#waiting.add(seq)
  }

  get port(): SettlementPort {
    return this.#parts.port
  }

  /** Trades that are in no durable block, those that are tried again among them. */
  get waitingCount(): number {
    return this.#waiting.count + this.#parts.clearing.blocks.asideCount + this.#ending
  }

  /** The newest block that is durable. */
  get shown(): { readonly height: number; readonly throughSeq: Seq } {
    return this.#shown
  }

  /** The hash of a trade's transaction in the block that it is in. */
  txHashIn(height: number, tradeSeq: Seq): string {
    return txHashOf(this.#parts.port.chainId, height, tradeSeq)
  }

  /** Replies that wait for their block. */
  get replyCount(): number {
    return this.#replies.size
  }

  /** A trade that failed is looked up; nothing is mined meanwhile. */
  get isAsking(): boolean {
    return this.#isAsking
  }

  /** Whether a trade of this seq is still to be settled. */
  isWaiting(tradeSeq: Seq): boolean {
    return this.#waiting.has(tradeSeq) || this.#parts.clearing.blocks.isAside(tradeSeq)
  }

  listen(listener: SettlementListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /**
   * Calls `reply` with what became of a trade once that is durable, when trades are mined at once;
   * else at once with null.
   */
  whenMined(tradeSeq: Seq, reply: (fact: SettlementFact | null) => void): void {
    if (this.#parts.blockMs === 0 && this.#waiting.has(tradeSeq)) this.#replies.set(tradeSeq, reply)
    else reply(null)
  }

  /** Mines when it is time. */
  tick(): void {
    if (this.#parts.sequencer.nowMs() - this.#minedMs >= this.#parts.blockMs) this.#mine()
  }

  /** Results were settled, or more is durable. */
  drained(): void {
    if (this.#parts.blockMs !== 0) return
    const { submittedCount } = this.#parts.clearing.accounts.partners
    if (this.#waiting.count + submittedCount > 0) this.#mine()
  }

  /** A trade whose reply is still to go out waits for it: the reply may wait for the block. */
  #publishedThrough(): number {
    let throughSeq = this.#parts.publisher.durableSeq
    for (const shard of this.#parts.shards) {
      throughSeq = Math.min(throughSeq, shard.publishedThrough)
    }
    return throughSeq
  }

  #mine(): void {
    if (this.#isAsking) return
    const { clearing, port } = this.#parts
    const throughSeq = this.#publishedThrough()
    const aside = clearing.blocks.aside()
    const due = this.#waiting.upTo(throughSeq)
    const approvers = clearing.accounts.partners.submittedBy(throughSeq)
    if (aside.length + due.length + approvers.length === 0) return
    const fresh = [...aside, ...due].filter((seq) => !this.#verdicts.has(seq))
    for (const [seq, setback] of port.submit(fresh)) this.#verdicts.set(seq, setback)
    const unknown = [...this.#verdicts].flatMap(([seq, setback]) => {
      return setback === 'FAILED' && !this.#reversals.has(seq) ? [seq] : []
    })
    if (unknown.length > 0) void this.#ask(unknown)
    else this.#stamp(throughSeq, aside)
  }

  /** The block waits: it must not cover a trade that is to be taken back. */
  async #ask(tradeSeqs: readonly Seq[]): Promise<void> {
    this.#isAsking = true
    const trades = await Promise.all(tradeSeqs.map((seq) => this.#parts.tradeOf(seq)))
    this.#isAsking = false
    for (const [index, trade] of trades.entries()) {
      if (trade === undefined) continue
      assert(trade !== null, 'a trade that was settled is in the tables')
      const reversal = reversalOf(trade)
      const isTooWide = reversal.legs.length > LIMITS.reversalLegsMax
      this.#reversals.set(tradeSeqs[index], isTooWide ? null : reversal)
    }
    if (trades.every((trade) => trade !== undefined)) this.#mine()
  }

  #stamp(throughSeq: Seq, aside: readonly number[]): void {
    const { clearing, publisher } = this.#parts
    const round: Round = { setbacks: [], retries: 0, failures: 0, block: null }
    const before = clearing.lastSeq
    // Those that the port let wait once more stay aside.
    const again = new Set(this.#verdicts.keys())
    if (this.#stampSetbacks(round)) {
      const late = aside.filter((seq) => !again.has(seq))
      round.block = this.#stampBlock(throughSeq, late)
    }
    this.#ending += endsOf(round)
    if (clearing.lastSeq > before) {
      publisher.whenDurable(clearing.lastSeq, () => this.#tell(round))
    }
  }

  /** False when a ring is full. */
  #change(body: RareBody): boolean {
    return this.#parts.sequencer.change(() => body).reject === null
  }

  /** False when a ring is full: the rest comes with the next block. */
  #stampSetbacks(round: Round): boolean {
    const { clearing } = this.#parts
    for (const [tradeSeq, status] of this.#verdicts) {
      const reversal = this.#reversals.get(tradeSeq)
      if (reversal) {
        if (!this.#change({ kind: 'failSettlement', tradeSeq, ...reversal })) return false
        round.failures++
      } else if (status === 'RETRYING' && !clearing.blocks.isAside(tradeSeq)) {
        if (!this.#change({ kind: 'retrySettlement', tradeSeq })) return false
        round.retries++
      }
      this.#verdicts.delete(tradeSeq)
      this.#reversals.delete(tradeSeq)
      if (reversal === null) continue
      this.#waiting.remove((seq) => seq === tradeSeq)
      round.setbacks.push({ tradeSeq, status, txHash: null, nowMs: clearing.lastNowMs })
    }
    return true
  }

  #stampBlock(throughSeq: Seq, late: readonly number[]): BlockFact | null {
    const { clearing, port } = this.#parts
    const height = clearing.blocks.height + 1
    const { chainId } = port
    if (!this.#change({ kind: 'mineBlock', height, throughSeq, chainId })) return null
    this.#minedMs = clearing.lastNowMs
    const due = this.#waiting.upTo(throughSeq)
    this.#waiting.remove((seq) => seq <= throughSeq)
    const mined = [...this.#stampLate(late), ...due]
    return { height, throughSeq, ms: this.#minedMs, mined, approvers: this.#stampApprovals() }
  }

  /** An approval is worth the same however often it is submitted: a full ring costs a block. */
  #stampApprovals(): number[] {
    const { clearing, port } = this.#parts
    const { height, throughSeq } = clearing.blocks
    return clearing.accounts.partners.submittedBy(throughSeq).filter((profileId) => {
      const setback = port.approve(profileId)
      if (setback === 'RETRYING') return false
      const isConfirmed = setback === null
      return this.#change({ kind: 'settleApprovals', profileId, height, isConfirmed })
    })
  }

  #stampLate(late: readonly number[]): number[] {
    const { clearing } = this.#parts
    const { height, throughSeq } = clearing.blocks
    return late.filter((tradeSeq) => {
      if (tradeSeq > throughSeq) return false
      return this.#change({ kind: 'settleTrade', tradeSeq, height })
    })
  }

  #tell(round: Round): void {
    const { setbacks, block } = round
    this.#ending -= endsOf(round)
    this.retries += round.retries
    this.failures += round.failures
    for (const fact of setbacks) {
      for (const listener of this.#listeners) listener.onSetback(fact)
      this.#reply(fact.tradeSeq, () => fact)
    }
    if (block === null) return
    faultPoint('before-mined')
    const { height, throughSeq, ms: nowMs, mined } = block
    this.#shown = { height, throughSeq }
    for (const listener of this.#listeners) listener.onBlock(block)
    for (const tradeSeq of mined) {
      this.#reply(tradeSeq, () => {
        return { tradeSeq, status: 'MINED', txHash: this.txHashIn(height, tradeSeq), nowMs }
      })
    }
  }

  #reply(tradeSeq: Seq, fact: () => SettlementFact): void {
    const reply = this.#replies.get(tradeSeq)
    this.#replies.delete(tradeSeq)
    reply?.(fact())
  }
}

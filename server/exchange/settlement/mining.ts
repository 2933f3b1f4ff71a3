// Decides when trades are mined and publishes it. Main submits the trades since the last block to
// the settlement port, which answers at once or later, and stamps each answer: first the setbacks,
// then the block, then the trades that an earlier block skipped. Everything is published when it
// is durable (invariant 1).
// Invariants: a block covers only seqs whose receipts are settled here and durable (invariant 2).
// A trade has one submission at a time. Main acts on an answer of the port once, however often the
// rings were full.

import type { Clearing } from '../../../engine/core/clearing.ts'
import type { Market } from '../../../engine/core/markets/catalogue.ts'
import {
  type ReversalPart,
  reversalParts,
  type SettledTrade,
} from '../../../engine/core/money/reversal.ts'
import { txHashOf } from '../../../engine/core/money/tx-hash.ts'
import { assert } from '../../../engine/domain/assert.ts'
import type { ControlCommand } from '../../../engine/domain/command.ts'
import type { MarketId, ProfileId, Seq } from '../../../engine/domain/ids.ts'
import { LIMITS } from '../../../engine/domain/limits.ts'
import type { SettlementStatus } from '../../../engine/domain/moves/move-command.ts'
import { REJECT } from '../../../engine/domain/reject-precedence.ts'
import type { FeeBps, TimeMs } from '../../../engine/domain/units.ts'
import type { ShardHandle } from '../../../engine/shard/shard-handle.ts'
import { faultPoint } from '../../../engine/thread/fault-point.ts'
import { Archive } from '../jobs/archive.ts'
import { RewardMinutes } from '../jobs/reward-minutes.ts'
import { type Publisher, publishedThrough } from '../publisher/durable-publisher.ts'
import type { ControlBody, Sequencer } from '../sequencer/sequencer.ts'
import { Payouts } from './payouts.ts'
import type { ChainAnswer, Setback, SettlementPort } from './settlement-port.ts'
import { WaitingTrades } from './waiting-trades.ts'

export interface SettlementParts {
  readonly port: SettlementPort
  /** Least time between blocks; 0 mines a trade as soon as it is settled and durable. */
  readonly blockMs: number
  /** Time from a payout until the exchange redeems what is left; absent or 0 for never. */
  readonly autoRedeemMs?: number
  /** Share of mined fees paid to the referrers of takers; absent for none. */
  readonly referralBps?: FeeBps
  /** Draws the instant of a sample: an integer in [0, `belowMs`); random when absent. */
  readonly drawMs?: (belowMs: number) => number
  /** Legs that one command reverses; when absent, as many as fit a record. */
  readonly reversalLegsMax?: number
  /** Trades that were in no block when the exchange started. */
  readonly waiting: readonly number[]
  /** The trade as it was settled; undefined while the tables do not have it. */
  readonly tradeOf: (tradeSeq: Seq) => Promise<SettledTrade | null | undefined>
}

/** A trade, and the command that mined it. */
export interface MinedTrade {
  readonly tradeSeq: Seq
  readonly seq: Seq
}

/** A block, and what gives its trades the hashes of their transactions. */
export interface BlockName {
  readonly height: number
  /** The transaction that holds its trades; null on the embedded chain, which derives hashes. */
  readonly txHash: string | null
}

/** A durable block. Every trade up to `throughSeq` is in a block, except the published setbacks. */
export interface BlockEvent extends BlockName {
  readonly throughSeq: Seq
  readonly ms: TimeMs
  /** The trades in this block, including those that an earlier block skipped. */
  readonly mined: readonly MinedTrade[]
  /** Profiles whose approvals the block confirmed or failed to confirm. */
  readonly approvers: readonly number[]
}

/** The outcome of one trade. Only a MINED trade has a `txHash`. */
export interface SettlementEvent {
  readonly tradeSeq: Seq
  readonly status: SettlementStatus
  readonly txHash: string | null
  readonly nowMs: TimeMs
  /** For a reversed trade: the seq of the reversing command, and its market. */
  readonly reversed?: { readonly seq: Seq; readonly marketId: MarketId }
}

/** Receives durable events: first the setbacks, then the block. */
export interface SettlementListener {
  onBlock(block: BlockEvent): void
  onSetback(event: SettlementEvent): void
}

/** The setbacks and the block that are stamped together, and published when they are durable. */
interface Round {
  readonly setbacks: SettlementEvent[]
  retries: number
  failures: number
  block: BlockEvent | null
}

/** Trades that were given to the port together. */
interface Submission {
  /** What the block of its last answer covers. */
  readonly throughSeq: Seq
  /** Trades without an answer. */
  left: number
}

interface Kept {
  readonly decide: () => ControlBody
  /** Called when the command is durable. */
  readonly resolve: () => void
}

/** An answer that is not stamped completely. */
interface Answered {
  readonly answer: ChainAnswer
  /** What its block covers; null for an answer without a block. */
  readonly throughSeq: Seq | null
  /** The setbacks that are left to stamp. */
  readonly setbacks: Map<number, Setback>
  /** The unstamped parts of the reversals of failed trades. */
  readonly reversals: Map<number, ReversalPart[]>
  /** The mined trades that an earlier block skipped and that are left to stamp; null before. */
  late: Seq[] | null
  isInBlock: boolean
}

const NOTHING: ChainAnswer = { tradeSeqs: [], setbacks: new Map(), txHash: null, end: null }

function unstamped(answer: ChainAnswer, throughSeq: Seq | null): Answered {
  const setbacks = new Map(answer.setbacks)
  return { answer, throughSeq, setbacks, reversals: new Map(), late: null, isInBlock: false }
}

/** The number of trades that stop waiting with this round. */
function endsOf({ failures, block }: Round): number {
  return failures + (block === null ? 0 : block.mined.length)
}

export interface MiningParts extends SettlementParts {
  readonly clearing: Clearing
  readonly publisher: Publisher
  readonly sequencer: Sequencer
  readonly shards: readonly ShardHandle[]
  /** A market left memory, and that is durable. */
  readonly onArchived: (market: Market) => void
}

export class Mining {
  readonly #parts: MiningParts
  readonly #archive: Archive
  readonly #payouts: Payouts
  readonly rewards: RewardMinutes
  readonly #waiting = new WaitingTrades()
  /** Submitted trades whose answers are not stamped yet. */
  readonly #submitted = new Set<number>()
  /** Oldest first. */
  readonly #submissions: Submission[] = []
  /** Oldest first. */
  readonly #answers: Answered[] = []
  #submittedMs: TimeMs = 0
  /** When the trades that are retried are submitted again. */
  readonly #retries = new Map<Seq, TimeMs>()
  #isSubmitting = false
  /** Commands of the port that a full ring delays. */
  readonly #kept: Kept[] = []
  readonly #replies = new Map<number, (event: SettlementEvent) => void>()
  readonly #listeners = new Set<SettlementListener>()
  #isRequesting = false
  #minedMs: TimeMs
  /** Of the newest block, while this process ran. */
  #minedTxHash: string | null = null
  #shown: Pick<BlockEvent, 'height' | 'throughSeq'>
  /** Trades whose end is stamped but not published yet. */
  #ending = 0
  retries = 0
  failures = 0

  constructor(parts: MiningParts) {
    this.#parts = parts
    this.#archive = new Archive(parts)
    this.#payouts = new Payouts({
      ...parts,
      onPosted: (markets) => {
        parts.publisher.whenDurable(parts.clearing.lastSeq, () => parts.port.paidOut(markets))
      },
    })
    this.rewards = new RewardMinutes(parts)
    this.#minedMs = parts.sequencer.nowMs()
    const { height, throughSeq } = parts.clearing.blocks
    this.#shown = { height, throughSeq }
    const { blocks } = parts.clearing
    const reversing = blocks.reversing()
    for (const seq of new Set([...parts.waiting, ...reversing])) {
      if (blocks.isOpen(seq) && !blocks.isAside(seq)) this.#waiting.add(seq)
    }
  }

  /** From now on this node decides. */
  resume(): void {
    const { clearing, port } = this.#parts
    const { blocks } = clearing
    // The exchange ended between two commands of a reversal: continue it.
    const reversing = blocks.reversing()
    if (reversing.length > 0) {
      const setbacks = new Map(reversing.map((seq) => [seq, 'FAILED'] as const))
      const answer = { tradeSeqs: reversing, setbacks, txHash: null, end: null }
      this.#answers.push(unstamped(answer, null))
      for (const seq of reversing) this.#submitted.add(seq)
    }
    const submitted = port.resume({
      onAnswer: (answer) => this.#answered(answer),
      keep: (decide) => new Promise((resolve) => this.#keep({ decide, resolve })),
      onApproved: (profileId) => this.#approved(profileId),
      clearing,
    })
    this.#submits(submitted, blocks.throughSeq)
    port.paidOut([...clearing.catalogue.all()].filter(({ isPaidOut }) => isPaidOut))
  }

  #approved(profileId: ProfileId): void {
    const { blocks, accounts } = this.#parts.clearing
    // A process that ended may have stamped it already.
    if ((accounts.partners.byId(profileId)?.submitted.length ?? 0) === 0) return
    this.#keep({
      decide: () => {
        return { kind: 'settleApprovals', profileId, height: blocks.height, isConfirmed: true }
      },
      resolve: () => {
        const block = { ...this.#newestBlock, mined: [], approvers: [profileId] }
        for (const listener of this.#listeners) listener.onBlock(block)
      },
    })
  }

  #keep(kept: Kept): void {
    this.#kept.push(kept)
    this.#stampKept()
  }

  /** False when a ring is full. */
  #stampKept(): boolean {
    const { clearing, publisher, sequencer } = this.#parts
    for (let kept = this.#kept.at(0); kept !== undefined; kept = this.#kept.at(0)) {
      const { reject } = sequencer.change(kept.decide)
      if (reject === REJECT.OVERLOADED) return false
      assert(reject === null, 'what a port keeps is allowed and fits a record')
      publisher.whenDurable(clearing.lastSeq, kept.resolve)
      this.#kept.shift()
    }
    return true
  }

  /** Notes what the port has. The last block of it covers its last trade, or more. */
  #submits(tradeSeqs: readonly Seq[], throughSeq: Seq): void {
    if (tradeSeqs.length === 0) return
    const { blocks } = this.#parts.clearing
    const { throughSeq: beforeSeq } = this.#submissions.at(-1) ?? blocks
    let lastSeq = Math.max(beforeSeq, throughSeq)
    for (const seq of tradeSeqs) {
      if (!blocks.isOpen(seq)) continue
      lastSeq = Math.max(lastSeq, seq)
      this.#submitted.add(seq)
      this.#retries.delete(seq)
    }
    this.#submissions.push({ throughSeq: lastSeq, left: tradeSeqs.length })
  }

  #answered(answer: ChainAnswer): void {
    this.#answers.push(unstamped(answer, this.#coverOf(answer)))
    if (!this.#isSubmitting) this.#mine()
  }

  /** What the block of an answer covers; null when it mines nothing. */
  #coverOf(answer: ChainAnswer): Seq | null {
    let { length: count } = answer.tradeSeqs
    let throughSeq: Seq | null = null
    while (count > 0) {
      const submission = this.#submissions.at(0)
      assert(submission !== undefined, 'only submitted trades are answered')
      const answered = Math.min(count, submission.left)
      submission.left -= answered
      count -= answered
      if (submission.left > 0) return this.#coverOfPart(answer, throughSeq)
      throughSeq = submission.throughSeq
      this.#submissions.shift()
    }
    return throughSeq
  }

  /** Of an answer whose last submission has more trades: up to its own last trade. */
  #coverOfPart({ tradeSeqs, setbacks }: ChainAnswer, throughSeq: Seq | null): Seq | null {
    const { blocks } = this.#parts.clearing
    const isMined = tradeSeqs.some((seq) => blocks.isOpen(seq) && !setbacks.has(seq))
    if (!isMined) return throughSeq
    const due = tradeSeqs.filter((seq) => !blocks.isAside(seq))
    return due.reduce((most, seq) => Math.max(most, seq), throughSeq ?? blocks.throughSeq)
  }

  /** Adds a settled trade, by the seq of its arrival, to those that wait for a block. */
  traded(seq: Seq): void {
    this.#waiting.add(seq)
  }

  /** Publishes what another node mined by a command that was just applied, once it is durable. */
  replicated(command: ControlCommand): void {
    const round: Round = { setbacks: [], retries: 0, failures: 0, block: null }
    const { seq, nowMs } = command
    if (command.kind === 'mineBlock') {
      const { height, throughSeq, txHash = null } = command
      const mined = this.#minedBy(seq, throughSeq)
      this.#minedMs = nowMs
      this.#minedTxHash = txHash
      round.block = { height, throughSeq, txHash, ms: nowMs, mined, approvers: [] }
    } else if (command.kind === 'settleTrade') {
      const { tradeSeq } = command
      round.block = { ...this.#newestBlock, mined: [{ tradeSeq, seq }], approvers: [] }
    } else if (command.kind === 'settleApprovals') {
      round.block = { ...this.#newestBlock, mined: [], approvers: [command.profileId] }
    } else if (command.kind === 'retrySettlement') {
      const { tradeSeq } = command
      this.#waiting.remove((each) => each === tradeSeq)
      round.retries++
      round.setbacks.push({ tradeSeq, status: 'RETRYING', txHash: null, nowMs })
    } else if (command.kind === 'failSettlement' && command.fillsLeft === undefined) {
      const { tradeSeq, legs } = command
      this.#waiting.remove((each) => each === tradeSeq)
      round.failures++
      const reversed = { seq, marketId: legs[0].marketId }
      round.setbacks.push({ tradeSeq, status: 'FAILED', txHash: null, nowMs, reversed })
    } else return
    this.#ending += endsOf(round)
    this.#parts.publisher.whenDurable(seq, () => this.#publish(round))
  }

  get #newestBlock(): Pick<BlockEvent, 'height' | 'throughSeq' | 'ms' | 'txHash'> {
    const { height, throughSeq } = this.#parts.clearing.blocks
    return { height, throughSeq, ms: this.#minedMs, txHash: this.#minedTxHash }
  }

  get port(): SettlementPort {
    return this.#parts.port
  }

  /** Trades that are in no durable block, including retried ones. */
  get waitingCount(): number {
    return this.#waiting.count + this.#parts.clearing.blocks.asideCount + this.#ending
  }

  /** The newest durable block. */
  get shown(): { readonly height: number; readonly throughSeq: Seq } {
    return this.#shown
  }

  /** The hash of a trade's transaction in the block that contains it. */
  txHashIn({ height, txHash }: BlockName, tradeSeq: Seq): string {
    return txHash ?? txHashOf(this.#parts.port.chainId, height, tradeSeq)
  }

  /** True while failed trades are looked up; nothing is mined meanwhile. */
  get isRequesting(): boolean {
    return this.#isRequesting
  }

  /** Whether the trade of this seq still waits to be mined. */
  isWaiting(tradeSeq: Seq): boolean {
    return this.#waiting.has(tradeSeq) || this.#parts.clearing.blocks.isAside(tradeSeq)
  }

  listen(listener: SettlementListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /**
   * Calls `reply` with the outcome of a trade once it is durable, if trades are mined at once.
   * Otherwise calls it now, with null.
   */
  whenMined(tradeSeq: Seq, reply: (event: SettlementEvent | null) => void): void {
    const { blockMs, port } = this.#parts
    const isAtOnce = blockMs === 0 && port.answersAtOnce
    if (isAtOnce && this.#waiting.has(tradeSeq)) this.#replies.set(tradeSeq, reply)
    else reply(null)
  }

  /** The next time when `tick` has something to do; Infinity for nothing. */
  get nextDueMs(): TimeMs {
    const { nextDueMs } = this.rewards
    return Math.min(this.#nextBlockMs, this.#archive.nextDueMs, this.#payouts.nextDueMs, nextDueMs)
  }

  /** The time of the next block or submission; Infinity when nothing waits for one. */
  get #nextBlockMs(): TimeMs {
    const { clearing, blockMs, port } = this.#parts
    const { blocks, accounts } = clearing
    if (this.#kept.length > 0) return 0
    if (this.#isRequesting) return Number.POSITIVE_INFINITY
    if (this.#answers.length > 0) return 0
    if (port.freeCount === 0) return Number.POSITIVE_INFINITY
    const nextMs = Math.max(this.#minedMs, this.#submittedMs) + blockMs
    const waiting = this.#waiting.count + blocks.asideCount - this.#submitted.size
    const isApproving = port.answersAtOnce && accounts.partners.submittedCount > 0
    const others = isApproving || blocks.isWaiting
    if (others && this.#submitted.size === 0) return nextMs
    if (waiting === 0) return Number.POSITIVE_INFINITY
    return Math.max(nextMs, this.#firstRetryMs(waiting))
  }

  /** 0 when a trade waits that is not a retry. */
  #firstRetryMs(waiting: number): TimeMs {
    if (this.#retries.size < waiting) return 0
    let first = Number.POSITIVE_INFINITY
    for (const ms of this.#retries.values()) first = Math.min(first, ms)
    return first
  }

  /**
   * Mines when the last block is `blockMs` old. Then pays out resolved markets, and archives
   * finished ones.
   */
  tick(): void {
    this.#mineWhenDue()
    this.#payouts.tick()
    this.rewards.tick()
    this.#archive.tick()
  }

  /** Call it when results were settled, or when more is durable. */
  drained(): void {
    if (this.#parts.blockMs === 0) this.#mineWhenDue()
  }

  #mineWhenDue(): void {
    if (this.#parts.sequencer.nowMs() >= this.#nextBlockMs) this.#mine()
  }

  #mine(): void {
    if (!this.#stampKept() || !this.#stampAnswers()) return
    this.#submit()
    this.#stampAnswers()
  }

  /** Submits what is due; a block for something else than trades is answered at once. */
  #submit(): void {
    const { clearing, publisher, shards, port, sequencer } = this.#parts
    const { blocks, accounts } = clearing
    // An unpublished trade is not mined: its reply may still register to wait for the block.
    const throughSeq = publishedThrough(publisher, shards)
    const nowMs = sequencer.nowMs()
    const isDue = (seq: Seq) => !this.#submitted.has(seq) && (this.#retries.get(seq) ?? 0) <= nowMs
    // By rising seq, so that a block which covers the last of some covers no other.
    const waiting = this.#waiting.upTo(throughSeq)
    const all = [...blocks.aside(), ...waiting].filter(isDue).sort((a, b) => a - b)
    if (all.length === 0) {
      const isApproving = port.answersAtOnce && accounts.partners.submittedBy(throughSeq).length > 0
      const isWanted = blocks.wantsBlock(throughSeq) || isApproving
      if (isWanted && this.#submitted.size === 0) this.#answers.push(unstamped(NOTHING, throughSeq))
      return
    }
    const due = all.slice(0, port.freeCount)
    if (due.length === 0) return
    this.#submittedMs = nowMs
    this.#isSubmitting = true
    this.#submits(due, due.length === all.length ? throughSeq : due[due.length - 1])
    port.submit(due)
    this.#isSubmitting = false
  }

  /** False when a ring is full, or while failed trades are looked up. */
  #stampAnswers(): boolean {
    for (let head = this.#answers.at(0); head !== undefined; head = this.#answers.at(0)) {
      if (this.#isRequesting || !this.#stamp(head)) return false
      for (const seq of head.answer.tradeSeqs) this.#submitted.delete(seq)
      this.#answers.shift()
    }
    return true
  }

  /** The block waits for the result: it must not cover a trade that must be reversed. */
  async #request({ reversals }: Answered, tradeSeqs: readonly Seq[]): Promise<void> {
    this.#isRequesting = true
    const trades = await Promise.all(tradeSeqs.map((seq) => this.#parts.tradeOf(seq)))
    this.#isRequesting = false
    for (const [index, trade] of trades.entries()) {
      if (trade === undefined) continue
      assert(trade !== null, 'a settled trade is in the tables')
      const tradeSeq = tradeSeqs[index]
      const { length } = trade.fills
      const left = this.#parts.clearing.blocks.fillsLeftOf(tradeSeq) ?? length
      const { reversalLegsMax = LIMITS.reversalLegsMax } = this.#parts
      reversals.set(tradeSeq, reversalParts(trade, reversalLegsMax, length - left))
    }
    if (trades.every((trade) => trade !== undefined)) this.#mine()
  }

  /** False when it could not be stamped completely: the rest is stamped at the next call. */
  #stamp(answered: Answered): boolean {
    const { clearing, publisher } = this.#parts
    const { answer, setbacks, reversals, throughSeq } = answered
    if (answered.late === null) this.#begin(answered)
    const unknown = [...setbacks].flatMap(([seq, setback]) => {
      return setback === 'FAILED' && !reversals.has(seq) ? [seq] : []
    })
    if (unknown.length > 0) {
      void this.#request(answered, unknown)
      return false
    }
    const round: Round = { setbacks: [], retries: 0, failures: 0, block: null }
    const before = clearing.lastSeq
    let isStamped = this.#stampSetbacks(answered, round)
    if (isStamped && throughSeq !== null) {
      round.block = this.#stampBlock(answered, throughSeq)
      isStamped = answered.isInBlock && answered.late?.length === 0
    }
    if (isStamped && answer.end !== null) {
      faultPoint('mid-answer')
      isStamped = this.#change(answer.end)
    }
    this.#ending += endsOf(round)
    if (clearing.lastSeq > before) {
      publisher.whenDurable(clearing.lastSeq, () => this.#publish(round))
    }
    return isStamped
  }

  /** A trade may have ended already: the process ended before it stamped the whole answer. */
  #begin(answered: Answered): void {
    const { blocks } = this.#parts.clearing
    const { answer, setbacks } = answered
    for (const seq of setbacks.keys()) if (!blocks.isOpen(seq)) setbacks.delete(seq)
    answered.late = answer.tradeSeqs.filter((seq) => blocks.isAside(seq) && !setbacks.has(seq))
  }

  /** Stamps a command; false when a ring is full. */
  #change(body: ControlBody): boolean {
    return this.#parts.sequencer.change(() => body).reject === null
  }

  /** Stamps the setbacks. False when a ring is full. */
  #stampSetbacks({ setbacks, reversals }: Answered, round: Round): boolean {
    const { clearing, port } = this.#parts
    for (const [tradeSeq, status] of setbacks) {
      const reversal = reversals.get(tradeSeq)
      let marketId: MarketId = 0
      if (reversal !== undefined) {
        for (let part = reversal.at(0); part !== undefined; part = reversal.at(0)) {
          if (!this.#change({ kind: 'failSettlement', tradeSeq, ...part })) return false
          faultPoint('mid-reversal')
          marketId = part.legs[0].marketId
          reversal.shift()
        }
        round.failures++
        this.#retries.delete(tradeSeq)
      } else {
        if (!clearing.blocks.isAside(tradeSeq)) {
          if (!this.#change({ kind: 'retrySettlement', tradeSeq })) return false
          round.retries++
        }
        this.#retries.set(tradeSeq, clearing.lastNowMs + port.retryMs)
      }
      setbacks.delete(tradeSeq)
      reversals.delete(tradeSeq)
      this.#waiting.remove((seq) => seq === tradeSeq)
      const event = { tradeSeq, status, txHash: null, nowMs: clearing.lastNowMs }
      const reversed = { seq: clearing.lastSeq, marketId }
      round.setbacks.push(reversal === undefined ? event : { ...event, reversed })
    }
    return true
  }

  /** The block of an answer, then the trades in it that an earlier block skipped. */
  #stampBlock(answered: Answered, throughSeq: Seq): BlockEvent | null {
    const { clearing, port } = this.#parts
    const { txHash } = answered.answer
    const mined: MinedTrade[] = []
    if (!answered.isInBlock) {
      const height = clearing.blocks.height + 1
      const block = { kind: 'mineBlock', height, throughSeq, chainId: port.chainId } as const
      if (!this.#change(txHash === null ? block : { ...block, txHash })) return null
      answered.isInBlock = true
      this.#minedMs = clearing.lastNowMs
      this.#minedTxHash = txHash
      mined.push(...this.#minedBy(clearing.lastSeq, throughSeq))
    }
    // In the order of their commands, which reconnecting clients rely on.
    mined.push(...this.#stampLate(answered))
    return { ...this.#newestBlock, mined, approvers: this.#stampApprovals() }
  }

  /** The trades that the block of `seq` ends; they no longer wait. */
  #minedBy(seq: Seq, throughSeq: Seq): MinedTrade[] {
    const due = this.#waiting.upTo(throughSeq).map((tradeSeq) => ({ tradeSeq, seq }))
    this.#waiting.remove((tradeSeq) => tradeSeq <= throughSeq)
    return due
  }

  /** Submitting an approval again is harmless, so a full ring only delays it by a block. */
  #stampApprovals(): number[] {
    const { clearing, port } = this.#parts
    const { height, throughSeq } = clearing.blocks
    if (!port.answersAtOnce) return []
    return clearing.accounts.partners.submittedBy(throughSeq).filter((profileId) => {
      const setback = port.approve(profileId)
      if (setback === 'RETRYING') return false
      const isConfirmed = setback === null
      return this.#change({ kind: 'settleApprovals', profileId, height, isConfirmed })
    })
  }

  #stampLate(answered: Answered): MinedTrade[] {
    const { clearing } = this.#parts
    const { height } = clearing.blocks
    const stamped: MinedTrade[] = []
    const { late } = answered
    for (let tradeSeq = late?.at(0); tradeSeq !== undefined; tradeSeq = late?.at(0)) {
      if (!this.#change({ kind: 'settleTrade', tradeSeq, height })) break
      stamped.push({ tradeSeq, seq: clearing.lastSeq })
      this.#retries.delete(tradeSeq)
      late?.shift()
    }
    return stamped
  }

  #publish(round: Round): void {
    const { setbacks, block } = round
    this.#ending -= endsOf(round)
    this.retries += round.retries
    this.failures += round.failures
    for (const event of setbacks) {
      for (const listener of this.#listeners) listener.onSetback(event)
      this.#reply(event.tradeSeq, () => event)
    }
    if (block === null) return
    faultPoint('before-mined')
    const { height, throughSeq, ms: nowMs, mined } = block
    this.#shown = { height, throughSeq }
    for (const listener of this.#listeners) listener.onBlock(block)
    for (const { tradeSeq } of mined) {
      this.#reply(tradeSeq, () => {
        return { tradeSeq, status: 'MINED', txHash: this.txHashIn(block, tradeSeq), nowMs }
      })
    }
  }

  #reply(tradeSeq: Seq, event: () => SettlementEvent): void {
    const reply = this.#replies.get(tradeSeq)
    this.#replies.delete(tradeSeq)
    reply?.(event())
  }
}

// Decides when trades are mined and publishes it. Main submits the trades since the last block to
// the settlement port and stamps the results: first the setbacks, then the block, then the trades
// that an earlier block skipped. Everything is published when it is durable (invariant 1).
// Invariants: a block covers only seqs whose receipts are settled here and durable (invariant 2).
// Main acts on a verdict of the port once, however often the rings were full.

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
import type { MarketId, Seq } from '../../../engine/domain/ids.ts'
import { LIMITS } from '../../../engine/domain/limits.ts'
import type { SettlementStatus } from '../../../engine/domain/moves/move-command.ts'
import type { FeeBps, TimeMs } from '../../../engine/domain/units.ts'
import type { ShardHandle } from '../../../engine/shard/shard-handle.ts'
import { faultPoint } from '../../../engine/thread/fault-point.ts'
import { Archive } from '../jobs/archive.ts'
import { RewardMinutes } from '../jobs/reward-minutes.ts'
import { type Publisher, publishedThrough } from '../publisher/durable-publisher.ts'
import type { ControlBody, Sequencer } from '../sequencer/sequencer.ts'
import { Payouts } from './payouts.ts'
import type { Setback, SettlementPort } from './settlement-port.ts'
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

/** A durable block. Every trade up to `throughSeq` is in a block, except the published setbacks. */
export interface BlockEvent {
  readonly height: number
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
  /** The verdicts of the port that are not stamped yet. */
  readonly #verdicts = new Map<number, Setback>()
  /** The unstamped parts of the reversals of failed trades. */
  readonly #reversals = new Map<number, ReversalPart[]>()
  /** Trades accepted by the port but in no stamped block yet: they are not submitted again. */
  readonly #taken = new Set<number>()
  readonly #replies = new Map<number, (event: SettlementEvent) => void>()
  readonly #listeners = new Set<SettlementListener>()
  #isRequesting = false
  #minedMs: TimeMs
  #shown: Pick<BlockEvent, 'height' | 'throughSeq'>
  /** Trades whose end is stamped but not published yet. */
  #ending = 0
  retries = 0
  failures = 0

  constructor(parts: MiningParts) {
    this.#parts = parts
    this.#archive = new Archive(parts)
    this.#payouts = new Payouts(parts)
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
    // The exchange ended between two commands of a reversal: continue it.
    for (const seq of this.#parts.clearing.blocks.reversing()) this.#verdicts.set(seq, 'FAILED')
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
      const { height, throughSeq } = command
      const mined = this.#minedBy(seq, throughSeq)
      this.#minedMs = nowMs
      round.block = { height, throughSeq, ms: nowMs, mined, approvers: [] }
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

  get #newestBlock(): Pick<BlockEvent, 'height' | 'throughSeq' | 'ms'> {
    const { height, throughSeq } = this.#parts.clearing.blocks
    return { height, throughSeq, ms: this.#minedMs }
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
  txHashIn(height: number, tradeSeq: Seq): string {
    return txHashOf(this.#parts.port.chainId, height, tradeSeq)
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
    if (this.#parts.blockMs === 0 && this.#waiting.has(tradeSeq)) this.#replies.set(tradeSeq, reply)
    else reply(null)
  }

  /** The next time when `tick` has something to do; Infinity for nothing. */
  get nextDueMs(): TimeMs {
    const { nextDueMs } = this.rewards
    return Math.min(this.#nextBlockMs, this.#archive.nextDueMs, this.#payouts.nextDueMs, nextDueMs)
  }

  /** The time of the next block; Infinity when nothing waits for one. */
  get #nextBlockMs(): TimeMs {
    const { clearing, blockMs } = this.#parts
    const { blocks, accounts } = clearing
    const waiting = this.#waiting.count + blocks.asideCount + accounts.partners.submittedCount
    const isNothing = waiting === 0 && !blocks.isWaiting
    return isNothing ? Number.POSITIVE_INFINITY : this.#minedMs + blockMs
  }

  /**
   * Mines when the last block is `blockMs` old. Then pays out resolved markets, and archives
   * finished ones.
   */
  tick(): void {
    if (this.#parts.sequencer.nowMs() - this.#minedMs >= this.#parts.blockMs) this.#mine()
    this.#payouts.tick()
    this.rewards.tick()
    this.#archive.tick()
  }

  /** Call it when results were settled, or when more is durable. */
  drained(): void {
    if (this.#parts.blockMs !== 0) return
    const { blocks, accounts } = this.#parts.clearing
    const waiting = this.#waiting.count + accounts.partners.submittedCount
    if (waiting > 0 || blocks.isWaiting) this.#mine()
  }

  #mine(): void {
    if (this.#isRequesting) return
    const { clearing, publisher, shards } = this.#parts
    // An unpublished trade is not mined: its reply may still register to wait for the block.
    const throughSeq = publishedThrough(publisher, shards)
    const aside = clearing.blocks.aside()
    const due = this.#waiting.upTo(throughSeq)
    const approvers = clearing.accounts.partners.submittedBy(throughSeq)
    const isWanted = clearing.blocks.wantsBlock(throughSeq)
    if (aside.length + due.length + approvers.length === 0 && !isWanted) return
    this.#submit([...aside, ...due])
    const unknown = [...this.#verdicts].flatMap(([seq, setback]) => {
      return setback === 'FAILED' && !this.#reversals.has(seq) ? [seq] : []
    })
    if (unknown.length > 0) void this.#request(unknown)
    else this.#stamp(throughSeq, aside)
  }

  /** A trade that the port accepted is not submitted again, however long its block has to wait. */
  #submit(tradeSeqs: readonly Seq[]): void {
    const fresh = tradeSeqs.filter((seq) => !this.#verdicts.has(seq) && !this.#taken.has(seq))
    const setbacks = this.#parts.port.submit(fresh)
    for (const seq of fresh) {
      const setback = setbacks.get(seq)
      if (setback === undefined) this.#taken.add(seq)
      else this.#verdicts.set(seq, setback)
    }
  }

  /** The block waits for the result: it must not cover a trade that must be reversed. */
  async #request(tradeSeqs: readonly Seq[]): Promise<void> {
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
      this.#reversals.set(tradeSeq, reversalParts(trade, reversalLegsMax, length - left))
    }
    if (trades.every((trade) => trade !== undefined)) this.#mine()
  }

  #stamp(throughSeq: Seq, aside: readonly number[]): void {
    const { clearing, publisher } = this.#parts
    const round: Round = { setbacks: [], retries: 0, failures: 0, block: null }
    const before = clearing.lastSeq
    // A trade with a new verdict is not mined late in this round.
    const again = new Set(this.#verdicts.keys())
    if (this.#stampSetbacks(round)) {
      const late = aside.filter((seq) => !again.has(seq))
      round.block = this.#stampBlock(throughSeq, late)
    }
    this.#ending += endsOf(round)
    if (clearing.lastSeq > before) {
      publisher.whenDurable(clearing.lastSeq, () => this.#publish(round))
    }
  }

  /** Stamps a command; false when a ring is full. */
  #change(body: ControlBody): boolean {
    return this.#parts.sequencer.change(() => body).reject === null
  }

  /** Stamps the setbacks. False when a ring is full: the rest is stamped with the next block. */
  #stampSetbacks(round: Round): boolean {
    const { clearing } = this.#parts
    for (const [tradeSeq, status] of this.#verdicts) {
      const reversal = this.#reversals.get(tradeSeq)
      let marketId: MarketId = 0
      if (reversal !== undefined) {
        for (let part = reversal.at(0); part !== undefined; part = reversal.at(0)) {
          if (!this.#change({ kind: 'failSettlement', tradeSeq, ...part })) return false
          faultPoint('mid-reversal')
          marketId = part.legs[0].marketId
          reversal.shift()
        }
        round.failures++
      } else if (status === 'RETRYING' && !clearing.blocks.isAside(tradeSeq)) {
        if (!this.#change({ kind: 'retrySettlement', tradeSeq })) return false
        round.retries++
      }
      this.#verdicts.delete(tradeSeq)
      this.#reversals.delete(tradeSeq)
      this.#waiting.remove((seq) => seq === tradeSeq)
      const event = { tradeSeq, status, txHash: null, nowMs: clearing.lastNowMs }
      const reversed = { seq: clearing.lastSeq, marketId }
      round.setbacks.push(reversal === undefined ? event : { ...event, reversed })
    }
    return true
  }

  #stampBlock(throughSeq: Seq, late: readonly number[]): BlockEvent | null {
    const { clearing, port } = this.#parts
    const height = clearing.blocks.height + 1
    const { chainId } = port
    if (!this.#change({ kind: 'mineBlock', height, throughSeq, chainId })) return null
    this.#minedMs = clearing.lastNowMs
    const seq = clearing.lastSeq
    const due = this.#minedBy(seq, throughSeq)
    // In the order of their commands, which reconnecting clients rely on.
    const mined = [...due, ...this.#stampLate(late)]
    for (const { tradeSeq } of mined) this.#taken.delete(tradeSeq)
    return { height, throughSeq, ms: this.#minedMs, mined, approvers: this.#stampApprovals() }
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
    return clearing.accounts.partners.submittedBy(throughSeq).filter((profileId) => {
      const setback = port.approve(profileId)
      if (setback === 'RETRYING') return false
      const isConfirmed = setback === null
      return this.#change({ kind: 'settleApprovals', profileId, height, isConfirmed })
    })
  }

  #stampLate(late: readonly number[]): MinedTrade[] {
    const { clearing } = this.#parts
    const { height, throughSeq } = clearing.blocks
    return late.flatMap((tradeSeq) => {
      if (tradeSeq > throughSeq) return []
      const isStamped = this.#change({ kind: 'settleTrade', tradeSeq, height })
      return isStamped ? [{ tradeSeq, seq: clearing.lastSeq }] : []
    })
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
        return { tradeSeq, status: 'MINED', txHash: this.txHashIn(height, tradeSeq), nowMs }
      })
    }
  }

  #reply(tradeSeq: Seq, event: () => SettlementEvent): void {
    const reply = this.#replies.get(tradeSeq)
    this.#replies.delete(tradeSeq)
    reply?.(event())
  }
}

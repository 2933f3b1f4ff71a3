// Hot path. bench/pipeline.bench.ts
// The times at which each step of an order ended, and how long the steps took.
//
//   received ─read→ asked ─intake→ told ─sequence→ handed ─journal→ durable ─┐
//                                                  └─match→ seen ─settle→ settled ─publish→ replied
//
// Main takes every stamp, so the work of another thread is measured as the time that main waits for
// it. Up to `told` each request has its own stamps. `handed`, `durable`, `seen` and `settled` are
// shared by the commands of one turn of the loop, one commit and one drain, as main learns of them
// then. Invariants: a row belongs to one request from `begin` to `end`; row 0 belongs to no request
// and may be written to. A cell belongs to one command until SEQS newer commands are stamped.

import { assert } from '../../engine/domain/assert.ts'
import type { Generation, MarketId, Seq, Slot } from '../../engine/domain/ids.ts'
import { LIMITS } from '../../engine/domain/limits.ts'
import { KIND } from '../../engine/wire/record-layout.ts'
import { Distribution, MICROS } from './latency.ts'

const STEPS = ['intake', 'sequence', 'journal', 'match', 'settle', 'publish'] as const
type Step = (typeof STEPS)[number]

/** Orders; cancels; other commands, KIND − 1 each; calls that change nothing. */
export const KINDS = ['order', 'cancel', 'change', 'query'] as const
export type KindOfCall = (typeof KINDS)[number]

/** The steps of each kind between its read and its reply. */
export const STEPS_OF: Readonly<Record<KindOfCall, readonly Step[]>> = {
  order: STEPS,
  cancel: ['journal', 'match', 'settle'],
  change: ['journal'],
  query: [],
}

const ORDER = KINDS.indexOf('order')
const ROWS = LIMITS.inFlightMax + 1
const SEQS = 1 << 17
const MASK = SEQS - 1
const SMALLEST_RECORD_BYTES = 48

assert(ORDER === KIND.PLACE - 1, 'an order has the first distributions')
assert(KINDS.indexOf('cancel') === KIND.CANCEL - 1, 'a cancel has the second')
assert(KINDS.indexOf('change') === KIND.RARE - 1, 'a rare command has the third')
// A release is no call of a client, so its steps go to the kind that shows none.
assert(KINDS.indexOf('query') === KIND.RELEASE - 1, 'the distributions of a release are not read')
assert(
  LIMITS.ringBytes + LIMITS.batchBytesMax <= SEQS * SMALLEST_RECORD_BYTES,
  'every command that is not durable has a cell',
)

/** Commands of one turn share their stamps: a step that took them equally long is counted once. */
class EqualTimes {
  readonly #distributions: readonly Distribution[]
  readonly #counts = new Int32Array(KINDS.length)
  #tookMs = 0

  constructor(steps: readonly (readonly Distribution[])[], step: Step) {
    this.#distributions = steps.map((each) => each[STEPS.indexOf(step)])
  }

  add(kind: number, tookMs: number): void {
    if (tookMs !== this.#tookMs) {
      this.flush()
      this.#tookMs = tookMs
    }
    this.#counts[kind]++
  }

  flush(): void {
    for (let kind = 0; kind < this.#counts.length; kind++) {
      const count = this.#counts[kind]
      if (count > 0) this.#distributions[kind].record(this.#tookMs * 1000, count)
      this.#counts[kind] = 0
    }
  }
}

export class OrderTimes {
  readonly #steps = KINDS.map(() => STEPS.map(() => new Distribution(MICROS)))
  readonly #journaled = new EqualTimes(this.#steps, 'journal')
  readonly #matched = new EqualTimes(this.#steps, 'match')
  readonly #settledRun = new EqualTimes(this.#steps, 'settle')
  readonly #free = new Int32Array(ROWS)
  #freeCount = 0
  #requests = 0
  readonly #requestOf = new Float64Array(ROWS)
  readonly #askedMsOf = new Float64Array(ROWS)
  readonly #toldMsOf = new Float64Array(ROWS)
  /** Times at which the sequencer refused. */
  readonly #refusedMsOf = new Float64Array(ROWS)
  readonly #seqOf = new Float64Array(ROWS)
  readonly #marketOf = new Int32Array(ROWS)
  readonly #slotOf = new Int32Array(ROWS)
  readonly #generationOf = new Int32Array(ROWS)
  readonly #seqAt = new Float64Array(SEQS)
  readonly #kindAt = new Uint8Array(SEQS)
  readonly #handedMsAt = new Float64Array(SEQS)
  readonly #durableMsAt = new Float64Array(SEQS)
  readonly #seenMsAt = new Float64Array(SEQS)
  readonly #settledMsAt = new Float64Array(SEQS)
  #stampedSeq: Seq = 0
  #handedSeq: Seq = 0
  #durableSeq: Seq = 0
  /** Time of the drain under way; 0 before its first record. */
  #seenMs = 0
  readonly #settling = new Float64Array(1 << 16)
  #settlingCount = 0

  constructor() {
    for (let row = ROWS - 1; row > 0; row--) this.#free[this.#freeCount++] = row
  }

  step(kind: KindOfCall, step: Step): Distribution {
    return this.#steps[KINDS.indexOf(kind)][STEPS.indexOf(step)]
  }

  /** Gives a row to a request that was read completely; 0 when no row is free. */
  begin(readMs: number): number {
    if (this.#freeCount === 0) return 0
    const row = this.#free[--this.#freeCount]
    this.#requestOf[row] = ++this.#requests
    this.#askedMsOf[row] = readMs
    this.#toldMsOf[row] = 0
    this.#refusedMsOf[row] = 0
    this.#seqOf[row] = 0
    this.#marketOf[row] = 0
    return row
  }

  /** Stamps the verdict of the intake. */
  told(row: number): void {
    this.#toldMsOf[row] = performance.now()
  }

  refused(row: number, marketId: MarketId): void {
    this.#refusedMsOf[row] = performance.now()
    this.#marketOf[row] = marketId
  }

  accepted(
    row: number,
    order: { seq: Seq; marketId: MarketId; slot: Slot; generation: Generation },
  ): void {
    this.#seqOf[row] = order.seq
    this.#marketOf[row] = order.marketId
    this.#slotOf[row] = order.slot
    this.#generationOf[row] = order.generation
  }

  /** A command of this KIND is in the rings, but not yet visible to their threads. */
  stamped(seq: Seq, kind: number): void {
    if (seq !== this.#stampedSeq + 1) {
      this.#handedSeq = seq - 1
      this.#durableSeq = seq - 1
    }
    this.#stampedSeq = seq
    this.#seqAt[seq & MASK] = seq
    this.#kindAt[seq & MASK] = kind - 1
    this.#seenMsAt[seq & MASK] = 0
    this.#settledMsAt[seq & MASK] = 0
    this.#durableMsAt[seq & MASK] = 0
  }

  /** All stamped commands are visible to the threads. */
  handed(): void {
    const nowMs = performance.now()
    while (this.#handedSeq < this.#stampedSeq) this.#handedMsAt[++this.#handedSeq & MASK] = nowMs
  }

  durable(seq: Seq): void {
    if (this.#durableSeq >= this.#handedSeq) return
    const nowMs = performance.now()
    const last = Math.min(seq, this.#handedSeq)
    while (this.#durableSeq < last) {
      const cell = ++this.#durableSeq & MASK
      this.#durableMsAt[cell] = nowMs
      this.#journaled.add(this.#kindAt[cell], nowMs - this.#handedMsAt[cell])
    }
    this.#journaled.flush()
  }

  /** Main sees a record of a command, the last one when `isLast`. */
  saw(seq: Seq, isLast: boolean): void {
    if (this.#seenMs === 0) this.#seenMs = performance.now()
    const cell = seq & MASK
    if (!isLast || this.#seqAt[cell] !== seq) return
    this.#seenMsAt[cell] = this.#seenMs
    this.#matched.add(this.#kindAt[cell], this.#seenMs - this.#handedMsAt[cell])
    this.#settling[this.#settlingCount++] = cell
    if (this.#settlingCount === this.#settling.length) this.drained()
  }

  /** All commands seen since the last call are settled. */
  drained(): void {
    if (this.#seenMs === 0) return
    const nowMs = performance.now()
    for (let index = 0; index < this.#settlingCount; index++) {
      const cell = this.#settling[index]
      this.#settledMsAt[cell] = nowMs
      this.#settledRun.add(this.#kindAt[cell], nowMs - this.#seenMs)
    }
    this.#matched.flush()
    this.#settledRun.flush()
    this.#settlingCount = 0
    this.#seenMs = 0
  }

  /** The reply of a request is out, or its client has left; its row becomes free. */
  end(row: number, repliedMs: number): void {
    if (row === 0) return
    this.#free[this.#freeCount++] = row
    const toldMs = this.#toldMsOf[row]
    if (toldMs === 0) return
    this.#record(ORDER, INTAKE, toldMs - this.#askedMsOf[row])
    const refusedMs = this.#refusedMsOf[row]
    if (refusedMs > 0) this.#record(ORDER, SEQUENCE, refusedMs - toldMs)
    const seq = this.#seqOf[row]
    if (!this.#holds(seq)) return
    const cell = seq & MASK
    this.#record(ORDER, SEQUENCE, this.#handedMsAt[cell] - toldMs)
    const readyMs = Math.max(this.#durableMsAt[cell], this.#settledMsAt[cell])
    if (readyMs > 0) this.#record(ORDER, PUBLISH, repliedMs - readyMs)
  }

  #record(kind: number, step: number, tookMs: number): void {
    this.#steps[kind][step].record(tookMs * 1000)
  }

  #holds(seq: Seq): boolean {
    return seq > 0 && this.#seqAt[seq & MASK] === seq
  }

  /** The names and stamps of a request whose row is not free yet; unknown stamps are 0. */
  wayOf(row: number) {
    const isKnown = row !== 0
    const seq = isKnown ? this.#seqOf[row] : 0
    const cell = this.#holds(seq) ? seq & MASK : -1
    const at = (column: Float64Array) => (cell < 0 ? 0 : column[cell])
    const of = (column: Float64Array | Int32Array) => (isKnown ? column[row] : 0)
    const refusedMs = of(this.#refusedMsOf)
    return {
      request: of(this.#requestOf),
      marketId: of(this.#marketOf),
      seq,
      slot: of(this.#slotOf),
      generation: of(this.#generationOf),
      /** The ends of read, intake, sequence, journal, match and settle, in this order. */
      stampsMs: [
        of(this.#askedMsOf),
        of(this.#toldMsOf),
        refusedMs > 0 ? refusedMs : at(this.#handedMsAt),
        at(this.#durableMsAt),
        at(this.#seenMsAt),
        at(this.#settledMsAt),
      ],
    }
  }

  /** How long ago the oldest command above `appliedSeq` became durable; 0 without one. */
  behindMs(appliedSeq: Seq, nowMs: number): number {
    if (appliedSeq >= this.#durableSeq) return 0
    const oldest = Math.max(appliedSeq + 1, this.#stampedSeq - SEQS + 1)
    const durableMs = this.#holds(oldest) ? this.#durableMsAt[oldest & MASK] : 0
    return durableMs === 0 ? 0 : nowMs - durableMs
  }
}

const INTAKE = STEPS.indexOf('intake')
const SEQUENCE = STEPS.indexOf('sequence')
const PUBLISH = STEPS.indexOf('publish')

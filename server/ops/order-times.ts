// Hot path. bench/pipeline.bench.ts
// When each step of an order's way ended, and how long the steps took.
//
//   received ─read→ asked ─intake→ told ─sequence→ handed ─journal→ durable ─┐
//                                                  └─match→ seen ─settle→ settled ─publish→ replied
//
// Every stamp is main's: what another thread does is measured as main waits for it. Up to `told`
// each request has its own; `handed`, `durable`, `seen` and `settled` are shared by the commands
// of one turn of the loop, one commit and one drain, which is when main learns of them.
// Invariants: a row is one request from `begin` to `end`, row 0 belongs to nobody and may be
// written to; a cell is one command until SEQS newer ones were stamped.

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

/** What each kind passes between being read and its end. */
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
// A release is nobody's call: its steps fall to the kind that shows none.
assert(KINDS.indexOf('query') === KIND.RELEASE - 1, 'a release has distributions nobody reads')
assert(
  LIMITS.ringBytes + LIMITS.batchBytesMax <= SEQS * SMALLEST_RECORD_BYTES,
  'every command that is not durable has a cell',
)

export class OrderTimes {
  readonly #steps = KINDS.map(() => STEPS.map(() => new Distribution(MICROS)))
  readonly #free = new Int32Array(ROWS)
  #freeCount = 0
  #requests = 0
  readonly #requestOf = new Float64Array(ROWS)
  readonly #askedMsOf = new Float64Array(ROWS)
  readonly #toldMsOf = new Float64Array(ROWS)
  /** When the sequencer refused. */
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
  /** Of the drain under way; 0 when nothing has come yet. */
  #seenMs = 0
  readonly #settling = new Float64Array(1 << 16)
  #settlingCount = 0

  constructor() {
    for (let row = ROWS - 1; row > 0; row--) this.#free[this.#freeCount++] = row
  }

  step(kind: KindOfCall, step: Step): Distribution {
    return this.#steps[KINDS.indexOf(kind)][STEPS.indexOf(step)]
  }

  /** A request was read whole; its row, or 0 when more are under way than may be. */
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

  /** The intake's verdict has come. */
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

  /** A command of this KIND is in the rings, not shown to their threads. */
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

  /** All that was stamped is shown to the threads. */
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
      this.#record(this.#kindAt[cell], JOURNAL, nowMs - this.#handedMsAt[cell])
    }
  }

  /** Main sees the records of a command, the last of them if `isLast`. */
  saw(seq: Seq, isLast: boolean): void {
    if (this.#seenMs === 0) this.#seenMs = performance.now()
    const cell = seq & MASK
    if (!isLast || this.#seqAt[cell] !== seq) return
    this.#seenMsAt[cell] = this.#seenMs
    this.#record(this.#kindAt[cell], MATCH, this.#seenMs - this.#handedMsAt[cell])
    this.#settling[this.#settlingCount++] = cell
    if (this.#settlingCount === this.#settling.length) this.drained()
  }

  /** What was seen since the last call is settled. */
  drained(): void {
    if (this.#seenMs === 0) return
    const nowMs = performance.now()
    for (let index = 0; index < this.#settlingCount; index++) {
      const cell = this.#settling[index]
      this.#settledMsAt[cell] = nowMs
      this.#record(this.#kindAt[cell], SETTLE, nowMs - this.#seenMs)
    }
    this.#settlingCount = 0
    this.#seenMs = 0
  }

  /** The reply of a request went out, or its client has left; its row is free. */
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

  /** All that is known of a request whose row is not free yet; stamps are 0 where unknown. */
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
      /** Of read, intake, sequence, journal, match and settle, in this order. */
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

  /** For how long the oldest durable command above `appliedSeq` has been durable; 0 for none. */
  behindMs(appliedSeq: Seq, nowMs: number): number {
    if (appliedSeq >= this.#durableSeq) return 0
    const oldest = Math.max(appliedSeq + 1, this.#stampedSeq - SEQS + 1)
    const durableMs = this.#holds(oldest) ? this.#durableMsAt[oldest & MASK] : 0
    return durableMs === 0 ? 0 : nowMs - durableMs
  }
}

const INTAKE = STEPS.indexOf('intake')
const SEQUENCE = STEPS.indexOf('sequence')
const JOURNAL = STEPS.indexOf('journal')
const MATCH = STEPS.indexOf('match')
const SETTLE = STEPS.indexOf('settle')
const PUBLISH = STEPS.indexOf('publish')

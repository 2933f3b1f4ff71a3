// Hot path. bench/pipeline.bench.ts
// The times at which each step of an order ended, and how long the steps took.
//
//   received ─read→ requested ─intake→ reported ─sequence→ handed ─journal→ durable ─┐
//     handed ─match→ seen ─settle→ settled ─publish→ replied ◀───────────────────────┘
//
// Main takes every stamp, so the work of another thread is measured as the time that main waits for
// it. Each request has a row with its own stamps. `handed` and `durable` are shared by the commands
// of one event-loop tick and of one commit; `seen` and `settled` by those of one drain, and only
// rows keep them. Invariants: a row belongs to one request from `begin` to `end`; row 0 belongs to
// no request and may be written. A cell belongs to one command until SEQS newer commands are
// stamped.

import { assert } from '../../engine/domain/assert.ts'
import type { Generation, MarketId, Seq, Slot } from '../../engine/domain/ids.ts'
import { LIMITS } from '../../engine/domain/limits.ts'
import { Distribution, MICROS } from '../../engine/thread/distribution.ts'
import { KIND } from '../../engine/wire/record-layout.ts'
import { SharedStamps } from './shared-stamps.ts'

const STEPS = ['intake', 'sequence', 'journal', 'match', 'settle', 'publish'] as const
type Step = (typeof STEPS)[number]

/** Orders; cancels; other commands (KIND − 1 each); calls that change nothing. */
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
/** A cell: the kind of a command, and the row of its request or 0. */
const KIND_BITS = 2
const KIND_MASK = (1 << KIND_BITS) - 1

assert(KINDS.length <= 1 << KIND_BITS, 'a kind fits its bits')
assert(ORDER === KIND.PLACE - 1, 'an order has the first distributions')
assert(KINDS.indexOf('cancel') === KIND.CANCEL - 1, 'a cancel has the second')
assert(KINDS.indexOf('change') === KIND.CONTROL - 1, 'a control command has the third')
// A release is not a client call, so its steps go to the kind that shows none.
assert(KINDS.indexOf('query') === KIND.RELEASE - 1, 'the distributions of a release are not read')
assert(
  LIMITS.ringBytes + LIMITS.batchBytesMax <= SEQS * SMALLEST_RECORD_BYTES,
  'every command that is not durable has a cell',
)

/** Commands of one tick share their stamps: a step that took them equally long is recorded once. */
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
  readonly #free = new Int32Array(ROWS)
  #freeCount = 0
  #requests = 0
  readonly #requestOf = new Float64Array(ROWS)
  readonly #requestedMsOf = new Float64Array(ROWS)
  readonly #reportedMsOf = new Float64Array(ROWS)
  /** When the sequencer refused. */
  readonly #refusedMsOf = new Float64Array(ROWS)
  readonly #seqOf = new Float64Array(ROWS)
  readonly #marketOf = new Int32Array(ROWS)
  readonly #slotOf = new Int32Array(ROWS)
  readonly #generationOf = new Int32Array(ROWS)
  readonly #seenMsOf = new Float64Array(ROWS)
  readonly #settledMsOf = new Float64Array(ROWS)
  /** Kind and row of a command, by its seq. */
  readonly #cellAt = new Int32Array(SEQS)
  readonly #handed = new SharedStamps()
  readonly #durable = new SharedStamps()
  #firstSeq: Seq = 0
  #stampedSeq: Seq = 0
  /** Time of the current drain; 0 before its first record. */
  #seenMs = 0
  /** Commands that ended in the current drain, by kind, and the rows of their requests. */
  readonly #ended = new Int32Array(KINDS.length)
  readonly #endedRows = new Int32Array(ROWS)
  #endedRowCount = 0

  constructor() {
    for (let row = ROWS - 1; row > 0; row--) this.#free[this.#freeCount++] = row
  }

  step(kind: KindOfCall, step: Step): Distribution {
    return this.#steps[KINDS.indexOf(kind)][STEPS.indexOf(step)]
  }

  /** Assigns a row to a completely read request; 0 when no row is free. */
  begin(readMs: number): number {
    if (this.#freeCount === 0) return 0
    const row = this.#free[--this.#freeCount]
    this.#requestOf[row] = ++this.#requests
    this.#requestedMsOf[row] = readMs
    this.#reportedMsOf[row] = 0
    this.#refusedMsOf[row] = 0
    this.#seqOf[row] = 0
    this.#seenMsOf[row] = 0
    this.#settledMsOf[row] = 0
    this.#marketOf[row] = 0
    return row
  }

  /** Stamps the verdict of the intake. */
  reported(row: number): void {
    this.#reportedMsOf[row] = performance.now()
  }

  refused(row: number, marketId: MarketId): void {
    this.#refusedMsOf[row] = performance.now()
    this.#marketOf[row] = marketId
  }

  accepted(
    row: number,
    order: { seq: Seq; marketId: MarketId; slot: Slot; generation: Generation },
  ): void {
    this.#cellAt[order.seq & MASK] |= row << KIND_BITS
    this.#seqOf[row] = order.seq
    this.#marketOf[row] = order.marketId
    this.#slotOf[row] = order.slot
    this.#generationOf[row] = order.generation
  }

  /** A command of this KIND is in the rings, but not yet visible to their threads. */
  stamped(seq: Seq, kind: number): void {
    if (seq !== this.#stampedSeq + 1) {
      this.#firstSeq = seq
      this.#handed.startAt(seq - 1)
      this.#durable.startAt(seq - 1)
    }
    this.#stampedSeq = seq
    this.#cellAt[seq & MASK] = kind - 1
  }

  /** All stamped commands are visible to the threads. */
  handed(): void {
    this.#handed.add(this.#stampedSeq, performance.now())
  }

  durable(seq: Seq): void {
    const nowMs = performance.now()
    const last = Math.min(seq, this.#handed.lastSeq)
    for (let next = this.#durable.lastSeq + 1; next <= last; next++) {
      this.#journaled.add(this.#kindOf(next), nowMs - this.#handed.msOf(next))
    }
    this.#durable.add(last, nowMs)
    this.#journaled.flush()
  }

  /** Main sees a record of a command, the last one when `isLast`. */
  saw(seq: Seq, isLast: boolean): void {
    if (this.#seenMs === 0) this.#seenMs = performance.now()
    if (!isLast || !this.#holds(seq)) return
    const kind = this.#kindOf(seq)
    this.#matched.add(kind, this.#seenMs - this.#handed.msOf(seq))
    this.#ended[kind]++
    const row = this.#cellAt[seq & MASK] >>> KIND_BITS
    if (row === 0 || this.#seqOf[row] !== seq) return
    this.#seenMsOf[row] = this.#seenMs
    this.#endedRows[this.#endedRowCount++] = row
  }

  /** All commands seen since the last call are settled. */
  drained(): void {
    if (this.#seenMs === 0) return
    const nowMs = performance.now()
    for (let kind = 0; kind < KINDS.length; kind++) {
      if (this.#ended[kind] > 0) this.#record(kind, SETTLE, nowMs - this.#seenMs, this.#ended[kind])
      this.#ended[kind] = 0
    }
    for (let index = 0; index < this.#endedRowCount; index++) {
      this.#settledMsOf[this.#endedRows[index]] = nowMs
    }
    this.#endedRowCount = 0
    this.#matched.flush()
    this.#seenMs = 0
  }

  /** Frees the row of a request whose reply is out or whose client has left. */
  end(row: number, repliedMs: number): void {
    if (row === 0) return
    this.#free[this.#freeCount++] = row
    const reportedMs = this.#reportedMsOf[row]
    if (reportedMs === 0) return
    this.#record(ORDER, INTAKE, reportedMs - this.#requestedMsOf[row])
    const refusedMs = this.#refusedMsOf[row]
    if (refusedMs > 0) this.#record(ORDER, SEQUENCE, refusedMs - reportedMs)
    const seq = this.#seqOf[row]
    if (seq === 0) return
    this.#record(ORDER, SEQUENCE, this.#handed.msOf(seq) - reportedMs)
    const readyMs = Math.max(this.#durable.msOf(seq), this.#settledMsOf[row])
    if (readyMs > 0) this.#record(ORDER, PUBLISH, repliedMs - readyMs)
  }

  #record(kind: number, step: number, tookMs: number, times = 1): void {
    this.#steps[kind][step].record(tookMs * 1000, times)
  }

  #holds(seq: Seq): boolean {
    return seq >= this.#firstSeq && seq > this.#stampedSeq - SEQS && seq <= this.#stampedSeq
  }

  #kindOf(seq: Seq): number {
    return this.#cellAt[seq & MASK] & KIND_MASK
  }

  /** The names and stamps of a request whose row is not free yet; unknown stamps are 0. */
  wayOf(row: number) {
    const isKnown = row !== 0
    const seq = isKnown ? this.#seqOf[row] : 0
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
        of(this.#requestedMsOf),
        of(this.#reportedMsOf),
        refusedMs > 0 ? refusedMs : this.#handed.msOf(seq),
        this.#durable.msOf(seq),
        of(this.#seenMsOf),
        of(this.#settledMsOf),
      ],
    }
  }

  /** How long ago the oldest command above `appliedSeq` became durable; 0 without one. */
  behindMs(appliedSeq: Seq, nowMs: number): number {
    if (appliedSeq >= this.#durable.lastSeq) return 0
    const durableMs = this.#durable.msOf(appliedSeq + 1) || this.#durable.oldestMs
    return durableMs === 0 ? 0 : nowMs - durableMs
  }
}

const INTAKE = STEPS.indexOf('intake')
const SEQUENCE = STEPS.indexOf('sequence')
const SETTLE = STEPS.indexOf('settle')
const PUBLISH = STEPS.indexOf('publish')

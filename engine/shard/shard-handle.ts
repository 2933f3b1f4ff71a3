// Hot path. bench/pipeline.bench.ts
// Main's side of one shard: a set of markets and the thread (or main itself) with their books. Main
// reads event frames twice: on arrival to settle them, and again to publish them once their command
// is durable. Their bytes stay in the ring until then, so nothing is copied.
// Invariant: frames are freed in the order of their settlement.

import type { EventEmitter } from 'node:events'
import { assert } from '../domain/assert.ts'
import { EVENT, EVENT_BYTES, eventAt, eventKind, eventSeq } from '../domain/event.ts'
import type { Book, Generation, Seq, Slot } from '../domain/ids.ts'
import { LIMITS } from '../domain/limits.ts'
import { type BusyCells, BusyTimes } from '../thread/busy-times.ts'
import { Ring } from '../thread/ring.ts'
import { spawn } from '../thread/spawn.ts'
import type { WakeUps } from '../thread/wake-ups.ts'
import { doesReplace } from '../wire/place-codec.ts'
import { wholeViewOf, wholeWordsOf } from '../wire/record-head.ts'
import { PLACE_HEAD_BYTES, REPLACED_BYTES } from '../wire/record-layout.ts'
import { handleFrame, sendEventsTo } from './market-thread.ts'
import {
  FROM_SHARD,
  INLINE_RING_BYTES,
  TO_SHARD,
  UNPUBLISHED_FRAMES,
  UNSETTLED_COMMANDS,
} from './protocol.ts'

/** Main's handling of frames. `words` and `f64s` view the ring; the frame starts at byte `at`. */
export interface FrameVisitor {
  settle(words: Int32Array, f64s: Float64Array, at: number, count: number): void
  publish(words: Int32Array, f64s: Float64Array, at: number, count: number): void
  /** All frames of a batch are published. */
  published(): void
}

/**
 * Where a shard's books are. `start` replaces the worker at the other end of the rings. It emits a
 * worker's events: 'message', 'error', 'exit'.
 */
export interface ShardThread {
  readonly inline: boolean
  /** Called on main when frames may have arrived; the owner then calls `drain`. */
  readonly onReady: () => void
  readonly onFault: (sentence: string) => void
  readonly ringBytes?: number | undefined
  /** The wake-up place of the thread, which the journal thread wakes. */
  readonly wakeUp?: { readonly wakeUps: WakeUps; readonly place: number }
  readonly start?: ((name: string, rings: ShardRings) => EventEmitter) | undefined
}

export interface ShardRings {
  readonly input: SharedArrayBuffer
  readonly output: SharedArrayBuffer
  /** The thread's wake-up place; absent if main wakes it. */
  readonly wakeUp?: { readonly shared: SharedArrayBuffer; readonly place: number }
  readonly busyTimes: BusyCells
}

function startWorker(name: string, workerData: ShardRings): EventEmitter {
  return spawn(new URL('./market.worker.ts', import.meta.url), { name, workerData })
}

/** The cost of a frame beyond its records, which is usually a reply. */
const FRAME_WORK = 8

export class ShardHandle {
  readonly name: string
  /** The thread's work times; empty while its books are on main. */
  readonly busyTimes = new BusyTimes()
  readonly #input: Ring
  readonly #wakeUp: { readonly wakeUps: WakeUps; readonly place: number } | null
  readonly #output: Ring
  readonly #words: Int32Array
  readonly #f64s: Float64Array
  readonly #worker: EventEmitter | null
  readonly #visitor: FrameVisitor
  /** Settled frames that are not published: start, number of records, seq, end in the ring. */
  readonly #frameAt = new Int32Array(UNPUBLISHED_FRAMES)
  readonly #frameCount = new Int32Array(UNPUBLISHED_FRAMES)
  readonly #frameEnd = new Int32Array(UNPUBLISHED_FRAMES)
  readonly #frameSeq = new Float64Array(UNPUBLISHED_FRAMES)
  #settled = 0
  #published = 0
  /** Of digests and places in queues, in the order of their requests. */
  #answerWaiters: ((answer: Uint8Array) => void)[] = []
  #stopping = false
  /**
   * Commands sent, and commands whose last record was settled. `#sentSeq` has the seqs in between.
   */
  #sentCount = 0
  #doneCount = 0
  readonly #sentSeq = new Float64Array(UNSETTLED_COMMANDS)
  readonly ready: Promise<void>
  #onStarted: () => void = () => {}
  #isStarted = false

  constructor(name: string, visitor: FrameVisitor, thread: ShardThread) {
    this.name = name
    this.#visitor = visitor
    const ringBytes = thread.ringBytes ?? LIMITS.shardRingBytes
    this.#wakeUp = thread.wakeUp ?? null
    this.#input = new Ring(
      Ring.allocate(ringBytes),
      this.#wakeUp?.wakeUps.sleepWordOf(this.#wakeUp.place),
    )
    this.#output = new Ring(Ring.allocate(thread.inline ? INLINE_RING_BYTES : ringBytes))
    this.#words = new Int32Array(this.#output.shared)
    this.#f64s = new Float64Array(this.#output.shared)
    const started = new Promise<void>((resolve) => {
      this.#onStarted = resolve
    })
    this.ready = thread.inline ? Promise.resolve() : started
    this.#worker = thread.inline ? null : this.#start(thread)
    if (thread.inline) {
      sendEventsTo(this.#output, () => assert(false, 'the inline ring fits every sweep'))
    }
  }

  #start(thread: ShardThread): EventEmitter {
    const { wakeUps, place = 0 } = this.#wakeUp ?? {}
    const wakeUp = wakeUps === undefined ? {} : { wakeUp: { shared: wakeUps.shared, place } }
    const { cells: busyTimes } = this.busyTimes
    const rings = { input: this.#input.shared, output: this.#output.shared, busyTimes, ...wakeUp }
    const worker = (thread.start ?? startWorker)(this.name, rings)
    // The thread's first message reports that it runs. Later ones report new frames.
    worker.once('message', () => {
      this.#isStarted = true
      this.#onStarted()
    })
    worker.on('message', thread.onReady)
    worker.on('error', (error: Error) => thread.onFault(`${this.name} died: ${error.message}`))
    worker.on('exit', (code: number) => {
      if (!this.#stopping) thread.onFault(`${this.name} ended with code ${code}`)
    })
    return worker
  }

  /** Whether the books are on main. */
  get isInline(): boolean {
    return this.#worker === null
  }

  /** Command bytes that the shard accepts now; `wanted` as for a ring. */
  freeBytes(wanted?: number): number {
    if (this.#sentCount - this.#doneCount === UNSETTLED_COMMANDS) return 0
    return this.#input.freeBytes(wanted)
  }

  #sent(seq: Seq): void {
    this.#sentSeq[this.#sentCount & (UNSETTLED_COMMANDS - 1)] = seq
    this.#sentCount++
  }

  place(seq: Seq, record: Uint8Array): void {
    this.#sent(seq)
    if (this.#worker === null) {
      this.#send(TO_SHARD.PLACE, record)
      return
    }
    if (doesReplace(wholeViewOf(record), record.byteOffset)) {
      const replaced = record.subarray(record.length - REPLACED_BYTES)
      this.#send(TO_SHARD.PLACE, Buffer.concat([record.subarray(0, PLACE_HEAD_BYTES), replaced]))
      return
    }
    const from = record.byteOffset >> 2
    const taken = this.#input.pushWords(
      TO_SHARD.PLACE,
      wholeWordsOf(record),
      from,
      PLACE_HEAD_BYTES >> 2,
    )
    assert(taken, 'main sends only what fits the ring')
  }

  cancel(seq: Seq, record: Uint8Array): void {
    this.#sent(seq)
    this.#send(TO_SHARD.CANCEL, record)
  }

  decrease(seq: Seq, record: Uint8Array): void {
    this.#sent(seq)
    this.#send(TO_SHARD.DECREASE, record)
  }

  /** A held order enters its market. The market answers as for a new order. */
  releaseOrder(seq: Seq, record: Uint8Array): void {
    this.#sent(seq)
    this.#send(TO_SHARD.RELEASE, record)
  }

  /**
   * Sends the thread orders of a recovered book. Returns false, without effect, if the ring is
   * full.
   */
  restore(orders: Float64Array): boolean {
    assert(this.#worker !== null, 'books on main are not transferred')
    const bytes = new Uint8Array(orders.buffer, orders.byteOffset, orders.byteLength)
    const taken = this.#input.push(TO_SHARD.RESTORE, bytes)
    this.#input.send()
    return taken
  }

  /** SHA-256 of one book, after all commands sent before. */
  digest(book: Book): Promise<Uint8Array> {
    return this.#answer(TO_SHARD.DIGEST, Uint32Array.of(book))
  }

  /**
   * What is in front of resting orders, after all commands sent before: for each, the orders, -1 if
   * it does not rest, and their shares. Null when the ring is full, or with too many such requests
   * that wait.
   */
  async ahead(
    orders: readonly { readonly slot: Slot; readonly generation: Generation }[],
  ): Promise<Float64Array | null> {
    assert(orders.length <= LIMITS.placesMax, 'a list of places is bounded')
    const bytes = LIMITS.placesMax * 8
    if (this.#answerWaiters.length >= LIMITS.placesWaitingMax) return null
    if (this.freeBytes(bytes) < bytes + LIMITS.ringReserveBytes) return null
    const names = orders.flatMap(({ slot, generation }) => [slot, generation])
    const found = await this.#answer(TO_SHARD.AHEAD, Uint32Array.from(names))
    return new Float64Array(found.slice().buffer)
  }

  #answer(tag: number, request: Uint32Array): Promise<Uint8Array> {
    return new Promise((resolve) => {
      this.#answerWaiters.push(resolve)
      this.#send(tag, new Uint8Array(request.buffer))
      this.#sendNow()
      this.drain(0)
    })
  }

  #send(tag: number, bytes: Uint8Array): void {
    if (this.#worker === null) {
      const view = wholeViewOf(bytes)
      const { byteOffset, length: payloadBytes } = bytes
      handleFrame({ tag, view, byteOffset, payloadBytes }, this.#output)
      return
    }
    assert(this.#input.push(tag, bytes), 'main sends only what fits the ring')
  }

  /**
   * Publishes the sent frames to the thread. Call it once per event-loop tick, before the same
   * commands are published to the journal, whose thread wakes the readers.
   */
  send(): void {
    if (this.#worker === null) this.#output.send()
    else if (this.#wakeUp === null) this.#input.send()
    else if (this.#input.show()) this.#wakeUp.wakeUps.mark(this.#wakeUp.place)
  }

  /** Publishes and wakes at once, for frames without a command in the journal. */
  #sendNow(): void {
    if (this.#worker === null) this.#output.send()
    else this.#input.send()
  }

  /**
   * Settles all arrived frames. It requests a wake-up only while a command up to `durableSeq` is
   * not settled: a result that is not durable cannot be published anyway, and the slower disk will
   * wake main for it. A wake-up costs main and the thread more than a match.
   *
   * Stops after `workMax` without requesting a wake-up, because the caller will call again. Returns
   * the work done.
   */
  drain(durableSeq: Seq, workMax = Number.POSITIVE_INFINITY): number {
    let work = 0
    do {
      while (
        work < workMax &&
        this.#settled - this.#published < UNPUBLISHED_FRAMES &&
        this.#output.next()
      ) {
        work += FRAME_WORK + this.#settleFrame()
      }
    } while (work < workMax && this.#wantsWakeUp(durableSeq) && !this.#output.arm())
    return work
  }

  #wantsWakeUp(durableSeq: Seq): boolean {
    if (this.#settled - this.#published === UNPUBLISHED_FRAMES) return false
    if (this.#answerWaiters.length > 0) return true
    if (this.isIdle) return false
    return this.#sentSeq[this.#doneCount & (UNSETTLED_COMMANDS - 1)] <= durableSeq
  }

  /** Settles the current frame and returns its number of records. */
  #settleFrame(): number {
    const at = this.#output.byteOffset
    const cell = this.#settled & (UNPUBLISHED_FRAMES - 1)
    const isEvents = this.#output.tag === FROM_SHARD.EVENTS
    const count = isEvents ? this.#output.payloadBytes / EVENT_BYTES : 0
    this.#frameAt[cell] = at
    this.#frameCount[cell] = count
    this.#frameEnd[cell] = this.#output.position
    this.#frameSeq[cell] = isEvents ? eventSeq(this.#f64s, eventAt(at, 0)) : 0
    this.#settled++
    if (isEvents) {
      if (eventKind(this.#words, eventAt(at, count - 1)) === EVENT.DONE) this.#doneCount++
      this.#visitor.settle(this.#words, this.#f64s, at, count)
    } else this.#answerWaiters.shift()?.(this.#output.bytes.slice())
    return count
  }

  /**
   * Publishes and frees the settled frames of all commands up to `durableSeq`. Stops after
   * `workMax`, like `drain`.
   */
  publishThrough(durableSeq: Seq, workMax = Number.POSITIVE_INFINITY): number {
    const before = this.#published
    let work = 0
    while (work < workMax && this.#published < this.#settled) {
      const cell = this.#published & (UNPUBLISHED_FRAMES - 1)
      if (this.#frameSeq[cell] > durableSeq) break
      const count = this.#frameCount[cell]
      if (count > 0) this.#visitor.publish(this.#words, this.#f64s, this.#frameAt[cell], count)
      this.#published++
      work += FRAME_WORK + count
    }
    if (this.#published === before) return work
    this.#visitor.published()
    this.#output.freeTo(this.#frameEnd[(this.#published - 1) & (UNPUBLISHED_FRAMES - 1)])
    // A full window of unpublished frames stopped the drain. Now it has capacity again.
    if (this.#settled - before < UNPUBLISHED_FRAMES) return work
    return work + this.drain(durableSeq, workMax - work)
  }

  /** Whether all sent commands are settled. */
  get isIdle(): boolean {
    return this.#sentCount === this.#doneCount
  }

  /** Whether all settled frames are published. */
  get isPublished(): boolean {
    return this.#published === this.#settled
  }

  /** All sent commands up to this seq are settled; Infinity if there are no others. */
  get settledThrough(): number {
    if (this.isIdle) return Number.POSITIVE_INFINITY
    return this.#sentSeq[this.#doneCount & (UNSETTLED_COMMANDS - 1)] - 1
  }

  /** All sent commands up to this seq are settled, and their answers are published. */
  get publishedThrough(): number {
    for (let frame = this.#published; frame < this.#settled; frame++) {
      const cell = frame & (UNPUBLISHED_FRAMES - 1)
      // The answer to a request is not that to a command.
      if (this.#frameCount[cell] === 0) continue
      return Math.min(this.settledThrough, this.#frameSeq[cell] - 1)
    }
    return this.settledThrough
  }

  /** Requests a sign of life from the thread. A thread that has not started is exempt. */
  request(): void {
    if (this.#isStarted) this.#input.request()
  }

  get isAnswered(): boolean {
    return !this.#isStarted || this.#input.isAnswered
  }

  /** Commands waiting for the thread, in bytes. */
  queuedBytes(): number {
    return this.#input.usedBytes()
  }

  async stop(): Promise<void> {
    this.#stopping = true
    if (this.#worker === null) return
    this.#send(TO_SHARD.STOP, new Uint8Array(0))
    this.#sendNow()
    const worker = this.#worker
    await new Promise((resolve) => worker.once('exit', resolve))
  }
}

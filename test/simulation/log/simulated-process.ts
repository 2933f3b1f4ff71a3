// One process of a node: the real LogMember, and what main does around it. Main applies what other
// nodes decided; while its node leads, it decides commands, and acknowledges them once they are
// durable.

import type { Seq } from '../../../engine/domain/ids.ts'
import { Ring } from '../../../engine/thread/ring.ts'
import { recordMs, recordSeq } from '../../../engine/wire/codec.ts'
import { viewOf, writeHead } from '../../../engine/wire/record-head.ts'
import { HEAD, HEAD_BYTES, KIND } from '../../../engine/wire/record-layout.ts'
import type { Batch } from '../../../persistence/journal/journal-port.ts'
import { CUT_TAG, RECORD_TAG, REPORT } from '../../../persistence/journal/thread/journal-thread.ts'
import { LogUnreachable } from '../../../persistence/log/log-address.ts'
import type { LogConnection, NodeIdentity } from '../../../persistence/log/postgres-log.ts'
import {
  type LocalCopy,
  LogMember,
  type LogWorld,
  Replaced,
  WrongLog,
} from '../../../persistence/log/thread/log-member.ts'
import { DOWN, type FromLogThread, LeaseCell } from '../../../persistence/log/thread/log-thread.ts'
import { Random } from '../../support/random.ts'
import { type Environment, LEASE_MS } from './environment.ts'
import { type Client, type Link, SimulatedConnection } from './log-connection.ts'
import type { LogServer } from './log-server.ts'
import { TOLERATED_FAULT } from './planted-faults.ts'
import type { SimulatedLog } from './simulated-log.ts'

/** As postgres-client.ts. */
const CONNECT_MS = 2000
const FOLDER = { dataDir: '', macKey: new Uint8Array(32).fill(7) }
/** States are compared at multiples of this seq. */
const COMPARE_EVERY = 16
/** Timers of Node count whole milliseconds and fire late, rarely early. */
const TIMER_EARLY_MS = 0.5

/** The end of a local copy. */
export interface CopyEnd {
  readonly seq: Seq
  readonly checksum: Uint8Array
  /** The hash of the state there. */
  readonly digest: number
}

export interface ProcessParts {
  readonly environment: Environment
  readonly log: SimulatedLog
  readonly link: Link
  readonly identity: NodeIdentity
  readonly copy: LocalCopy
  readonly copyEnd: CopyEnd
  /** The clock of the node, in milliseconds. */
  readonly nowMs: () => number
  /** What its clock counts while one millisecond passes. */
  readonly clockRate: number
  /** `error` is null after a stop. The process has ended. */
  readonly onEnd: (error: Error | null) => void
  /** A reply arrives: a point at which the process may be killed or stopped. */
  readonly onReply: (call: keyof LogConnection) => void
  /** A call will be executed late. */
  readonly onDelay: (call: keyof LogConnection) => void
}

/** The state after a record. */
export const digestAfter = (digest: number, content: number): number =>
  (Math.imul(digest, 0x01000193) ^ content) >>> 0

export class SimulatedProcess implements Client {
  readonly #parts: ProcessParts
  readonly #environment: Environment
  readonly #member: LogMember
  readonly #up: Ring
  readonly #down: Ring
  /** Reads what the member posts as soon as it is there, and frees nothing. */
  readonly #observer: Ring
  readonly #leaseCell: Float64Array
  #state: 'runs' | 'paused' | 'ended' = 'runs'
  /** What arrived during a pause. */
  #deferred: (() => void)[] = []
  readonly #connections = new Set<SimulatedConnection>()
  /** The server of its newest connection. */
  #server: LogServer | null = null
  /** The end of the lease by the calls that returned. */
  #leaseEndMs = 0
  /** Its `run` has ended. */
  #isOver = false
  #isLeading = false
  #isStopping = false
  /** The newest record that main decided or applied. */
  #appendedSeq: Seq
  #durableSeq: Seq
  #digest: number
  /** Decided and not durable. */
  #decided: { readonly content: number; readonly digest: number }[] = []
  #postedSeq: Seq
  #lostSeq: Seq = 0

  constructor(parts: ProcessParts) {
    const { environment, identity, copyEnd } = parts
    this.#parts = parts
    this.#environment = environment
    const ringBytes = environment.random.pick([1 << 9, 1 << 12, 1 << 15])
    const up = Ring.allocate(ringBytes)
    const down = Ring.allocate(ringBytes)
    const lease = LeaseCell.allocate()
    this.#up = new Ring(up)
    this.#down = new Ring(down)
    this.#observer = new Ring(down)
    this.#leaseCell = new Float64Array(lease)
    this.#appendedSeq = copyEnd.seq
    this.#durableSeq = copyEnd.seq
    this.#postedSeq = copyEnd.seq
    this.#digest = copyEnd.digest
    const tail = { seq: copyEnd.seq, checksum: copyEnd.checksum }
    const data = { folder: FOLDER, tail, up, down, lease, leaseMs: LEASE_MS }
    parts.log.invariants.started(identity.name, () => this.#answersForMs)
    this.#member = new LogMember(
      { ...data, node: identity, sync: 'required' },
      this.#world(),
      (message) => this.#posted(message),
    )
    this.#member.run().then(
      () => this.#ended(null),
      (error: Error) => this.#ended(error),
    )
    this.#soon(() => this.#drain())
  }

  #world(): LogWorld {
    const { copy, nowMs, clockRate } = this.#parts
    const random = new Random(this.#environment.random.below(2 ** 31))
    const { queue } = this.#environment
    return {
      copy,
      nowMs,
      connect: () => this.#connect(),
      after: (ms, run) => {
        const lateMs = this.#environment.between(-TIMER_EARLY_MS, 1)
        const timerMs = Math.max(0, Math.max(1, Math.trunc(ms)) + lateMs)
        return queue.after(timerMs / clockRate, () => this.receive(run))
      },
      random: (below) => random.below(below),
    }
  }

  #connect(): Promise<LogConnection> {
    const { environment, log, link } = this.#parts
    const { queue } = environment
    return new Promise((resolve, reject) => {
      const refuse = () => this.receive(() => reject(new LogUnreachable('connect: refused')))
      if (link.state === 'silent') queue.after(CONNECT_MS, refuse)
      else {
        queue.after(environment.latencyMs(), () => {
          if (this.#state === 'ended') return
          const server = link.state === 'up' ? log.reachable() : null
          if (server === null) {
            queue.after(1, refuse)
            return
          }
          const connection = new SimulatedConnection({
            environment,
            log,
            link,
            client: this,
            server,
          })
          this.#server = server
          this.#connections.add(connection)
          queue.after(environment.latencyMs(), () => this.receive(() => resolve(connection)))
        })
      }
    })
  }

  // The process.

  get isRunning(): boolean {
    return this.#state === 'runs'
  }

  get isLeading(): boolean {
    return this.#isLeading && !this.#isOver && this.#answersForMs > 0
  }

  get durableSeq(): Seq {
    return this.#durableSeq
  }

  /** The connections that are open. */
  get connections(): SimulatedConnection[] {
    for (const connection of this.#connections) {
      if (connection.isBroken) this.#connections.delete(connection)
    }
    return [...this.#connections]
  }

  receive(run: () => void): void {
    if (this.#state === 'paused') this.#deferred.push(run)
    else if (this.#state === 'runs') run()
  }

  /** Nothing of the process runs until `resume`. Its clock goes on. */
  pause(): void {
    if (this.#state === 'runs') this.#state = 'paused'
  }

  resume(): void {
    if (this.#state !== 'paused') return
    this.#state = 'runs'
    const deferred = this.#deferred
    this.#deferred = []
    for (const run of deferred) {
      this.#environment.queue.after(this.#environment.between(0, 0.2), () => this.receive(run))
    }
  }

  kill(): void {
    this.#state = 'ended'
    this.#deferred = []
    for (const connection of this.#connections) connection.abandon()
  }

  /** Appends what waits, then ends. */
  stop(): void {
    this.receive(() => {
      this.#isStopping = true
      this.#soon(() => this.#member.stop())
    })
  }

  #ended(error: Error | null): void {
    this.#isOver = true
    const leader = this.#isLeading ? 'leader' : 'standby'
    this.#environment.trace(() => `${this.name} ends as a ${leader}: ${error}`)
    // A former primary may lack what was acknowledged since.
    const isMisled = error instanceof WrongLog && this.#server !== this.#parts.log.primary
    const isExpected = error === null || error instanceof Replaced || isMisled
    this.#parts.log.invariants.check(isExpected, () => `${this.name} ends with ${error}`)
    // Main learns of it later, and goes on until then.
    this.#soon(() => {
      this.#drain(Number.POSITIVE_INFINITY)
      this.#parts.log.invariants.check(error !== null || this.#decided.length === 0, () => {
        return `${this.name} stops before ${this.#decided.length} records are appended`
      })
      this.#parts.onEnd(error)
    })
  }

  get name(): string {
    return this.#parts.identity.name
  }

  /** Another thread of the process does it. */
  #soon(run: () => void): void {
    const delayMs = this.#environment.chance(0.02)
      ? this.#environment.between(0, 100)
      : this.#environment.between(0, 0.5)
    this.#environment.queue.after(delayMs, () => this.receive(run))
  }

  // What its connections report.

  get nowMs(): number {
    return this.#parts.nowMs()
  }

  leased(sentMs: number): void {
    this.#leaseEndMs = sentMs + LEASE_MS
  }

  released(): void {
    // What was posted before it counts.
    this.observe()
    this.#leaseEndMs = 0
  }

  replied(call: keyof LogConnection): void {
    this.#parts.onReply(call)
  }

  delayed(call: keyof LogConnection): void {
    this.#parts.onDelay(call)
  }

  substitute(batch: Batch): Batch {
    if (batch.firstSeq !== this.#lostSeq) {
      this.#lostSeq = batch.firstSeq
      return batch
    }
    const records = new Uint8Array(batch.records)
    viewOf(records).setFloat64(HEAD.nowMs, this.#environment.newContent(), true)
    return { ...batch, records }
  }

  copyEarly(batch: Batch): void {
    this.#parts.copy.copy(batch)
  }

  // The member.

  #posted(message: FromLogThread): void {
    if (message === 'wake-up') this.#soon(() => this.#drain())
  }

  /** Checks what the member has posted. Call it after each step. */
  observe(): void {
    const { invariants } = this.#parts.log
    invariants.check(this.#leaseCell[0] <= this.#leaseEndMs, () => {
      return `${this.name} takes its lease for longer than it is`
    })
    while (this.#observer.next()) {
      const { tag, bytes } = this.#observer
      if (tag === DOWN.record) {
        this.#postedSeq++
        const seq = recordSeq(bytes)
        invariants.check(seq === this.#postedSeq, () => {
          return `${this.name} passes on seq ${seq} after seq ${this.#postedSeq - 1}`
        })
        invariants.received(this.name, seq, recordMs(bytes))
      } else if (tag === DOWN.durable) {
        this.#postedSeq = viewOf(bytes).getFloat64(REPORT.seq * 8, true)
        invariants.leads(this.name, this.#leaseEndMs - this.nowMs)
      }
    }
  }

  // Main.

  #drain(framesMax = this.#environment.random.between(1, 64)): void {
    let left = framesMax
    do {
      while (left > 0 && this.#down.next()) {
        this.#take()
        left--
      }
      this.#down.free()
    } while (left > 0 && !this.#down.arm())
    if (left === 0) this.#soon(() => this.#drain())
  }

  #take(): void {
    const { tag, bytes } = this.#down
    const { invariants } = this.#parts.log
    if (tag === DOWN.record) {
      const seq = recordSeq(bytes)
      invariants.check(seq === this.#appendedSeq + 1, () => `${this.name} skips to seq ${seq}`)
      this.#appendedSeq = seq
      this.#digest = digestAfter(this.#digest, recordMs(bytes))
      this.#compare(seq, this.#digest)
      return
    }
    const seq = viewOf(bytes).getFloat64(0, true)
    if (tag === DOWN.batchEnd) this.#durableSeq = seq
    else if (tag === DOWN.durable) this.#acknowledge(seq)
    else if (tag === DOWN.leading) this.#lead(seq)
    const isTail = tag !== DOWN.batchEnd || seq === this.#appendedSeq
    const isKnown = tag === DOWN.leading || seq <= this.#appendedSeq
    invariants.check(isTail && isKnown, () => `${this.name} gets seq ${seq} before its records`)
  }

  /** By the cell that the member writes. */
  get #answersForMs(): number {
    return this.#state === 'ended' ? 0 : this.#leaseCell[0] - this.nowMs
  }

  #acknowledge(throughSeq: Seq): void {
    const { invariants } = this.#parts.log
    const isAnswering =
      this.#answersForMs > 0 || this.#environment.planted.has('main ignores the lease')
    while (this.#durableSeq < throughSeq) {
      const decided = this.#decided.shift()
      if (decided === undefined) {
        invariants.check(false, () => `${this.name} gets a report on records it never decided`)
        return
      }
      const seq = ++this.#durableSeq
      this.#compare(seq, decided.digest)
      if (!isAnswering) {
        this.#environment.count('durable records without a reply')
        if (this.#isStopping) this.#environment.count('durable records without a reply at a stop')
        continue
      }
      invariants.leads(this.name, this.#leaseEndMs - this.nowMs)
      if (!this.#environment.planted.has(TOLERATED_FAULT)) invariants.checkAlone(this.name)
      invariants.acknowledged(this.name, seq, decided.content)
      this.#environment.count('acknowledged records')
    }
  }

  #compare(seq: Seq, digest: number): void {
    if (seq % COMPARE_EVERY !== 0) return
    this.#soon(() => this.#member.compare({ seq, hash: String(digest) }))
  }

  #lead(epoch: number): void {
    this.#environment.trace(() => `${this.name} leads epoch ${epoch}`)
    this.#environment.count('leaderships')
    this.#isLeading = true
    const { queue } = this.#environment
    queue.after(this.#environment.between(0, 40), () => this.receive(() => this.#decide()))
  }

  #decide(): void {
    if (this.#isStopping) return
    const { random, isDeciding, isQuiet, queue } = this.#environment
    if (isDeciding) {
      const count = random.chance(0.1) ? random.between(1, 40) : random.between(1, 3)
      for (let left = count; left > 0 && this.#decideOne(); left--) {
        if (random.chance(0.05)) this.#up.push(CUT_TAG, new Uint8Array(0))
      }
      if (this.#up.show() && this.#up.takeWakeUp()) this.#soon(() => this.#member.woken())
    }
    const pauseMs = random.chance(0.2) ? 1 : random.chance(0.05) ? 400 : 40
    const delayMs = this.#environment.between(0, isQuiet ? 300 : pauseMs)
    queue.after(delayMs, () => this.receive(() => this.#decide()))
  }

  /** False if the ring is full. */
  #decideOne(): boolean {
    const bytes = HEAD_BYTES + 8 * this.#environment.random.below(5)
    if (this.#up.freeBytes() < bytes + 32) return false
    const content = this.#environment.newContent()
    const record = new Uint8Array(bytes)
    writeHead(viewOf(record), KIND.CONTROL, { seq: ++this.#appendedSeq, nowMs: content })
    this.#up.push(RECORD_TAG, record)
    this.#digest = digestAfter(this.#digest, content)
    this.#decided.push({ content, digest: this.#digest })
    return true
  }
}

import type { Worker } from 'node:worker_threads'
import { assert } from '../../../engine/domain/assert.ts'
import type { Seq } from '../../../engine/domain/ids.ts'
import { LIMITS } from '../../../engine/domain/limits.ts'
import { BusyTimes } from '../../../engine/thread/busy-times.ts'
import { Ring } from '../../../engine/thread/ring.ts'
import { spawn } from '../../../engine/thread/spawn.ts'
import { type FileIdentity, identityOf } from '../../file-identity.ts'
import { CheckpointCall } from '../../journal/checkpoint-call.ts'
import { journalPath } from '../../journal/journal-end.ts'
import type {
  Durability,
  JournalStats,
  JournalTail,
  JournalThreadHandle,
  OnCommit,
} from '../../journal/journal-port.ts'
import type { Segment } from '../../journal/segments/segment-folder.ts'
import { Checkpoints } from '../../journal/thread/checkpoints.ts'
import { Commits } from '../../journal/thread/commits.ts'
import { CUT_TAG } from '../../journal/thread/journal-thread.ts'
import type { KeyedFolder } from '../../keyed-folder.ts'
import { startThread } from '../../thread-start.ts'
import { ThreadWatch } from '../../thread-watch.ts'
import type { StateAt } from '../postgres-log.ts'
import {
  type ClusterState,
  DOWN,
  type FromLogThread,
  LeaseCell,
  type LogSettings,
  type LogThreadData,
  type ToLogThread,
} from './log-thread.ts'

// Main's side of the log thread. While another node leads, main takes its records from here; while
// this node leads, main appends its own.

export interface LogOptions extends LogSettings {
  readonly folder: KeyedFolder
  /** The end of the local copy found by recovery. */
  readonly tail: JournalTail
  readonly lock?: FileIdentity
}

/** A log thread with an open folder and no reader yet. */
export interface LogThread {
  readonly worker: Worker
  readonly data: LogThreadData
  readonly file: FileIdentity
  readonly busyTimes: BusyTimes
}

export async function startLogThread(options: LogOptions): Promise<LogThread> {
  const busyTimes = new BusyTimes()
  const data: LogThreadData = {
    ...options,
    lock: options.lock,
    up: Ring.allocate(LIMITS.ringBytes),
    down: Ring.allocate(LIMITS.ringBytes),
    call: CheckpointCall.allocate(),
    lease: LeaseCell.allocate(),
    busyTimes: busyTimes.cells,
  }
  const entry = new URL('./log.worker.ts', import.meta.url)
  const worker = spawn(entry, { name: 'log', workerData: data })
  await startThread(worker, 'log')
  const file = identityOf(journalPath(options.folder.dataDir))
  return { worker, data, file, busyTimes }
}

/** What main does with the records of another node. */
export interface Replica {
  /**
   * Applies a record. False if it must wait for results of earlier ones: then it is offered again.
   */
  replicate(record: Uint8Array): boolean
  /** All records of a batch are applied. False if the state must stay as it is for now. */
  batchEnded(): boolean
}

export interface LogListener {
  readonly onDurable: (seq: Seq) => void
  /** The local copy has everything up to this seq. */
  readonly onCopied: (seq: Seq) => void
  readonly onCommit?: OnCommit
  /** Everything that other nodes decided was applied: this node decides from here on. */
  readonly onLeading: (epoch: number) => void
  readonly onState: (state: ClusterState) => void
  /** Another node leads, so this process must end. */
  readonly onReplaced: (sentence: string) => void
  /** Called with a sentence that gives the thread and the reason. The process must stop. */
  readonly onFault: (message: string) => void
}

/** Records applied in one event-loop tick. */
const RECORDS_PER_TICK = 256

export class LogHandle implements JournalThreadHandle {
  readonly durability: Durability = 'full'
  readonly busyTimes: BusyTimes
  readonly #listener: LogListener
  readonly #worker: Worker
  readonly #up: Ring
  readonly #down: Ring
  readonly #lease: LeaseCell
  readonly #watch: ThreadWatch
  readonly #checkpoints: Checkpoints
  #replica: Replica | null = null
  readonly #commits: Commits
  #batchEndSeq: Seq
  #isLeading = false
  /** The current frame of `down` was read but not taken. */
  #isHeld = false
  #isDraining = false
  /** Frames that may still be taken in this event-loop tick. */
  #left = 0
  #isDue = false

  constructor(thread: LogThread, listener: LogListener) {
    const { worker, data, file } = thread
    this.#listener = listener
    this.#worker = worker
    this.busyTimes = thread.busyTimes
    this.#up = new Ring(data.up)
    this.#down = new Ring(data.down)
    this.#lease = new LeaseCell(data.lease)
    this.#batchEndSeq = data.tail.seq
    const { call } = data
    this.#checkpoints = new Checkpoints({ file, durability: 'normal', call }, listener.onFault)
    this.#commits = new Commits(data.tail.seq, this.#checkpoints, listener.onCommit)
    this.#watch = new ThreadWatch(worker, 'log', (message) => {
      void this.#checkpoints.end()
      listener.onFault(message)
    })
    worker.on('message', (message: FromLogThread) => this.#receive(message))
  }

  /** From now on the records of other nodes go to `replica`. */
  follow(replica: Replica): void {
    this.#replica = replica
    this.drain()
  }

  #receive(message: FromLogThread): void {
    if (message === 'ready') return
    if (message === 'wake-up') this.drain()
    else if (message.kind === 'state') {
      const { kind: _kind, ...state } = message
      this.#listener.onState(state)
    } else {
      void this.#watch.end()
      this.#listener.onReplaced(message.sentence)
    }
  }

  /** Whether another node may lead by now, although this one was not replaced yet. */
  get isExpired(): boolean {
    return this.#isLeading && !this.#lease.isRunning
  }

  get stats(): JournalStats {
    return this.#commits.stats
  }

  get durableSeq(): Seq {
    return this.#commits.durableSeq
  }

  get waitingBytes(): number {
    return this.#up.usedBytes()
  }

  request(): void {
    this.#up.request()
    this.#post('wake-up')
  }

  get isAnswered(): boolean {
    return this.#up.isAnswered
  }

  freeBytes(wanted?: number): number {
    return this.#up.freeBytes(wanted)
  }

  append(seq: Seq, record: Uint8Array): void {
    assert(this.#isLeading, 'only the leader appends')
    this.#commits.append(this.#up, seq, record)
  }

  send(): void {
    if (this.#up.show() && this.#up.takeWakeUp()) this.#post('wake-up')
  }

  /** While another node leads, a batch ends where its leader ended it. */
  cut(): boolean {
    if (!this.#isLeading) return this.#commits.appendedSeq === this.#batchEndSeq
    const taken = this.#up.push(CUT_TAG, new Uint8Array(0))
    this.send()
    return taken
  }

  /** Takes what the log thread has sent, as far as main can apply it now. */
  drain(): void {
    // Applying and publishing drain again.
    if (this.#replica === null || this.#isDraining) return
    this.#isDraining = true
    this.#left = RECORDS_PER_TICK
    let publishedSeq: Seq
    do {
      publishedSeq = this.#commits.durableSeq
      this.#takeAll(this.#replica)
      if (this.#commits.durableSeq > publishedSeq)
        this.#listener.onDurable(this.#commits.durableSeq)
      // What was held may go on after that.
    } while (this.#isHeld && this.#commits.durableSeq > publishedSeq)
    this.#isDraining = false
    if (this.#left === 0) this.#drainSoon()
  }

  #takeAll(replica: Replica): void {
    do {
      while (this.#left > 0 && (this.#isHeld || this.#down.next())) {
        this.#isHeld = !this.#take(replica)
        if (this.#isHeld) return
        this.#left--
      }
      this.#down.free()
    } while (this.#left > 0 && !this.#down.arm())
  }

  #drainSoon(): void {
    if (this.#isDue) return
    this.#isDue = true
    setImmediate(() => {
      this.#isDue = false
      this.drain()
    })
  }

  /** False if the frame must be offered again. */
  #take(replica: Replica): boolean {
    const { tag } = this.#down
    if (tag === DOWN.record) {
      if (!replica.replicate(this.#down.bytes)) return false
      this.#commits.appendedSeq++
      return true
    }
    const f64s = new Float64Array(this.#down.shared, this.#down.byteOffset, 1)
    if (tag === DOWN.batchEnd) {
      this.#batchEndSeq = f64s[0]
      this.#commits.durableSeq = f64s[0]
      return replica.batchEnded()
    }
    if (tag === DOWN.copied) this.#listener.onCopied(f64s[0])
    else if (tag === DOWN.durable) this.#commits.take(this.#down)
    else {
      this.#isLeading = true
      this.#listener.onLeading(f64s[0])
    }
    return true
  }

  #post(message: ToLogThread): void {
    this.#worker.postMessage(message)
  }

  /** Compares a state of this node with those of other nodes. */
  compare(state: StateAt): void {
    this.#post(state)
  }

  addSegment(segment: Segment): boolean {
    this.#post({ segment })
    return true
  }

  async stop(): Promise<void> {
    this.#post('stop')
    await this.#watch.end()
    this.drain()
    await this.#checkpoints.end()
  }

  async kill(): Promise<void> {
    await this.#watch.kill()
    await this.#checkpoints.end()
  }

  warm(): Promise<void> {
    return this.#checkpoints.warm()
  }
}

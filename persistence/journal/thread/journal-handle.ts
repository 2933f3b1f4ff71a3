import type { Worker } from 'node:worker_threads'
import type { Seq } from '../../../engine/domain/ids.ts'
import { LIMITS } from '../../../engine/domain/limits.ts'
import { BusyTimes } from '../../../engine/thread/busy-times.ts'
import { Ring } from '../../../engine/thread/ring.ts'
import { spawn } from '../../../engine/thread/spawn.ts'
import { WakeUps } from '../../../engine/thread/wake-ups.ts'
import { type FileIdentity, identityOf } from '../../file-identity.ts'
import type { KeyedFolder } from '../../keyed-folder.ts'
import { startThread } from '../../thread-start.ts'
import { ThreadWatch } from '../../thread-watch.ts'
import { CheckpointCall } from '../checkpoint-call.ts'
import { journalPath } from '../journal-end.ts'
import type {
  Durability,
  JournalStats,
  JournalTail,
  JournalThreadHandle,
  OnCommit,
} from '../journal-port.ts'
import { type Segment, segmentBytes } from '../segments/segment-folder.ts'
import { Checkpoints } from './checkpoints.ts'
import { Commits } from './commits.ts'
import {
  CUT_TAG,
  type JournalMessage,
  type JournalThreadData,
  SEGMENT_TAG,
  STOP_TAG,
} from './journal-thread.ts'

// Main's side of the journal thread. Only main appends, and main never blocks here.

const DONE_RING_BYTES = 1 << 16

export interface JournalOptions {
  readonly folder: KeyedFolder
  readonly durability: Durability
  /** The journal's end found by recovery. */
  readonly tail: JournalTail
  /** The lock that excludes other processes from the folder. Tests and benches may omit it. */
  readonly lock?: FileIdentity
  /** A quota on journal.db in pages of 4 KiB; 0 or absent = no quota. */
  readonly pagesMax?: number
}

export type { OnCommit } from '../journal-port.ts'

export interface JournalListener {
  /** Called on main with each new durable seq, in ascending order. */
  readonly onDurable: (seq: Seq) => void
  /** Called once per group commit, for histograms. */
  readonly onCommit?: OnCommit
  /** Called with a sentence that gives the thread and the reason. The process must stop. */
  readonly onFault: (message: string) => void
}

/** A journal thread with an open folder and no writer yet. */
export interface JournalThread {
  readonly worker: Worker
  readonly data: JournalThreadData
  /** The journal that the thread has open. */
  readonly file: FileIdentity
  readonly busyTimes: BusyTimes
}

/** Rejects with a DataFolderError if the thread cannot open the folder. */
export async function startJournalThread(options: JournalOptions): Promise<JournalThread> {
  const busyTimes = new BusyTimes()
  const data: JournalThreadData = {
    folder: options.folder,
    durability: options.durability,
    tail: options.tail,
    lock: options.lock,
    pagesMax: options.pagesMax ?? 0,
    incoming: Ring.allocate(LIMITS.ringBytes),
    done: Ring.allocate(DONE_RING_BYTES),
    wakeUps: WakeUps.allocate(),
    call: CheckpointCall.allocate(),
    busyTimes: busyTimes.cells,
  }
  const worker = spawn(new URL('./journal.worker.ts', import.meta.url), {
    name: 'journal',
    workerData: data,
    // Commits leave little garbage, and this thread never idles where V8 would shrink its heap.
    resourceLimits: { maxYoungGenerationSizeMb: 3 },
  })
  await startThread(worker, 'journal')
  const file = identityOf(journalPath(options.folder.dataDir))
  return { worker, data, file, busyTimes }
}

export class JournalHandle implements JournalThreadHandle {
  readonly durability: Durability
  readonly busyTimes: BusyTimes
  readonly #onDurable: JournalListener['onDurable']
  readonly #incoming: Ring
  readonly #done: Ring
  readonly #watch: ThreadWatch
  readonly #checkpoints: Checkpoints
  readonly #commits: Commits
  #stopWaits = false

  constructor(thread: JournalThread, listener: JournalListener) {
    const { worker, data } = thread
    this.busyTimes = thread.busyTimes
    this.#onDurable = listener.onDurable
    this.durability = data.durability
    this.#incoming = new Ring(data.incoming)
    this.#done = new Ring(data.done)
    const { durability, call } = data
    this.#checkpoints = new Checkpoints({ file: thread.file, durability, call }, listener.onFault)
    this.#commits = new Commits(data.tail.seq, this.#checkpoints, listener.onCommit)
    this.#watch = new ThreadWatch(worker, 'journal', (message) => {
      void this.#checkpoints.end()
      listener.onFault(message)
    })
    worker.on('message', (message: JournalMessage) => {
      if (message === 'wake-up') this.#drain()
    })
    this.#done.arm()
  }

  get stats(): JournalStats {
    return this.#commits.stats
  }

  get durableSeq(): Seq {
    return this.#commits.durableSeq
  }

  /** Appended bytes that the thread has not taken yet, for metrics. */
  get waitingBytes(): number {
    return this.#incoming.usedBytes()
  }

  /** Requests a sign of life from the thread. */
  request(): void {
    this.#incoming.request()
  }

  get isAnswered(): boolean {
    return this.#incoming.isAnswered
  }

  freeBytes(wanted?: number): number {
    return this.#incoming.freeBytes(wanted)
  }

  append(seq: Seq, record: Uint8Array): void {
    this.#commits.append(this.#incoming, seq, record)
  }

  send(): void {
    this.#incoming.send()
  }

  cut(): boolean {
    const taken = this.#incoming.push(CUT_TAG, new Uint8Array(0))
    this.#incoming.send()
    return taken
  }

  addSegment(segment: Segment): boolean {
    const taken = this.#incoming.push(SEGMENT_TAG, segmentBytes(segment))
    this.#incoming.send()
    return taken
  }

  async stop(): Promise<void> {
    this.#stopWaits = true
    this.#sendStop()
    await this.#watch.end()
    this.#drain()
    await this.#checkpoints.end()
  }

  /** Ends the thread like a crash. */
  async kill(): Promise<void> {
    await this.#watch.kill()
    await this.#checkpoints.end()
  }

  /** Starts the checkpoint thread in advance, because its start delays orders. */
  warm(): Promise<void> {
    return this.#checkpoints.warm()
  }

  /** Ends the checkpoint thread like a crash, after it has started. */
  killCheckpoints(): Promise<void> {
    return this.#checkpoints.kill()
  }

  #sendStop(): void {
    if (this.#stopWaits && this.#incoming.push(STOP_TAG, new Uint8Array(0))) this.#stopWaits = false
    this.#incoming.send()
  }

  #drain(): void {
    const before = this.#commits.durableSeq
    do {
      while (this.#done.next()) this.#commits.take(this.#done)
      this.#done.free()
    } while (!this.#done.arm())
    if (this.#stopWaits) this.#sendStop()
    const { durableSeq } = this.#commits
    if (durableSeq > before) this.#onDurable(durableSeq)
  }
}

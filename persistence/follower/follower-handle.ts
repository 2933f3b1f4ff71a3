import type { Worker } from 'node:worker_threads'
import type { FiltersUpdate, OrderMemory } from '../../engine/core/orders/seen-filters.ts'
import { assert } from '../../engine/domain/assert.ts'
import type { Seq } from '../../engine/domain/ids.ts'
import { BusyTimes } from '../../engine/thread/busy-times.ts'
import { Distribution, MICROS } from '../../engine/thread/distribution.ts'
import { spawn } from '../../engine/thread/spawn.ts'
import type { KeyedFolder } from '../keyed-folder.ts'
import type { Progress } from '../snapshot/recovery.ts'
import { startThread } from '../thread-start.ts'
import { ThreadWatch } from '../thread-watch.ts'
import type { ProjectionParams, ProjectionRows } from './boards/projection.ts'
import type {
  FollowerMessage,
  FollowerRequest,
  FollowerThreadData,
  SavedSnapshot,
  SnapshotOrder,
} from './follower-thread.ts'
import type { ScoredMinute } from './rewards/reward-scorer.ts'
import type { Rests } from './tables/orders/backlog.ts'
import { allocateCounts, WrittenRows } from './tables/written-rows.ts'

export { rebuildReadTables } from './rebuild.ts'
export type { Rests, SavedSnapshot, ScoredMinute }

// Main's side of the follower. It notifies the follower of the durable seq. Private reads wait here
// until the read tables show everything published to any client. Reads that need rows of the
// backlog wait for these too.

/** How long commits accumulate before the follower is notified, while no read waits. */
const GATHER_MS = 100

export interface FollowerOptions {
  readonly folder: KeyedFolder
  /** For the keys of orders; absent for the default. */
  readonly memory?: OrderMemory | undefined
  /** How long the history stays in the tables; 0 or absent for ever. */
  readonly historyMs?: number | undefined
  /** The end of the journal at start. The follower has caught up when it has applied this seq. */
  readonly seq: Seq
  readonly onProgress?: Progress
  /** Called after each step, before the reads that wait for it resolve. */
  readonly onApplied?: (applied: Applied) => void
  /** Receives the state at the end of the first batch of each minute; absent for none. */
  readonly onMinute?: ((state: FollowerState) => void) | undefined
  /** Called with a sentence that gives the thread and the reason. The process must then stop. */
  readonly onFault: (message: string) => void
}

/** The thread's work times and commits, and the number of reads that wait for it. */
class FollowerFigures {
  readonly busyTimes = new BusyTimes()
  readonly #commits = Distribution.allocate(MICROS)
  readonly commitMicros = new Distribution(MICROS, this.#commits)
  readonly #rows = allocateCounts()
  readonly written = new WrittenRows(this.#rows)

  readonly #waiting = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  readonly #progress = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  /** Rows of large commands that are not in the tables yet. */
  backlogRows = 0
  /** Rows of commands up to this seq may be gone from the tables. */
  prunedSeq = 0

  get cells(): Omit<
    FollowerThreadData,
    'folder' | 'memory' | 'historyMs' | 'seq' | 'hashesMinutes'
  > {
    const { buffer: waiting } = this.#waiting
    const { buffer: progress } = this.#progress
    const { cells: busyTimes } = this.busyTimes
    return { busyTimes, commits: this.#commits, rows: this.#rows, waiting, progress }
  }

  /** Differs from an earlier value if the thread has written something since. */
  get progress(): number {
    return Atomics.load(this.#progress, 0)
  }

  /** The number of reads that wait for the tables. */
  set waiting(count: number) {
    Atomics.store(this.#waiting, 0, count)
  }
}

/** The tables and the filters are complete up to `seq`. */
export interface Applied {
  readonly seq: Seq
  readonly filters: FiltersUpdate
}

interface Waiter {
  readonly seq: Seq
  readonly settle: (applied: boolean) => void
}

export interface FollowerState {
  readonly seq: Seq
  readonly hash: string
}

export interface FollowerLaunch {
  readonly started: Promise<FollowerHandle>
  readonly abandon: () => Promise<void>
}

export class FollowerHandle {
  readonly figures: FollowerFigures
  readonly #worker: Worker
  readonly #watch: ThreadWatch
  readonly #hashes = new Map<number, (state: FollowerState) => void>()
  #waiters: Waiter[] = []
  #readSeq: Seq = 0
  #stateSeq: Seq = 0
  #wantedSeq: Seq = 0
  #sentSeq: Seq = 0
  #idle = true
  #nextHash = 0
  /** Reads that wait for rows of the backlog. */
  readonly #wants = new Map<number, () => void>()
  #nextWant = 0
  readonly #projections = new Map<number, (rows: ProjectionRows) => void>()
  #nextProjection = 0
  #timer: NodeJS.Timeout | undefined
  #onSaved: ((saved: SavedSnapshot) => void) | null = null
  /** Whether a snapshot is ordered but not copied yet. */
  #isTaking = false
  /** Called after each step while a start waits for the state, not only for the tables. */
  #onState: () => void = () => {}
  readonly #onApplied: (applied: Applied) => void
  readonly #onMinute: (state: FollowerState) => void
  /** The newest scores that arrived before the listener was set. */
  #scored: ScoredMinute | null = null
  #onScored: ((scored: ScoredMinute) => void) | null = null

  constructor(
    worker: Worker,
    figures: FollowerFigures,
    {
      onFault,
      onApplied = () => {},
      onMinute = () => {},
    }: Pick<FollowerOptions, 'onFault' | 'onApplied' | 'onMinute'>,
  ) {
    this.#worker = worker
    this.figures = figures
    this.#onApplied = onApplied
    this.#onMinute = onMinute
    this.#watch = new ThreadWatch(worker, 'follower', (message) => {
      onFault(message)
      this.#refuseWaiters()
    })
    worker.on('message', (message: FollowerMessage) => this.#receive(message))
  }

  /** Resolves once state and tables have caught up with `seq`. */
  static start(options: FollowerOptions): Promise<FollowerHandle> {
    return FollowerHandle.launch(options).started
  }

  /** Starts the thread, which proceeds to `seq`, in parallel with main. `abandon` ends it early. */
  static launch(options: FollowerOptions): FollowerLaunch {
    const { folder, memory, historyMs, seq } = options
    const figures = new FollowerFigures()
    const hashesMinutes = options.onMinute !== undefined
    const workerData: FollowerThreadData = {
      folder,
      memory,
      historyMs,
      seq,
      hashesMinutes,
      ...figures.cells,
    }
    const entry = new URL('./follower.worker.ts', import.meta.url)
    const worker = spawn(entry, { name: 'follower', workerData })
    const isReady = startThread(worker, 'follower')
    const isThere = new Promise<FollowerHandle>((resolve, reject) => {
      let started = false
      const onFault = (message: string) => {
        if (started) options.onFault(message)
        else reject(new Error(message))
      }
      const handle = new FollowerHandle(worker, figures, { ...options, onFault })
      handle.#wantedSeq = seq
      handle.#sentSeq = seq
      handle.#idle = false
      handle.#onState = () => {
        options.onProgress?.(Math.min(handle.#stateSeq, seq), seq)
        if (handle.#stateSeq < seq) return
        started = true
        handle.#onState = () => {}
        resolve(handle)
      }
    })
    // If the thread does not start, `isReady` rejects with the better sentence.
    const started = Promise.all([isReady, isThere]).then(([, handle]) => handle)
    const abandon = async () => {
      started.catch(() => {})
      // Messages under way would come to a caller that does not expect them any more.
      worker.removeAllListeners('message')
      await worker.terminate()
    }
    return { started, abandon }
  }

  /** The seq of the read tables. */
  get applied(): number {
    return this.#readSeq
  }

  /**
   * Notifies the follower that the journal is durable up to `seq`. Calls are combined into one
   * message while the follower works, and for a few milliseconds while no read waits: a message and
   * a transaction per commit cost more than their rows.
   */
  advance(seq: Seq): void {
    if (seq > this.#wantedSeq) this.#wantedSeq = seq
    if (!this.#idle || this.#wantedSeq === this.#sentSeq) return
    if (this.#waiters.length > 0) this.#wake()
    else this.#timer ??= setTimeout(() => this.#wake(), GATHER_MS)
  }

  #wake(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (!this.#idle || this.#wantedSeq === this.#sentSeq) return
    this.#idle = false
    this.#sentSeq = this.#wantedSeq
    this.#send({ kind: 'advance', seq: this.#sentSeq })
  }

  /**
   * True as soon as the tables are at `seq`; false if the deadline passes first. No row is written
   * while a large state is copied for a snapshot: a deadline that ends then is extended once by the
   * same time.
   */
  whenApplied(seq: Seq, deadlineMs: number): Promise<boolean> {
    if (this.#readSeq >= seq) return Promise.resolve(true)
    return new Promise((resolve) => {
      const waiter = {
        seq,
        settle: (applied: boolean) => {
          clearTimeout(timer)
          resolve(applied)
        },
      }
      const giveUp = () => {
        this.#letWait(this.#waiters.filter((other) => other !== waiter))
        resolve(false)
      }
      let timer = setTimeout(() => {
        if (this.#isTaking) timer = setTimeout(giveUp, deadlineMs)
        else giveUp()
      }, deadlineMs)
      this.#waiters.push(waiter)
      this.#letWait(this.#waiters)
      this.#wake()
    })
  }

  /** Resolves once the tables have these rows, which are written with priority. */
  readonly whenWritten = (rests: Rests): Promise<void> => {
    return new Promise((resolve) => {
      const id = this.#nextWant++
      this.#wants.set(id, resolve)
      this.#letWait(this.#waiters)
      this.#send({ kind: 'want', id, rests })
    })
  }

  /** The hash of the follower's state, and its seq. */
  stateHash(): Promise<FollowerState> {
    return new Promise((resolve) => {
      const id = this.#nextHash++
      this.#hashes.set(id, resolve)
      this.#send({ kind: 'hash', id })
    })
  }

  /** The rows as of the current tables. Requests are answered one at a time. */
  project(request: ProjectionParams): Promise<ProjectionRows> {
    return new Promise((resolve) => {
      const id = this.#nextProjection++
      this.#projections.set(id, resolve)
      this.#send({ kind: 'project', id, ...request })
    })
  }

  /**
   * Makes the follower save its state at a seq that it has not passed. Its balances must equal
   * main's balances at that seq; a difference is a fault.
   */
  snapshot(order: SnapshotOrder): Promise<SavedSnapshot> {
    assert(this.#onSaved === null, 'one snapshot is taken at a time')
    this.#isTaking = true
    return new Promise((resolve) => {
      this.#onSaved = resolve
      this.#send({ kind: 'snapshot', ...order })
    })
  }

  /** Sets the listener for earnings of sampled minutes. A minute may be repeated after a start. */
  listenToScores(onScored: (scored: ScoredMinute) => void): void {
    this.#onScored = onScored
    if (this.#scored !== null) onScored(this.#scored)
    this.#scored = null
  }

  async stop(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#send({ kind: 'stop' })
    await this.#watch.end()
    this.#refuseWaiters()
  }

  /** Ends the thread like a crash. */
  kill(): Promise<void> {
    return this.#watch.kill()
  }

  #send(request: FollowerRequest): void {
    this.#worker.postMessage(request)
  }

  #receive(message: FollowerMessage): void {
    if (message === 'ready') return
    if (message.kind === 'hash') {
      this.#hashes.get(message.id)?.({ seq: message.seq, hash: message.hash })
      this.#hashes.delete(message.id)
      return
    }
    if (message.kind === 'minute') {
      this.#onMinute({ seq: message.seq, hash: message.hash })
      return
    }
    if (message.kind === 'projected') {
      this.#projections.get(message.id)?.(message.rows)
      this.#projections.delete(message.id)
      return
    }
    if (message.kind === 'written') {
      for (const id of message.ids) {
        this.#wants.get(id)?.()
        this.#wants.delete(id)
      }
      this.#letWait(this.#waiters)
      return
    }
    if (message.kind === 'taken') {
      this.#isTaking = false
      return
    }
    if (message.kind === 'saved') {
      const { kind: _kind, ...saved } = message
      this.#onSaved?.(saved)
      this.#onSaved = null
      return
    }
    if (message.kind === 'scored') {
      if (this.#onScored === null) this.#scored = message
      else this.#onScored(message)
      return
    }
    this.#readSeq = message.readSeq
    this.#stateSeq = message.stateSeq
    this.figures.backlogRows = message.backlogRows
    this.figures.prunedSeq = message.prunedSeq
    this.#idle = message.idle
    const seq = Math.min(message.readSeq, message.stateSeq)
    this.#onApplied({ seq, filters: message.filters })
    this.#wakeWaiters()
    this.#onState()
    this.advance(this.#wantedSeq)
  }

  #wakeWaiters(): void {
    if (this.#waiters.length === 0) return
    const waiting: Waiter[] = []
    for (const waiter of this.#waiters) {
      if (waiter.seq <= this.#readSeq) waiter.settle(true)
      else waiting.push(waiter)
    }
    this.#letWait(waiting)
  }

  #letWait(waiters: Waiter[]): void {
    this.#waiters = waiters
    this.figures.waiting = waiters.length + this.#wants.size
  }

  #refuseWaiters(): void {
    for (const waiter of this.#waiters) waiter.settle(false)
    this.#wants.clear()
    this.#letWait([])
  }
}

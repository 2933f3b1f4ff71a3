import type { Worker } from 'node:worker_threads'
import { assert, WorkerFault } from '../../engine/domain/assert.ts'
import { reasonOf } from '../../engine/domain/error-code.ts'
import { LIMITS } from '../../engine/domain/limits.ts'
import { BusyTimes } from '../../engine/thread/busy-times.ts'
import { IdleDeaths } from '../../engine/thread/idle-deaths.ts'
import { spawn } from '../../engine/thread/spawn.ts'
import type { Rests } from '../follower/tables/orders/backlog.ts'
import type { KeyedFolder } from '../keyed-folder.ts'
import { OWN_GROUP, type QuerySlice, QuestionQueue } from './query-queue.ts'
import type { QueryMessage, QueryRequest, QueryThreadData } from './query-thread.ts'
import { isTrouble } from './query-trouble.ts'
import type { Query } from './read/query.ts'

// Main's side of the query thread. Each query has a deadline and waits in a fair queue. Only a few
// queries are at the thread at a time, so that the next one is selected late. `undefined` means
// that a query missed its deadline or that the queue is full; the caller then answers 503. A query
// that breaks the thread fails alone, by throwing. A new thread replaces the broken one and gets
// the other queries again (design §11). A query whose rows are late waits for them and is then
// repeated.

export interface QueryOptions {
  readonly folder: KeyedFolder
  /** Called with a sentence that gives the thread and the reason. The process must then stop. */
  readonly onFault: (message: string) => void
  /** Called with a sentence for the log: queries were not answered, but later ones may be. */
  readonly onTrouble?: ((message: string) => void) | undefined
  /** Resolves once the tables have these rows. Absent: no row is ever late. */
  readonly whenWritten?: (rests: Rests) => Promise<void>
}

interface Open {
  readonly id: number
  readonly name: string
  readonly params: unknown
  readonly slice: QuerySlice
  /** Receives the query's answer. */
  readonly settle: (answer: never) => void
  readonly giveUp: () => void
  readonly fail: (fault: WorkerFault) => void
  /** True once it was answered or abandoned. */
  isOver: boolean
}

/** Queries at the thread at a time: the current one, and one to avoid waiting for main. */
const AHEAD = 2
const ID_MAX = 2 ** 30
const END_DEADLINE_MS = 30_000
const AGAIN_MS = 1000
const TROUBLE_EVERY_MS = 10_000

/** A queue entry of the exchange itself. */
function ownSlice(): QuerySlice {
  return { group: OWN_GROUP, owner: 0, untilMs: performance.now() + LIMITS.privateReadDeadlineMs }
}

export class QueryHandle {
  /** One work time per query. A replacement thread continues the same counts. */
  readonly busyTimes = new BusyTimes()
  readonly #options: QueryOptions
  readonly #queue = new QuestionQueue<Open>()
  readonly #deaths = new IdleDeaths()
  /** Queries that wait for late rows. They do not count in the queue, and have a separate limit. */
  readonly #late = new Set<Open>()
  /** Queries at the thread, oldest first, including those past their deadline. */
  #sent: Open[] = []
  /** null until the first query may come, because the thread takes 8 MB. */
  #worker: Worker | null = null
  /** The id plus one of the query that the thread works on; 0 = none. */
  #working = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  #nextId = 0
  #isReady = false
  #onWarm: () => void = () => {}
  readonly #isWarm = new Promise<void>((resolve) => {
    this.#onWarm = resolve
  })
  #isOver = false
  #reason = ''
  #quietUntilMs = 0
  #againTimer: NodeJS.Timeout | undefined
  #onEnd: () => void = () => {}

  /** The read tables must exist, so the follower starts first. */
  constructor(options: QueryOptions) {
    this.#options = options
  }

  /**
   * Starts the thread in advance, so that the next query does not wait for it. Resolves when the
   * first thread can answer.
   */
  warm(): Promise<void> {
    if (this.#worker === null && !this.#isOver) this.#start()
    return this.#isWarm
  }

  #start(): void {
    this.#working = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
    const { folder } = this.#options
    const { cells: busyTimes } = this.busyTimes
    const workerData: QueryThreadData = { folder, working: this.#working, busyTimes }
    const worker = spawn(new URL('./query.worker.ts', import.meta.url), {
      name: 'query',
      workerData,
    })
    this.#worker = worker
    this.#reason = ''
    worker.on('message', (message: QueryMessage<never>) => this.#receive(message))
    worker.on('error', (error) => {
      this.#reason = reasonOf(error)
    })
    // Answers arrive in query order, so the oldest query's answer failed to decode.
    worker.on('messageerror', (error) => this.#broke(this.#sent.shift(), reasonOf(error)))
    worker.on('exit', (code) => this.#ended(code))
  }

  /** Unanswered queries, for metrics. */
  get waiting(): number {
    const { count, promptCount, urgentCount } = this.#queue
    return count + promptCount + urgentCount + this.#sent.length
  }

  /**
   * Undefined if the queue is full or the deadline has passed; throws if the query broke the
   * thread.
   */
  request<Params, Answer>(
    { name, isUrgent }: Query<Params, Answer>,
    params: Params,
    slice: QuerySlice = ownSlice(),
  ): Promise<Answer | undefined> {
    const leftMs = slice.untilMs - performance.now()
    if (this.#isOver || leftMs <= 0 || !this.#hasCapacity(isUrgent, slice)) {
      return Promise.resolve(undefined)
    }
    this.#nextId = (this.#nextId + 1) % ID_MAX
    const id = this.#nextId
    return new Promise((resolve, reject) => {
      const over = () => {
        open.isOver = true
        clearTimeout(timer)
        this.#queue.drop(open)
        this.#late.delete(open)
      }
      const settle = (answer: Answer | undefined) => {
        over()
        resolve(answer)
      }
      const giveUp = () => settle(undefined)
      const fail = (fault: WorkerFault) => {
        over()
        reject(fault)
      }
      const open: Open = { id, name, params, slice, settle, giveUp, fail, isOver: false }
      const timer = setTimeout(giveUp, leftMs + (this.#isReady ? 0 : LIMITS.queryStartMsMax))
      if (isUrgent) this.#queue.putUrgent(open)
      else this.#queue.put(open)
      this.#hand()
    })
  }

  /** If the queue is full, another query may have to be dropped. */
  #hasCapacity(isUrgent: boolean, slice: QuerySlice): boolean {
    if (isUrgent) return this.#queue.urgentCount < LIMITS.queryQueueMax
    if (slice.isPrompt === true) return this.#queue.promptCount < LIMITS.queryQueueMax
    if (this.#queue.count + this.#sent.length < LIMITS.queryQueueMax) return true
    const other = this.#queue.giveWayTo(slice)
    other?.giveUp()
    return other !== undefined
  }

  /** A query past its deadline has already left the queue. */
  #hand(): void {
    void this.warm()
    while (this.#isReady && this.#sent.length < AHEAD) {
      const open = this.#queue.next()
      if (open === undefined) return
      if (open.slice.isGone?.() === true) {
        this.#queue.done(open, 0)
        open.giveUp()
      } else {
        this.#sent.push(open)
        const { id, name, params } = open
        this.#worker?.postMessage({ kind: 'ask', id, name, params } satisfies QueryRequest)
      }
    }
  }

  #receive(message: QueryMessage<never>): void {
    if (message === 'ready') {
      this.#isReady = true
      this.#onWarm()
    } else {
      const at = this.#sent.findIndex(({ id }) => id === message.id)
      const [open] = at < 0 ? [] : this.#sent.splice(at, 1)
      if (open !== undefined) this.#took(open, message.tookMs)
      if ('late' in message) void this.#wait(open, message.late)
      else if (message.failed === undefined) open?.settle(message.answer)
      else if (message.failed.isTrouble) this.#troubled(open, message.failed.reason)
      else this.#broke(open, message.failed.reason)
    }
    this.#hand()
  }

  /** The requester is charged for the time, even if no caller waits for the answer. */
  #took(open: Open, tookMs: number): void {
    this.#queue.done(open, tookMs)
    open.slice.onTook?.(tookMs)
  }

  /** Another query uses the thread meanwhile. Afterwards this query goes first. */
  async #wait(open: Open | undefined, rests: Rests): Promise<void> {
    if (open === undefined || open.isOver) return
    assert(this.#options.whenWritten !== undefined, 'a reader of late rows can wait for them')
    if (this.#late.size >= LIMITS.queryQueueMax) return open.giveUp()
    this.#late.add(open)
    await this.#options.whenWritten(rests)
    this.#late.delete(open)
    if (open.isOver) return
    this.#queue.putFirst(open)
    this.#hand()
  }

  #broke(open: Open | undefined, reason: string): void {
    if (open !== undefined) this.#queue.done(open, 0)
    open?.fail(new WorkerFault('query', reason))
    this.#hand()
  }

  #troubled(open: Open | undefined, reason: string): void {
    open?.giveUp()
    this.#warn(`A read was not answered: ${reason}`)
  }

  #warn(sentence: string): void {
    if (performance.now() < this.#quietUntilMs) return
    this.#quietUntilMs = performance.now() + TROUBLE_EVERY_MS
    this.#options.onTrouble?.(sentence)
  }

  #ended(code: number): void {
    const wasReady = this.#isReady
    this.#isReady = false
    this.#onEnd()
    if (this.#isOver) return
    const reason = this.#reason === '' ? `it ended unexpectedly with code ${code}` : this.#reason
    const workingId = Atomics.load(this.#working, 0) - 1
    const sent = this.#sent
    this.#sent = []
    const blamed = sent.find(({ id }) => id === workingId)
    for (const open of sent.reverse()) if (open !== blamed) this.#queue.putFirst(open)
    if (blamed !== undefined) this.#queue.done(blamed, 0)
    blamed?.fail(new WorkerFault('query', `the query thread failed: ${reason}`))
    // The machine may be out of file descriptors. That is temporary; until then no query is
    // answered.
    const isHindered = !wasReady && isTrouble(new Error(reason))
    if (blamed === undefined && !isHindered && this.#deaths.tooMany(performance.now())) {
      this.#isOver = true
      this.#refuseAll()
      this.#options.onFault(`The query thread failed: ${reason}; too often`)
      return
    }
    this.#options.onTrouble?.(`The query thread failed: ${reason}; another one replaces it.`)
    if (isHindered) this.#againTimer = setTimeout(() => this.#start(), AGAIN_MS)
    else this.#start()
  }

  async stop(): Promise<void> {
    clearTimeout(this.#againTimer)
    const isGone = this.#isOver
    this.#isOver = true
    const worker = this.#worker
    if (!isGone && worker !== null) {
      const ended = new Promise<void>((resolve) => {
        this.#onEnd = resolve
      })
      worker.postMessage({ kind: 'stop' } satisfies QueryRequest)
      const timer = setTimeout(() => worker.terminate(), END_DEADLINE_MS)
      if (worker.threadId > 0) await ended
      clearTimeout(timer)
    }
    this.#refuseAll()
  }

  /** Ends the thread like a crash. */
  async crash(): Promise<void> {
    await this.#worker?.terminate()
  }

  /** Ends the thread permanently: the fault is reported, and no more queries are answered. */
  async kill(): Promise<void> {
    this.#isOver = true
    await this.#worker?.terminate()
    this.#refuseAll()
    this.#options.onFault('The query thread failed: it was ended')
  }

  #refuseAll(): void {
    for (const open of [...this.#sent.splice(0), ...this.#late]) open.giveUp()
    for (let open = this.#queue.next(); open !== undefined; open = this.#queue.next()) {
      open.giveUp()
    }
  }
}

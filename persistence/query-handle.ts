import type { Worker } from 'node:worker_threads'
import { LIMITS } from '../engine/domain/limits.ts'
import { spawn } from '../engine/wire/spawn.ts'
import type { QueryMessage, QueryRequest, QueryThreadData } from './query-thread.ts'
import type { OrderRow, UserOrdersAsk } from './read/user-orders.ts'
import { startThread } from './thread-start.ts'
import { ThreadWatch } from './thread-watch.ts'

// Main's side of the query thread. Every question has a deadline and the queue has a bound;
// `undefined` means not answered: past either, the caller says 503.

export interface QueryOptions {
  readonly dataDir: string
  /** A sentence that names the thread and why; the process must stop. */
  readonly onFault: (message: string) => void
}

type Rows = readonly OrderRow[]

export class QueryHandle {
  readonly #worker: Worker
  readonly #watch: ThreadWatch
  readonly #asked = new Map<number, (rows: Rows | undefined) => void>()
  #nextId = 0
  /** Sent and not yet answered, past their deadline or not: the length of the thread's queue. */
  #queued = 0

  constructor(worker: Worker, onFault: (message: string) => void) {
    this.#worker = worker
    this.#watch = new ThreadWatch(worker, 'query', (message) => {
      onFault(message)
      this.#refuseAll()
    })
    worker.on('message', (message: QueryMessage) => {
      if (message === 'ready') return
      this.#queued--
      this.#asked.get(message.id)?.(message.rows)
    })
  }

  /** The read tables must be there: start the follower first. */
  static async start(options: QueryOptions): Promise<QueryHandle> {
    const workerData: QueryThreadData = { dataDir: options.dataDir }
    const entry = new URL('./query.worker.ts', import.meta.url)
    const worker = spawn(entry, { name: 'query', workerData })
    await startThread(worker, 'query')
    return new QueryHandle(worker, options.onFault)
  }

  /** Questions not answered yet, for metrics. */
  get waiting(): number {
    return this.#queued
  }

  /** Newest first. */
  userOrders(ask: UserOrdersAsk): Promise<Rows | undefined> {
    return this.#ask((id) => ({ kind: 'userOrders', id, ask }))
  }

  async orderBySlot(slot: number, generation: number): Promise<OrderRow | null | undefined> {
    return first(await this.#ask((id) => ({ kind: 'orderBySlot', id, slot, generation })))
  }

  async orderByClientId(
    accountId: number,
    clientOrderId: string,
  ): Promise<OrderRow | null | undefined> {
    return first(
      await this.#ask((id) => ({ kind: 'orderByClientId', id, accountId, clientOrderId })),
    )
  }

  async stop(): Promise<void> {
    this.#worker.postMessage({ kind: 'stop' } satisfies QueryRequest)
    await this.#watch.end()
    this.#refuseAll()
  }

  /** Ends the thread as a crash would. */
  kill(): Promise<void> {
    return this.#watch.kill()
  }

  #ask(requestOf: (id: number) => QueryRequest): Promise<Rows | undefined> {
    if (this.#queued >= LIMITS.queryQueueMax) return Promise.resolve(undefined)
    const id = this.#nextId++
    return new Promise((resolve) => {
      const timer = setTimeout(() => settle(undefined), LIMITS.privateReadDeadlineMs)
      const settle = (rows: Rows | undefined) => {
        clearTimeout(timer)
        this.#asked.delete(id)
        resolve(rows)
      }
      this.#asked.set(id, settle)
      this.#queued++
      this.#worker.postMessage(requestOf(id))
    })
  }

  #refuseAll(): void {
    for (const settle of [...this.#asked.values()]) settle(undefined)
  }
}

function first(rows: Rows | undefined): OrderRow | null | undefined {
  return rows === undefined ? undefined : (rows[0] ?? null)
}

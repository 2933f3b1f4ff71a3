import type { Worker } from 'node:worker_threads'
import type { HeldInTables } from '../engine/core/decide.ts'
import type { SettledTrade } from '../engine/core/reversal.ts'
import { LIMITS } from '../engine/domain/limits.ts'
import { spawn } from '../engine/wire/spawn.ts'
import type {
  QueryAnswer,
  QueryMessage,
  QueryRequest,
  QueryThreadData,
  SettlementAnswer,
  SettlementAsk,
} from './query-thread.ts'
import type { HeldAsk } from './read/held-orders.ts'
import type { OrderStatus, OrderStatusAsk } from './read/order-status.ts'
import type { PositionRow, PositionsAsk } from './read/positions.ts'
import type { NewestTrade, Settlement } from './read/settlements.ts'
import type { TradeParts, TradePartsAsk } from './read/trade-parts.ts'
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
  readonly #asked = new Map<number, (answer: QueryAnswer | undefined) => void>()
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
      this.#asked.get(message.id)?.(message)
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
  async userOrders(ask: UserOrdersAsk): Promise<Rows | undefined> {
    return (await this.#ask((id) => ({ kind: 'userOrders', id, ask })))?.rows
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

  /** In the order of the names; null for each that names no order of the account. */
  async orderStatuses(ask: OrderStatusAsk): Promise<readonly (OrderStatus | null)[] | undefined> {
    return (await this.#ask((id) => ({ kind: 'orderStatus', id, ask })))?.statuses
  }

  async hasTraded(accountId: number): Promise<boolean | undefined> {
    return (await this.#ask((id) => ({ kind: 'hasTraded', id, accountId })))?.hasTraded
  }

  /** In the order of the markets, YES before NO. */
  async positions(ask: PositionsAsk): Promise<readonly PositionRow[] | undefined> {
    return (await this.#ask((id) => ({ kind: 'positions', id, ask })))?.positions
  }

  /** What the tables hold of an order, and the seq they show everything up to. */
  async held(ask: HeldAsk): Promise<HeldInTables | undefined> {
    const row = (await this.#ask((id) => ({ kind: 'held', id, ask })))?.held
    if (row === undefined) return undefined
    return { seq: row.seq ?? 0, hash: row.hash === 1, clientId: row.clientId === 1 }
  }

  /** What became of a trade on the chain, as far as the tables show. */
  async settlementOf(tradeSeq: number): Promise<Settlement | undefined> {
    return (await this.#settlement({ what: 'of', tradeSeq }))?.of
  }

  /** The trade as it was settled; null when the tables do not show it. */
  async trade(tradeSeq: number): Promise<SettledTrade | null | undefined> {
    return (await this.#settlement({ what: 'trade', tradeSeq }))?.trade
  }

  /** Seqs of the newest trades after `seq`, newest first. */
  async tradesAfter(seq: number, limit: number): Promise<readonly number[] | undefined> {
    return (await this.#settlement({ what: 'tradesAfter', seq, limit }))?.tradesAfter
  }

  /** In the order of the seqs; none for what is no trade of these accounts. */
  async tradeParts(ask: TradePartsAsk): Promise<readonly TradeParts[] | undefined> {
    return (await this.#ask((id) => ({ kind: 'tradeParts', id, ask })))?.tradeParts
  }

  /** Newest first. */
  async newestTrades(limit: number): Promise<readonly NewestTrade[] | undefined> {
    return (await this.#settlement({ what: 'newest', limit }))?.newest
  }

  async #settlement(ask: SettlementAsk): Promise<SettlementAnswer | undefined> {
    return (await this.#ask((id) => ({ kind: 'settlement', id, ask })))?.settlement
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

  #ask(requestOf: (id: number) => QueryRequest): Promise<QueryAnswer | undefined> {
    if (this.#queued >= LIMITS.queryQueueMax) return Promise.resolve(undefined)
    const id = this.#nextId++
    return new Promise((resolve) => {
      const timer = setTimeout(() => settle(undefined), LIMITS.privateReadDeadlineMs)
      const settle = (answer: QueryAnswer | undefined) => {
        clearTimeout(timer)
        this.#asked.delete(id)
        resolve(answer)
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

function first(answer: QueryAnswer | undefined): OrderRow | null | undefined {
  return answer?.rows === undefined ? undefined : (answer.rows[0] ?? null)
}

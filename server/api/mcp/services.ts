import type { Worker } from 'node:worker_threads'
import { assert } from '../../../engine/domain/assert.ts'
import { WORK_LIMITS } from '../../../engine/domain/work-limits.ts'
import { spawn } from '../../../engine/thread/spawn.ts'
import type { MarketServices } from '../markets/services.ts'
import type { OrderServices } from '../orders/services.ts'
import type { PageServices } from '../pages/services.ts'
import type { PortfolioServices } from '../portfolio/services.ts'
import type { SharedServices } from '../shared-services.ts'
import type { McpMessage, McpReply, McpRequest, McpThreadData, ToolResult } from './mcp-thread.ts'

// Main's side of the thread that runs the Model Context Protocol. The library takes 25 MB and 73 ms
// to load, so the thread loads it at the first call of `POST /mcp`. Neither the start nor other
// orders wait for it. When the thread ends, its requests fail. The next request starts another one,
// because the thread has no state.

interface ToolCall {
  readonly payload: unknown
  readonly protocolVersion: string
  /** Runs one tool. */
  readonly use: (name: string, given: Readonly<Record<string, unknown>>) => Promise<ToolResult>
}

interface Open {
  readonly use: ToolCall['use']
  readonly resolve: (reply: McpReply) => void
  readonly reject: (error: unknown) => void
  readonly timer: NodeJS.Timeout
}

const ID_MAX = 2 ** 30

export class McpHandle {
  readonly #data: () => McpThreadData
  readonly #open = new Map<number, Open>()
  #worker: Worker | null = null
  #nextId = 0
  /** The protocol versions, once the thread has reported them; null before. */
  versions: ReadonlySet<string> | null = null

  constructor(data: () => McpThreadData) {
    this.#data = data
  }

  /** Whether another request can be accepted. */
  get hasCapacity(): boolean {
    return this.#open.size < WORK_LIMITS.mcpRequestsMax
  }

  /** Runs one request. Throws the errors of tools, and when the thread ends or is late. */
  request({ payload, protocolVersion, use }: ToolCall): Promise<McpReply> {
    assert(this.hasCapacity, 'a request is only made below the limit of open requests')
    this.#nextId = (this.#nextId + 1) % ID_MAX
    const id = this.#nextId
    const worker = this.#worker ?? this.#start()
    return new Promise((resolve, reject) => {
      const late = () => this.#fail(id, new Error('the thread of POST /mcp timed out'))
      const timer = setTimeout(late, WORK_LIMITS.mcpDeadlineMs)
      this.#open.set(id, { use, resolve, reject, timer })
      worker.postMessage({ kind: 'ask', id, payload, protocolVersion } satisfies McpRequest)
    })
  }

  /** Ends the thread, which holds no state. */
  async stop(): Promise<void> {
    await this.#worker?.terminate()
  }

  #start(): Worker {
    const workerData = this.#data()
    const worker = spawn(new URL('./mcp.worker.ts', import.meta.url), { name: 'mcp', workerData })
    // The process does not wait for the thread: it already waits for the callers.
    worker.unref()
    let reason = 'it ended unexpectedly'
    worker.on('message', (message: McpMessage) => this.#take(message))
    worker.on('error', (error) => {
      reason = error.message
    })
    worker.on('exit', () => {
      if (this.#worker === worker) this.#worker = null
      const fault = new Error(`the thread of POST /mcp failed: ${reason}`)
      for (const id of [...this.#open.keys()]) this.#fail(id, fault)
    })
    this.#worker = worker
    return worker
  }

  #take(message: McpMessage): void {
    if (message.kind === 'ready') this.versions = new Set(message.versions)
    else if (message.kind === 'use') void this.#use(message)
    else if (message.kind === 'failed') this.#fail(message.id, new Error(message.reason))
    else this.#closed(message.id)?.resolve(message.reply)
  }

  async #use({ id, name, given }: McpMessage & { kind: 'use' }): Promise<void> {
    const used = (result: ToolResult | null) => {
      this.#worker?.postMessage({ kind: 'used', id, result } satisfies McpRequest)
    }
    try {
      const result = await this.#open.get(id)?.use(name, given)
      used(result ?? null)
    } catch (error) {
      this.#fail(id, error)
      used(null)
    }
  }

  #closed(id: number): Open | undefined {
    const open = this.#open.get(id)
    this.#open.delete(id)
    clearTimeout(open?.timer)
    return open
  }

  #fail(id: number, error: unknown): void {
    this.#closed(id)?.reject(error)
  }
}

/** What the routes of this folder need. */
export interface McpServices
  extends SharedServices,
    Pick<MarketServices, 'history' | 'lists' | 'markets' | 'series' | 'tickers' | 'timelines'>,
    Pick<
      OrderServices,
      'amends' | 'cancels' | 'everywhere' | 'heartbeats' | 'places' | 'replaces' | 'statuses'
    >,
    Pick<PageServices, 'marketPages'>,
    Pick<PortfolioServices, 'moves' | 'portfolio' | 'rewards'> {
  readonly mcp: McpHandle
}

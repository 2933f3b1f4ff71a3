import { once } from 'node:events'
import { spawn } from '../../../engine/thread/spawn.ts'

export interface ReaderPlan {
  readonly url: string
  readonly sockets: number
  readonly slugs: readonly string[]
}

export interface ReaderTotals {
  /** Frames of books, and those that do not follow the one before. */
  readonly frames: number
  readonly gaps: number
  /** Connections that ended. */
  readonly ended: number
}

/** Sockets in a thread of their own; null for none. */
export class Readers {
  readonly #worker: ReturnType<typeof spawn>

  constructor(plan: ReaderPlan) {
    const entry = new URL('./readers.worker.ts', import.meta.url)
    this.#worker = spawn(entry, { name: 'readers', workerData: plan })
  }

  /** Resolves when all sockets are connected. */
  async ready(): Promise<void> {
    await once(this.#worker, 'message')
  }

  async totals(): Promise<ReaderTotals> {
    this.#worker.postMessage('totals')
    const [totals] = await once(this.#worker, 'message')
    return totals
  }

  async close(): Promise<void> {
    await this.#worker.terminate()
  }
}

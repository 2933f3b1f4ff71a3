import type { Worker } from 'node:worker_threads'
import { reasonOf } from '../engine/domain/error-code.ts'

const END_DEADLINE_MS = 30_000

/**
 * Watches a thread and reports its unexpected end once, with its name and the reason. The thread
 * cannot be replaced while the process runs; a restart recovers everything from the journal.
 */
export class ThreadWatch {
  readonly #worker: Worker
  readonly #name: string
  readonly #onFault: (message: string) => void
  readonly #ended: Promise<void>
  #expected = false
  #reported = false

  constructor(worker: Worker, name: string, onFault: (message: string) => void) {
    this.#worker = worker
    this.#name = name
    this.#onFault = onFault
    worker.on('error', (error) => this.#report(reasonOf(error)))
    worker.on('messageerror', (error) => this.#report(reasonOf(error)))
    this.#ended = new Promise((resolve) => {
      worker.once('exit', (code) => {
        if (!this.#expected) this.#report(`it ended unexpectedly with code ${code}`)
        resolve()
      })
    })
  }

  #report(reason: string): void {
    if (this.#reported) return
    this.#reported = true
    this.#onFault(`The ${this.#name} thread failed: ${reason}`)
  }

  /** Ends the thread like a crash, so that the fault is reported. */
  async kill(): Promise<void> {
    await this.#worker.terminate()
  }

  /** Waits for the requested end of the thread. After a deadline it is terminated. */
  async end(): Promise<void> {
    this.#expected = true
    const timer = setTimeout(() => this.#worker.terminate(), END_DEADLINE_MS)
    await this.#ended
    clearTimeout(timer)
  }
}

import type { Worker } from 'node:worker_threads'
import { spawn } from '../../../engine/thread/spawn.ts'
import { ThreadWatch } from '../../thread-watch.ts'
import { CheckpointCall } from '../checkpoint-call.ts'
import type { CheckpointThreadData } from './journal-thread.ts'

/** The checkpoint thread takes 8 MB, so it starts on demand, at the latest here. */
const CHECKPOINTS_FROM_BYTES = 1 << 20

/** Main's side of the checkpoint thread. */
export class Checkpoints {
  readonly #data: CheckpointThreadData
  readonly #call: CheckpointCall
  readonly #onFault: (message: string) => void
  /** null until the thread is needed. */
  #watch: ThreadWatch | null = null
  #isWarm: Promise<void> = Promise.resolve()
  #committedBytes = 0

  constructor(data: CheckpointThreadData, onFault: (message: string) => void) {
    this.#data = data
    this.#call = new CheckpointCall(data.call)
    this.#onFault = onFault
  }

  /** Notes a commit to the journal. */
  committed(bytes: number): void {
    this.#committedBytes += bytes
    if (this.#committedBytes >= CHECKPOINTS_FROM_BYTES) void this.warm()
  }

  /** Starts the thread. Resolves when it runs; a failure is a fault. */
  warm(): Promise<void> {
    if (this.#watch === null) {
      const entry = new URL('./checkpoint.worker.ts', import.meta.url)
      const worker: Worker = spawn(entry, { name: 'checkpoint', workerData: this.#data })
      this.#watch = new ThreadWatch(worker, 'checkpoint', this.#onFault)
      this.#isWarm = new Promise((resolve) => worker.once('message', () => resolve()))
    }
    return this.#isWarm
  }

  /** Ends the thread like a crash, after it has started. */
  async kill(): Promise<void> {
    await this.#watch?.kill()
  }

  async end(): Promise<void> {
    this.#call.end()
    await this.#watch?.end()
  }
}

import type { Worker } from 'node:worker_threads'
import { reasonOf } from '../../engine/domain/error-code.ts'
import type { Seq } from '../../engine/domain/ids.ts'
import type { TimeMs } from '../../engine/domain/units.ts'
import { spawn } from '../../engine/thread/spawn.ts'
import type { Segment } from '../journal/segments/segment-folder.ts'
import type { KeyedFolder } from '../keyed-folder.ts'

/** The sealing thread's startup data. */
export interface SealingData {
  readonly folder: KeyedFolder
  /** The end of the segments so far, if this process had any made. */
  readonly afterSeq: Seq
  /** Only batches that are older than this are sealed. */
  readonly beforeMs: TimeMs
  /** Bytes of records at which a segment ends. */
  readonly bytesMax: number
  /** Segments with older commands only are deleted; null keeps all. */
  readonly dropBeforeMs: TimeMs | null
}

export interface Sealed {
  /** Null if there is not enough for one. */
  readonly segment: Segment | null
  /** Why none could be made; null if none failed. */
  readonly failure: string | null
}

/** Main's side of the thread that makes one segment and ends. */
export class Sealing {
  readonly sealed: Promise<Sealed>
  readonly #worker: Worker

  constructor(workerData: SealingData) {
    const entry = new URL('./sealing.worker.ts', import.meta.url)
    const worker = spawn(entry, { name: 'sealing', workerData })
    this.#worker = worker
    this.sealed = new Promise((resolve) => {
      const fail = (failure: string) => resolve({ segment: null, failure })
      worker.once('message', resolve)
      worker.once('error', (error) => fail(reasonOf(error)))
      worker.once('exit', (code) => fail(`its thread ended with code ${code}`))
    })
  }

  /** Ends the thread; what it wrote so far is written again. */
  async stop(): Promise<void> {
    await this.#worker.terminate()
  }
}

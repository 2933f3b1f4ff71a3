import { once } from 'node:events'
import type { Worker } from 'node:worker_threads'
import { eventF64s, eventWords } from '../../engine/core/book/event-buffer.ts'
import { EVENT_WORDS } from '../../engine/domain/event.ts'
import { Ring } from '../../engine/thread/ring.ts'
import { spawn } from '../../engine/thread/spawn.ts'
import { FillCount } from '../contenders/contender.ts'
import type { Messages } from './messages.ts'
import { END, REPORTS, type ReportsData } from './reports-thread.ts'
import { WideBook } from './wide-book.ts'

/** Matching alone: the events are counted where they arise. */
export class Matching {
  readonly #fills = new FillCount()
  readonly #book: WideBook

  constructor(messages: Messages) {
    this.#book = new WideBook(messages, (count) => {
      this.#fills.addEvents(eventWords, eventF64s, count)
    })
  }

  get trades(): number {
    return this.#fills.count
  }

  run(from: number, to: number): void {
    this.#book.run(from, to)
  }

  empty(): void {
    this.#book.empty()
  }
}

const RING_BYTES = 1 << 22
/** Messages between two looks at the ring; its reader is woken once for all of them. */
const BATCH = 256

/** Every event goes to a second thread, which counts them, as the publication has it. */
export class HandedOff {
  readonly #book: WideBook
  readonly #ring: Ring
  readonly #worker: Worker
  readonly #counts: Int32Array

  private constructor(messages: Messages, { ring, counts }: ReportsData, worker: Worker) {
    this.#ring = new Ring(ring)
    this.#counts = new Int32Array(counts)
    this.#worker = worker
    this.#book = new WideBook(messages, (count) => {
      while (!this.#ring.pushWords(REPORTS, eventWords, 0, count * EVENT_WORDS)) {
        this.#ring.send()
        this.#ring.waitForSpace()
      }
    })
  }

  static async start(messages: Messages): Promise<HandedOff> {
    const data: ReportsData = {
      ring: Ring.allocate(RING_BYTES),
      counts: new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT),
    }
    const entry = new URL('./reports.worker.ts', import.meta.url)
    const worker = spawn(entry, { name: 'reports', workerData: data })
    await once(worker, 'message')
    return new HandedOff(messages, data, worker)
  }

  get trades(): number {
    return Atomics.load(this.#counts, 0)
  }

  /** Returns when the other thread has taken the last event. */
  run(from: number, to: number): void {
    for (let row = from; row < to; row += BATCH) {
      this.#book.run(row, Math.min(row + BATCH, to))
      this.#ring.send()
    }
    while (this.#ring.usedBytes() > 0) this.#ring.waitForSpace()
  }

  empty(): void {
    this.#book.empty()
  }

  async stop(): Promise<void> {
    const ended = once(this.#worker, 'exit')
    this.#ring.push(END, new Uint8Array(0))
    this.#ring.send()
    await ended
  }
}

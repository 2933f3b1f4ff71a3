import { GCProfiler } from 'node:v8'
import { Distribution, logLinear } from './distribution.ts'

// How long a thread works in one go, and how long its collections of garbage take. A stretch goes
// from a wake-up to the next sleep, or to the next look for work. Commits and checkpoints end a
// stretch and are measured apart. A collection lies within a stretch, and is counted in both.
//
// The thread writes, main reads. A stretch costs two looks at the clock. Blocked threads have no
// event loop, so a PerformanceObserver would never hear of their collections. A GCProfiler is asked
// instead, once a second at most; that takes three microseconds.

/** Microseconds. The bound of the aim, half a millisecond, is one of them. */
const BOUNDS = logLinear(10, 1_000_000, [1, 1.5, 2, 3, 4, 5, 7])
const ASK_EVERY_MS = 1000

/** The memory of one thread's figures: one part for stretches, one for collections. */
export interface BusyCells {
  readonly busyTimes: SharedArrayBuffer
  readonly collections: SharedArrayBuffer
}

/** Main's side: what it reads for metrics and benches. */
export class BusyTimes {
  readonly cells: BusyCells
  readonly micros: Distribution
  readonly collectionMicros: Distribution

  constructor() {
    this.cells = {
      busyTimes: Distribution.allocate(BOUNDS),
      collections: Distribution.allocate(BOUNDS),
    }
    this.micros = new Distribution(BOUNDS, this.cells.busyTimes)
    this.collectionMicros = new Distribution(BOUNDS, this.cells.collections)
  }
}

/** The thread's side. Invariant: `begin` and `end` alternate. */
export class BusyClock {
  readonly #micros: Distribution
  readonly #collectionMicros: Distribution
  #profiler = startProfiler()
  #startedMs = 0
  #requestedMs = 0

  constructor({ busyTimes, collections }: BusyCells) {
    this.#micros = new Distribution(BOUNDS, busyTimes)
    this.#collectionMicros = new Distribution(BOUNDS, collections)
  }

  begin(): void {
    this.#startedMs = performance.now()
  }

  end(): void {
    const nowMs = performance.now()
    this.#micros.record((nowMs - this.#startedMs) * 1000)
    if (nowMs - this.#requestedMs >= ASK_EVERY_MS) this.#askForCollections(nowMs)
  }

  #askForCollections(nowMs: number): void {
    this.#requestedMs = nowMs
    for (const { cost } of this.#profiler.stop().statistics) this.#collectionMicros.record(cost)
    this.#profiler = startProfiler()
  }
}

function startProfiler(): GCProfiler {
  const profiler = new GCProfiler()
  profiler.start()
  return profiler
}

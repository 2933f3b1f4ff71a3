import { GCProfiler } from 'node:v8'
import { Distribution, logLinear } from './distribution.ts'

// Measures a thread's uninterrupted work times and its garbage collections. A work time lasts from
// a wake-up to the next sleep or check for work. Commits and checkpoints end it and are measured
// separately. A collection runs within a work time and counts in both.
//
// The thread writes, main reads. A work time costs two clock reads. Blocked threads have no event
// loop, so a PerformanceObserver would never get their collections. Instead a GCProfiler is read at
// most once a second, which takes three microseconds.

/** Microseconds. The target of half a millisecond is one of the bounds. */
const BOUNDS = logLinear(10, 1_000_000, [1, 1.5, 2, 3, 4, 5, 7])
const ASK_EVERY_MS = 1000

/** Memory of one thread's figures: work times and collections. */
export interface BusyCells {
  readonly busyTimes: SharedArrayBuffer
  readonly collections: SharedArrayBuffer
}

/** Main's side, read for metrics and benches. */
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

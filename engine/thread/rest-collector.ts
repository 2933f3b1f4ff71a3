import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

// V8 releases memory when a thread idles in its event loop. A thread that sleeps on a ring never
// returns to its loop, so it would keep the garbage of its start or of its busiest minute. Main
// returns, but V8 may take minutes to start; a collection makes it start within ten seconds. So
// each of these threads collects once per idle period, while no order waits for it.

// Threads started from now on have `gc`. Main is older, so it gets it from a new context.
setFlagsFromString('--expose-gc')

/** Consecutive waits without work. Each takes at most a second. */
const EMPTY_WAITS = 8
/** A collection takes several milliseconds, so it is skipped after little work. */
const GROWTH_BYTES = 4 << 20

export interface Heap {
  usedBytes(): number
  collect(): void
}

const OWN_HEAP: Heap = {
  usedBytes: () => getHeapStatistics().used_heap_size,
  collect() {
    const gc: () => void = globalThis.gc ?? runInNewContext('gc')
    gc()
  },
}

export class RestCollector {
  readonly #growthBytes: number
  readonly #heap: Heap
  #emptyWaits = 0
  #usedBytes = 0

  constructor(growthBytes = GROWTH_BYTES, heap = OWN_HEAP) {
    this.#growthBytes = growthBytes
    this.#heap = heap
  }

  /** Call it after each wait for work. Returns true if it collected. */
  waited(hasWork: boolean): boolean {
    this.#emptyWaits = hasWork ? 0 : this.#emptyWaits + 1
    if (this.#emptyWaits !== EMPTY_WAITS) return false
    if (this.#heap.usedBytes() < this.#usedBytes + this.#growthBytes) return false
    this.#heap.collect()
    this.#usedBytes = this.#heap.usedBytes()
    return true
  }
}

import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

// V8 gives memory back when a thread rests in its event loop, but a thread that sleeps on a ring
// never comes back to its loop: it would keep the garbage of its start, or of its busiest minute,
// for ever. Main comes back, but V8 may take minutes to begin; a collection makes it begin within
// ten seconds. So each of them collects once in a rest, when no order waits for it.

// It gives `gc` to the threads that start from now on. Main is older, and asks a new context.
setFlagsFromString('--expose-gc')

/** Waits without work in a row. Each takes a second at the most. */
const EMPTY_WAITS = 8
/** A collection takes some milliseconds, so a rest after little work gets none. */
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

  /** Call it after each wait for work. Gives true when it collected. */
  waited(hasWork: boolean): boolean {
    this.#emptyWaits = hasWork ? 0 : this.#emptyWaits + 1
    if (this.#emptyWaits !== EMPTY_WAITS) return false
    if (this.#heap.usedBytes() < this.#usedBytes + this.#growthBytes) return false
    this.#heap.collect()
    this.#usedBytes = this.#heap.usedBytes()
    return true
  }
}

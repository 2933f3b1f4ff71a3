// Virtual time: what happens in a simulation, in the order of its times. Nothing takes time by
// itself, so a run is a function of its seed.

interface Event {
  readonly atMs: number
  /** Of two events at one time, the one that was added first comes first. */
  readonly order: number
  /** Null once it was cancelled. */
  run: (() => void) | null
}

export class EventQueue {
  /** A binary heap: the children of `i` are `2i + 1` and `2i + 2`. */
  readonly #heap: Event[] = []
  #added = 0
  #nowMs = 0

  /** Milliseconds since the start of the simulation. */
  get nowMs(): number {
    return this.#nowMs
  }

  /** Calls `run` after a time, unless the returned function cancels it. */
  after(delayMs: number, run: () => void): () => void {
    const event: Event = { atMs: this.#nowMs + delayMs, order: this.#added++, run }
    this.#rise(event)
    return () => {
      event.run = null
    }
  }

  /** Runs the next event. False if there is none. */
  step(): boolean {
    for (;;) {
      const event = this.#heap.at(0)
      if (event === undefined) return false
      const last = this.#heap.pop()
      if (last !== undefined && last !== event) this.#sink(last)
      if (event.run === null) continue
      this.#nowMs = event.atMs
      event.run()
      return true
    }
  }

  #rise(event: Event): void {
    const heap = this.#heap
    let at = heap.length
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (isBefore(heap[parent], event)) break
      heap[at] = heap[parent]
      at = parent
    }
    heap[at] = event
  }

  /** Puts an event at the top, which is free, and restores the order. */
  #sink(event: Event): void {
    const heap = this.#heap
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && isBefore(heap[child + 1], heap[child])) child++
      if (isBefore(event, heap[child])) break
      heap[at] = heap[child]
      at = child
    }
    heap[at] = event
  }
}

function isBefore(one: Event, other: Event): boolean {
  return one.atMs < other.atMs || (one.atMs === other.atMs && one.order < other.order)
}

import { BusyClock } from '../../engine/thread/busy-times.ts'
import { Distribution, MICROS } from '../../engine/thread/distribution.ts'
import type { FollowerThreadData } from './follower-thread.ts'
import type { Pace } from './tables/pace.ts'

// How the follower divides its work. Orders come first: main, the journal and the markets want the
// same processors. So while the follower is near the end of the journal it works in short slices,
// and sleeps a moment after each. A thread that sleeps often also gets a processor soon after it
// wakes. Far behind, at a start, and while a read waits for the tables it does not sleep. A slice
// may end within a batch and within the transaction of its chunk; main is heard after the chunk.

/**
 * Far below the half millisecond that a stretch may take. The kernel may take the processor away
 * in a slice, for some milliseconds; in shorter slices that is rarer.
 */
const SLICE_MS = 0.1
/** With what the kernel adds it is 0.08 ms. A private read waits for these pauses too. */
const PAUSE_MS = 0.01
/** Commands that take about a second. Further behind, pauses would only make it later. */
const NEAR_COMMANDS = 16_384
/** A look at the clock for each of so many looks. */
const LOOKS = 2

export class SlicedPace implements Pace {
  readonly #clock: BusyClock
  readonly #commitMicros: Distribution
  readonly #pause = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  readonly #waiting: Int32Array
  readonly #progress: Int32Array
  #isSliced = false
  #looks = 0
  #endMs = 0

  constructor({
    busyTimes,
    commits,
    waiting,
    progress,
  }: Omit<FollowerThreadData, 'folder' | 'seq'>) {
    this.#waiting = new Int32Array(waiting)
    this.#progress = new Int32Array(progress)
    this.#clock = new BusyClock(busyTimes)
    this.#commitMicros = new Distribution(MICROS, commits)
  }

  /** Work begins, with so many commands to go. */
  begin(behindCount: number): void {
    this.#isSliced = behindCount <= NEAR_COMMANDS
    this.#startSlice()
  }

  end(): void {
    this.#clock.end()
  }

  look(): void {
    Atomics.add(this.#progress, 0, 1)
    if (!this.#isSliced || ++this.#looks % LOOKS !== 0) return
    if (performance.now() < this.#endMs) return
    this.#clock.end()
    if (Atomics.load(this.#waiting, 0) === 0) Atomics.wait(this.#pause, 0, 0, PAUSE_MS)
    this.#startSlice()
  }

  commit(work: () => void): void {
    this.#clock.end()
    const startedMs = performance.now()
    work()
    Atomics.add(this.#progress, 0, 1)
    this.#commitMicros.record((performance.now() - startedMs) * 1000)
    this.#startSlice()
  }

  #startSlice(): void {
    this.#clock.begin()
    this.#endMs = performance.now() + SLICE_MS
  }
}

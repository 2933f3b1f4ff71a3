import { BusyClock } from '../../engine/thread/busy-times.ts'
import { Distribution, MICROS } from '../../engine/thread/distribution.ts'
import type { FollowerThreadData } from './follower-thread.ts'
import type { Pace } from './tables/pace.ts'

// Divides the follower's work. Orders have priority: main, the journal and the markets need the
// same processors. So while the follower is near the end of the journal, it works in short slices
// and sleeps briefly after each. A thread that sleeps often also gets a processor soon after it
// wakes. The follower does not sleep if it is far behind, at a start, or while a read waits for the
// tables. A slice may end within a batch and within its chunk's transaction; messages of main are
// received after the chunk.

/**
 * Far below the target of half a millisecond of uninterrupted work. The kernel may take the
 * processor away during a slice for several milliseconds; shorter slices make that rarer.
 */
const SLICE_MS = 0.1
/** With the kernel's overhead it takes 0.08 ms. Private reads wait for these pauses too. */
const PAUSE_MS = 0.01
/** Commands that take about a second. Further behind, pauses would only increase the lag. */
const NEAR_COMMANDS = 16_384
/** Calls of `look` per clock read. */
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
  }: Pick<FollowerThreadData, 'busyTimes' | 'commits' | 'waiting' | 'progress'>) {
    this.#waiting = new Int32Array(waiting)
    this.#progress = new Int32Array(progress)
    this.#clock = new BusyClock(busyTimes)
    this.#commitMicros = new Distribution(MICROS, commits)
  }

  /** Starts the work, with this many commands to go. */
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

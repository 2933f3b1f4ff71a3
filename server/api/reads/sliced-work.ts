// Long work of main for callers, done in slices: a few milliseconds in each turn of the event loop,
// and the rest in the next turn, so that orders come between. All work shares one slice, so many
// callers at once make a turn no longer than one of them does. The time is shared out like that of
// the query thread: by address or partner, then by profile. Work that is short, and comes while
// nothing else waits, is done at once.

import { FairQueue, type Share } from '../../../engine/thread/fair-queue.ts'

/** For whom the work is. */
export interface WorkFor {
  readonly share: Share
  /** True when the caller hung up: the work is dropped. */
  readonly isGone?: () => boolean
  /** Gets the time that a part of the work took. */
  readonly onTook?: ((ms: number) => void) | undefined
}

interface SliceOptions {
  readonly clock?: () => number
  /** Runs a function in the next turn of the event loop. */
  readonly later?: (run: () => void) => void
  readonly sliceMs: number
  /** Work that waits. Above it the newest of the largest group makes way. */
  readonly jobsMax: number
}

/** A step of a list is one of its items. */
export type Steps<T> = Iterator<void, T, void>

interface Job extends WorkFor {
  /** Does one step; true when that was the last one. */
  readonly step: () => boolean
  readonly giveUp: () => void
}

/** One job keeps main for this part of a slice before another one has its turn. */
const PARTS = 4

export class SlicedWork {
  readonly #clock: () => number
  readonly #later: (run: () => void) => void
  readonly #sliceMs: number
  readonly #jobsMax: number
  readonly #jobs = new FairQueue<Job>(({ share }) => share)
  /** What this turn of the loop has spent. */
  #spentMs = 0
  #isDue = false

  constructor({ clock, later, sliceMs, jobsMax }: SliceOptions) {
    this.#clock = clock ?? (() => performance.now())
    this.#later = later ?? ((run) => setImmediate(run))
    this.#sliceMs = sliceMs
    this.#jobsMax = jobsMax
  }

  get waiting(): number {
    return this.#jobs.count
  }

  /** Gives what the last step returns; null when the caller is gone or too much work waits. */
  run<T>(by: WorkFor, steps: Steps<T>): Promise<T | null> {
    if (this.#jobs.count >= this.#jobsMax) {
      const other = this.#jobs.giveWayTo(by.share)
      if (other === undefined) return Promise.resolve(null)
      this.#jobs.drop(other)
      other.giveUp()
    }
    return new Promise((resolve, reject) => {
      const step = () => {
        try {
          const step = steps.next()
          if (step.done === true) resolve(step.value)
          return step.done === true
        } catch (error) {
          reject(error)
          return true
        }
      }
      this.#jobs.put({ ...by, step, giveUp: () => resolve(null) })
      this.#work()
    })
  }

  /** Work of a single step, which is done in a turn that has time for it. */
  once<T>(by: WorkFor, make: () => T): Promise<T | null> {
    return this.run(by, inOneStep(make))
  }

  #work(): void {
    while (this.#spentMs < this.#sliceMs) {
      const job = this.#jobs.next()
      if (job === undefined) break
      const fromMs = this.#clock()
      const isOver = this.#part(job, fromMs)
      const tookMs = this.#clock() - fromMs
      this.#spentMs += tookMs
      this.#jobs.done(job, tookMs)
      job.onTook?.(tookMs)
      if (!isOver) this.#jobs.put(job)
    }
    if (this.#isDue || (this.#spentMs === 0 && this.#jobs.count === 0)) return
    this.#isDue = true
    this.#later(() => {
      this.#isDue = false
      this.#spentMs = 0
      this.#work()
    })
  }

  /** True when nothing is left of the job. */
  #part(job: Job, fromMs: number): boolean {
    const leftMs = this.#sliceMs - this.#spentMs
    const untilMs = fromMs + Math.min(leftMs, this.#sliceMs / PARTS)
    do {
      if (job.isGone?.() === true) {
        job.giveUp()
        return true
      }
      if (job.step()) return true
    } while (this.#clock() < untilMs)
    return false
  }
}

/** The same steps; the last of them gives this value. */
export function* endingIn<T>(steps: Iterable<void>, value: T): Generator<void, T, void> {
  yield* steps
  return value
}

function inOneStep<T>(make: () => T): Steps<T> {
  return { next: () => ({ done: true, value: make() }) }
}

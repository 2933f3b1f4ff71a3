// Long work of main for callers, done in slices: a few milliseconds per event-loop tick, and the
// rest in later ticks, so that orders are handled in between. All work shares one slice, so many
// callers at once do not make a tick longer than one caller does. The time is divided like that of
// the query thread: by address or partner, then by profile. Short work that arrives while nothing
// else waits is done at once.

import { FairQueue, type Share } from '../../../engine/thread/fair-queue.ts'

/** The caller that the work is for. */
export interface WorkFor {
  readonly share: Share
  /** True when the caller disconnected: the work is dropped. */
  readonly isGone?: () => boolean
  /** Receives the duration of a part of the work. */
  readonly onTook?: ((ms: number) => void) | undefined
}

interface SliceOptions {
  readonly clock?: () => number
  /** Runs a function in the next event-loop tick. */
  readonly later?: (run: () => void) => void
  readonly sliceMs: number
  /** Maximum waiting jobs. Beyond it, the newest job of the largest group is dropped. */
  readonly jobsMax: number
}

/** For a list, each item is a step. */
export type Steps<T> = Iterator<void, T, void>

interface Job extends WorkFor {
  /** Runs one step; true when it was the last one. */
  readonly step: () => boolean
  readonly giveUp: () => void
}

/** One job runs for this fraction of a slice before the next one. */
const PARTS = 4

export class SlicedWork {
  readonly #clock: () => number
  readonly #later: (run: () => void) => void
  readonly #sliceMs: number
  readonly #jobsMax: number
  readonly #jobs = new FairQueue<Job>(({ share }) => share)
  /** Time spent in this event-loop tick. */
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

  /** Returns the result of the last step; null when the caller is gone or too much work waits. */
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

  /** Work of a single step, done in an event-loop tick that has time for it. */
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

  /** True when the job is finished. */
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

/** The same steps; the last one returns this value. */
export function* endingIn<T>(steps: Iterable<void>, value: T): Generator<void, T, void> {
  yield* steps
  return value
}

function inOneStep<T>(make: () => T): Steps<T> {
  return { next: () => ({ done: true, value: make() }) }
}

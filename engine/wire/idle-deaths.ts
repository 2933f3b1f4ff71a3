import { LIMITS } from '../domain/limits.ts'

const MINUTE_MS = 60_000

/**
 * Deaths of threads that had no input to blame for it. A few are made good by another thread; more
 * than that within a minute is no accident.
 */
export class IdleDeaths {
  #atMs: number[] = []

  /** Counts one more; true when they are too many. `nowMs` is monotonic. */
  tooMany(nowMs: number): boolean {
    this.#atMs = this.#atMs.filter((atMs) => nowMs - atMs < MINUTE_MS)
    this.#atMs.push(nowMs)
    return this.#atMs.length > LIMITS.idleDeathsPerMinuteMax
  }
}

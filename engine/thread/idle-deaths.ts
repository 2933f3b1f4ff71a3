import { LIMITS } from '../domain/limits.ts'

const MINUTE_MS = 60_000

/**
 * Deaths of threads without an input to blame. Another thread replaces each of a few. More than a
 * few within a minute are no accident.
 */
export class IdleDeaths {
  #atMs: number[] = []

  /** Counts one more death. True when there are too many. `nowMs` is monotonic. */
  tooMany(nowMs: number): boolean {
    this.#atMs = this.#atMs.filter((atMs) => nowMs - atMs < MINUTE_MS)
    this.#atMs.push(nowMs)
    return this.#atMs.length > LIMITS.idleDeathsPerMinuteMax
  }
}

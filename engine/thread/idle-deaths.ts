import { LIMITS } from '../domain/limits.ts'

const MINUTE_MS = 60_000

/**
 * Counts thread deaths that no input explains. A few threads are replaced; more than a few deaths
 * within a minute are not an accident.
 */
export class IdleDeaths {
  #atMs: number[] = []

  /** Counts one more death. Returns true if there are too many. `nowMs` is monotonic. */
  tooMany(nowMs: number): boolean {
    this.#atMs = this.#atMs.filter((atMs) => nowMs - atMs < MINUTE_MS)
    this.#atMs.push(nowMs)
    return this.#atMs.length > LIMITS.idleDeathsPerMinuteMax
  }
}

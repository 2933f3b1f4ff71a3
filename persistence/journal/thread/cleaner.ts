import type { Segment } from '../segments/segment-folder.ts'
import type { SqliteJournalWriter } from '../sqlite-journal.ts'
import { SLEEP_MS } from './journal-thread.ts'

/**
 * Between two slices. A slice takes less time than a commit, and removes as many bytes as are
 * sealed meanwhile.
 */
export const CLEAN_EACH_MS = 20

/** Lets rows that are in segments leave the journal, between its commits. */
export class Cleaner {
  readonly #journal: SqliteJournalWriter
  #isDue = true
  #nextMs = 0

  constructor(journal: SqliteJournalWriter) {
    this.#journal = journal
  }

  addSegment(segment: Segment): void {
    this.#journal.addSegment(segment)
    this.#isDue = true
  }

  /** How long the thread may sleep when no command arrives. */
  get sleepMs(): number {
    return this.#isDue ? CLEAN_EACH_MS : SLEEP_MS
  }

  /** Call it when no command waits. */
  step(): void {
    if (!this.#isDue || performance.now() < this.#nextMs) return
    this.#isDue = this.#journal.clean()
    this.#nextMs = performance.now() + CLEAN_EACH_MS
  }
}

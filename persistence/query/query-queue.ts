// Queries that wait for the query thread. A query that an order waits for goes first. Prompt
// queries follow, such as those of a login: each reads one row by key, and none waits for other
// reads. All others share the thread's time fairly, by groups of callers and then by profiles.

import { FairQueue, type Share } from '../../engine/thread/fair-queue.ts'

/** The group of the exchange's own reads. */
export const OWN_GROUP = 'exchange'

/** The requester, the deadline, and whether the caller still needs the answer. */
export interface QuerySlice extends Share {
  /** The address or partner among which reads are fair first; the exchange itself is one too. */
  readonly group: string
  /** The requesting profile; 0 = the exchange itself. */
  readonly owner: number
  /** The deadline on the `performance.now()` clock. */
  readonly untilMs: number
  /** Runs before all queries that are not urgent. */
  readonly isPrompt?: boolean | undefined
  /** True after the caller disconnected. */
  readonly isGone?: (() => boolean) | undefined
  /** Receives the thread's time for the query. */
  readonly onTook?: ((ms: number) => void) | undefined
}

export class QuestionQueue<T extends { readonly slice: QuerySlice }> {
  readonly #urgent: T[] = []
  readonly #prompt = new FairQueue<T>(({ slice }) => slice)
  readonly #others = new FairQueue<T>(({ slice }) => slice)

  /** Number of queries that are neither urgent nor prompt. */
  get count(): number {
    return this.#others.count
  }

  get promptCount(): number {
    return this.#prompt.count
  }

  get urgentCount(): number {
    return this.#urgent.length
  }

  put(question: T): void {
    this.#queueOf(question).put(question)
  }

  putUrgent(question: T): void {
    this.#urgent.push(question)
  }

  /** Puts a query first, because it ran already but was not answered. */
  putFirst(question: T): void {
    this.#urgent.unshift(question)
  }

  /** Takes the next query. The caller reports its cost to `done`. */
  next(): T | undefined {
    return this.#urgent.shift() ?? this.#prompt.next() ?? this.#others.next()
  }

  /** The thread's time for a query. */
  done(question: T, tookMs: number): void {
    this.#queueOf(question).done(question, tookMs)
  }

  /** Removes a query that no caller waits for. */
  drop(question: T): void {
    const at = this.#urgent.indexOf(question)
    if (at >= 0) this.#urgent.splice(at, 1)
    else this.#queueOf(question).drop(question)
  }

  /** The query to drop for a new one of this share when the queue is full. */
  giveWayTo(share: Share): T | undefined {
    return this.#others.giveWayTo(share)
  }

  #queueOf({ slice }: T): FairQueue<T> {
    return slice.isPrompt === true ? this.#prompt : this.#others
  }
}

// Questions that wait for the query thread. A question that an order waits for goes first. Then
// come prompt questions, like those of a login: each is one row by its key, and none waits behind
// reads. All others share the time of the thread, by groups of callers and then by profiles.

import { FairQueue, type Share } from '../../engine/thread/fair-queue.ts'

/** The group of the reads of the exchange itself. */
export const OWN_GROUP = 'exchange'

/** Who asks, until when, and whether the caller still wants the answer. */
export interface QuerySlice extends Share {
  /** The address or the partner by which reads are fair first; the exchange itself is one too. */
  readonly group: string
  /** The profile that asks; 0 for the exchange itself. */
  readonly owner: number
  /** The deadline, by `performance.now()`. */
  readonly untilMs: number
  /** The question goes before all that are not urgent. */
  readonly isPrompt?: boolean | undefined
  /** True when the caller hung up. */
  readonly isGone?: (() => boolean) | undefined
  /** Gets the time that the question took of the thread. */
  readonly onTook?: ((ms: number) => void) | undefined
}

export class QuestionQueue<T extends { readonly slice: QuerySlice }> {
  readonly #urgent: T[] = []
  readonly #prompt = new FairQueue<T>(({ slice }) => slice)
  readonly #others = new FairQueue<T>(({ slice }) => slice)

  /** Counts the questions that are neither urgent nor prompt. */
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

  /** Puts a question before all others: it had its turn and was not answered. */
  putFirst(question: T): void {
    this.#urgent.unshift(question)
  }

  /** Takes the next question. `done` follows, with what it cost. */
  next(): T | undefined {
    return this.#urgent.shift() ?? this.#prompt.next() ?? this.#others.next()
  }

  /** The time that a question took of the thread. */
  done(question: T, tookMs: number): void {
    this.#queueOf(question).done(question, tookMs)
  }

  /** Removes a question that no caller waits for any more. */
  drop(question: T): void {
    const at = this.#urgent.indexOf(question)
    if (at >= 0) this.#urgent.splice(at, 1)
    else this.#queueOf(question).drop(question)
  }

  /** The question that makes way for one more of this share when the queue is full. */
  giveWayTo(share: Share): T | undefined {
    return this.#others.giveWayTo(share)
  }

  #queueOf({ slice }: T): FairQueue<T> {
    return slice.isPrompt === true ? this.#prompt : this.#others
  }
}

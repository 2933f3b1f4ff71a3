// Questions that wait for the query thread, in a line for each owner. Lines take turns, so a
// thousand questions of one caller cost another caller no more than one. A question that an order
// waits for goes first. Invariants: no line is empty, and each line has one turn to come.

/** Who asks, until when, and whether the caller still wants the answer. */
export interface Turn {
  /** The profile that asks; 0 for the exchange itself. */
  readonly owner: number
  /** The deadline, by `performance.now()`. */
  readonly untilMs: number
  /** True when the caller hung up. */
  readonly isGone?: (() => boolean) | undefined
}

export class QuestionQueue<T extends { readonly turn: Turn }> {
  readonly #lines = new Map<number, T[]>()
  /** The owners of lines; the next turn comes first. */
  #turns: number[] = []
  readonly #urgent: T[] = []
  #count = 0

  /** Counts the questions in lines, without the urgent ones. */
  get count(): number {
    return this.#count
  }

  get urgentCount(): number {
    return this.#urgent.length
  }

  put(question: T): void {
    const { owner } = question.turn
    const line = this.#lines.get(owner)
    if (line === undefined) {
      this.#lines.set(owner, [question])
      this.#turns.push(owner)
    } else line.push(question)
    this.#count++
  }

  putUrgent(question: T): void {
    this.#urgent.push(question)
  }

  /** Puts a question before all others: it had its turn and was not answered. */
  putFirst(question: T): void {
    this.#urgent.unshift(question)
  }

  next(): T | undefined {
    const urgent = this.#urgent.shift()
    if (urgent !== undefined) return urgent
    const owner = this.#turns.shift()
    if (owner === undefined) return undefined
    const line = this.#lines.get(owner) ?? []
    const question = line.shift()
    if (question !== undefined) this.#count--
    if (line.length === 0) this.#lines.delete(owner)
    else this.#turns.push(owner)
    return question
  }

  /** Removes a question that no caller waits for any more. */
  drop(question: T): void {
    const at = this.#urgent.indexOf(question)
    if (at >= 0) this.#urgent.splice(at, 1)
    const { owner } = question.turn
    const line = this.#lines.get(owner) ?? []
    const place = line.indexOf(question)
    if (place < 0) return
    line.splice(place, 1)
    this.#count--
    if (line.length > 0) return
    this.#lines.delete(owner)
    this.#turns = this.#turns.filter((each) => each !== owner)
  }

  /**
   * Gives the question that makes room for one more of `owner` when the queue is full: the newest
   * of the longest line. Gives undefined unless that line is longer than the owner's line would be.
   */
  giveWayTo(owner: number): T | undefined {
    let longest: readonly T[] = []
    for (const line of this.#lines.values()) if (line.length > longest.length) longest = line
    const own = this.#lines.get(owner)?.length ?? 0
    return longest.length > own + 1 ? longest.at(-1) : undefined
  }
}

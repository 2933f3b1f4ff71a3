// Questions that wait for the query thread, in a line for each that asks. Lines take turns, so that
// one caller's thousand questions cost another caller no more than one of them. What the way of an
// order waits for goes first. Invariants: a line that is empty is no more, and each other line has
// one turn to come.

/** Who asks, when it is too late for an answer, and whether anybody still wants it. */
export interface Turn {
  /** The profile that asks; 0 for the exchange itself. */
  readonly owner: number
  /** By `performance.now()`. */
  readonly untilMs: number
  /** The caller hung up. */
  readonly isGone?: (() => boolean) | undefined
}

export class QuestionQueue<T extends { readonly turn: Turn }> {
  readonly #lines = new Map<number, T[]>()
  /** Owners of lines, whose turn is next first. */
  #turns: number[] = []
  readonly #urgent: T[] = []
  #count = 0

  /** All that wait in lines; the urgent ones are not among them. */
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

  /** Before all others: it had its turn and was not answered. */
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

  /** Takes one out that nobody waits for any more. */
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
   * The question that gives way to one more of `owner` when the queue is full: the newest of the
   * longest line. None while that line is not longer than the owner's own would be.
   */
  giveWayTo(owner: number): T | undefined {
    let longest: readonly T[] = []
    for (const line of this.#lines.values()) if (line.length > longest.length) longest = line
    const own = this.#lines.get(owner)?.length ?? 0
    return longest.length > own + 1 ? longest.at(-1) : undefined
  }
}

/** The most recently used answers by key, up to a limit. */
export class Recent<Answer> {
  readonly #countMax: number
  readonly #answers = new Map<string, Answer>()

  constructor(countMax: number) {
    this.#countMax = countMax
  }

  get count(): number {
    return this.#answers.size
  }

  get(key: string): Answer | undefined {
    const answer = this.#answers.get(key)
    if (answer !== undefined) this.put(key, answer)
    return answer
  }

  put(key: string, answer: Answer): void {
    this.#answers.delete(key)
    this.#answers.set(key, answer)
    if (this.#answers.size <= this.#countMax) return
    const oldest = this.#answers.keys().next()
    if (oldest.done !== true) this.#answers.delete(oldest.value)
  }

  clear(): void {
    this.#answers.clear()
  }
}

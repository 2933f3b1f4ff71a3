// Reads something again when it may have changed: one read at a time, with a pause after each, and
// one more when one was wanted meanwhile.

export class Refresher {
  readonly #read: (signal: AbortSignal) => Promise<void>
  readonly #pauseMs: number
  readonly #end = new AbortController()
  #isBusy = false
  #isDue = false

  /** `read` handles its own failures. */
  constructor(read: (signal: AbortSignal) => Promise<void>, pauseMs: number) {
    this.#read = read
    this.#pauseMs = pauseMs
  }

  refresh(): void {
    this.#isDue = true
    if (!this.#isBusy) void this.#run()
  }

  /** Ends the read under way; nothing is read after that. */
  stop(): void {
    this.#end.abort()
  }

  async #run(): Promise<void> {
    const { signal } = this.#end
    this.#isBusy = true
    while (this.#isDue && !signal.aborted) {
      this.#isDue = false
      await this.#read(signal)
      await new Promise((resolve) => setTimeout(resolve, this.#pauseMs))
    }
    this.#isBusy = false
  }
}

// Search as one types: it waits for a pause, ends the call before, and never shows an older answer
// after a newer one. It knows neither the page nor the exchange.

const PAUSE_MS = 150

export interface SearchParts<T> {
  search(query: string, signal: AbortSignal): Promise<T>
  /** Null when nothing is searched for. */
  show(found: T | null): void
  fail(error: unknown): void
  /** Calls after so long; gives the way to take it back. */
  later(work: () => void, ms: number): () => void
}

export class LiveSearch<T> {
  readonly #parts: SearchParts<T>
  #query = ''
  #running: AbortController | null = null
  #takeBack: () => void = () => {}

  constructor(parts: SearchParts<T>) {
    this.#parts = parts
  }

  type(text: string): void {
    const query = text.trim()
    if (query === this.#query) return
    this.#query = query
    this.#end()
    if (query === '') this.#parts.show(null)
    else this.#takeBack = this.#parts.later(() => void this.#search(query), PAUSE_MS)
  }

  stop(): void {
    this.#query = ''
    this.#end()
  }

  #end(): void {
    this.#takeBack()
    this.#running?.abort()
    this.#running = null
  }

  async #search(query: string): Promise<void> {
    const running = new AbortController()
    this.#running = running
    try {
      const found = await this.#parts.search(query, running.signal)
      if (this.#running === running) this.#parts.show(found)
    } catch (error) {
      if (this.#running === running) this.#parts.fail(error)
    }
  }
}

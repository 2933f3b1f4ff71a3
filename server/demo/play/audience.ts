// Who looks at a demo. Without anybody its bots act less often, so that its folder grows slowly.

const LOOK_MS = 500
/** After this time without a call of somebody else, nobody looks. */
const AWAY_MS = 60_000

/** A demo is whole by then, or never will be. */
const FILLING_MS = 15 * 60_000

/** Signs that somebody uses the exchange. */
export interface Visits {
  /** Calls of others since the start, without those of monitoring. */
  readonly calls: number
  /** Open sockets. */
  readonly sockets: number
}

export class Audience {
  readonly #visits: () => Visits
  readonly #nowMs: () => number
  readonly #timer: NodeJS.Timeout
  /** Ends the pauses that are under way. */
  readonly #wakes = new Set<() => void>()
  readonly #startMs: number
  #isWhole = false
  #calls = 0
  #seenMs: number

  constructor(visits: () => Visits, nowMs: () => number = () => performance.now()) {
    this.#visits = visits
    this.#nowMs = nowMs
    this.#startMs = nowMs()
    this.#seenMs = this.#startMs
    this.#timer = setInterval(() => this.look(), LOOK_MS).unref()
  }

  /** True until the demo is whole: whoever started it waits for that. */
  get isThere(): boolean {
    const nowMs = this.#nowMs()
    const isFilled = this.#isWhole || nowMs - this.#startMs > FILLING_MS
    return !isFilled || nowMs - this.#seenMs < AWAY_MS
  }

  /** Everything that a demo has is there. */
  whole(): void {
    this.#isWhole = true
  }

  /** Bots that wait go on when somebody comes. */
  look(): void {
    const { calls, sockets } = this.#visits()
    if (calls === this.#calls && sockets === 0) return
    const wasThere = this.isThere
    this.#calls = calls
    this.#seenMs = this.#nowMs()
    if (!wasThere) for (const wake of [...this.#wakes]) wake()
  }

  /** Calls `run` after the pause of a bot, or when somebody comes; the result cancels it. */
  after(pauseMs: number, run: () => void): () => void {
    const cancel = () => {
      clearTimeout(timer)
      this.#wakes.delete(go)
    }
    const go = () => {
      cancel()
      run()
    }
    const timer = setTimeout(go, pauseMs)
    this.#wakes.add(go)
    return cancel
  }

  stop(): void {
    clearInterval(this.#timer)
  }
}

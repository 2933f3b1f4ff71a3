// Sends the frames of sockets in time slices, so other calls wait only briefly, however many
// sockets listen to one account. Invariant: senders are served in slices of equal length.

/** A source of frames. */
export interface Sender {
  /** Works no longer than `untilMs`; true when it could continue at once. */
  work(untilMs: number): boolean
}

/** Main thread time for all senders before other work, and for the slice of one sender. */
const SLICE_MS = 2
const TICK_MS = 1
/** Polling intervals of senders that wait. */
const BUDGET_MS = 5
const THREADS_MS = 1

/** Wakes senders together after a while. */
class Delay {
  readonly #ms: number
  readonly #pump: Pump
  readonly #senders = new Set<Sender>()
  #timer: NodeJS.Timeout | null = null

  constructor(ms: number, pump: Pump) {
    this.#ms = ms
    this.#pump = pump
  }

  add(sender: Sender): void {
    this.#senders.add(sender)
    this.#timer ??= setTimeout(() => {
      this.#timer = null
      for (const each of this.#senders) this.#pump.wake(each)
      this.#senders.clear()
    }, this.#ms).unref()
  }
}

export class Pump {
  readonly #waiting = new Set<Sender>()
  /** Senders that have done all that one event-loop tick allows. */
  readonly #later = new Set<Sender>()
  readonly #forBudget = new Delay(BUDGET_MS, this)
  readonly #forThreads = new Delay(THREADS_MS, this)
  #isDue = false
  /** Rises with each event-loop tick in which frames are sent. */
  tick = 0

  /** Schedules a slice for the sender; two requests before it give one slice. */
  wake(sender: Sender): void {
    this.#waiting.add(sender)
    this.#plan()
  }

  /** Schedules a slice for the sender in the next event-loop tick, and not before. */
  wakeLater(sender: Sender): void {
    this.#later.add(sender)
    this.#plan()
  }

  /** Schedules a slice for a sender that waits for its budget. */
  wakeForBudget(sender: Sender): void {
    this.#forBudget.add(sender)
  }

  /** Schedules a slice for a sender that waits for edge threads. */
  wakeForThreads(sender: Sender): void {
    this.#forThreads.add(sender)
  }

  #plan(): void {
    if (this.#isDue) return
    this.#isDue = true
    setImmediate(() => this.#slice())
  }

  #slice(): void {
    this.#isDue = false
    this.tick++
    for (const sender of this.#later) this.#waiting.add(sender)
    this.#later.clear()
    const untilMs = performance.now() + SLICE_MS
    for (const sender of this.#waiting) {
      this.#waiting.delete(sender)
      const nowMs = performance.now()
      const isMore = sender.work(Math.min(untilMs, nowMs + TICK_MS))
      if (isMore) this.wake(sender)
      if (performance.now() >= untilMs) break
    }
    const [next] = this.#waiting
    if (next !== undefined) this.wake(next)
  }
}

// Sends what sockets hear a slice at a time, so that however many listen to one account, whoever
// else calls waits a moment only. Invariant: who waits is served in turns, each as long as others'.

/** What has frames to send. */
export interface Sender {
  /** Works until then at the most; true when it could go on at once. */
  work(untilMs: number): boolean
}

/** Of main, before other work comes first. */
const SLICE_MS = 2
const TURN_MS = 1

export class Pump {
  readonly #waiting = new Set<Sender>()
  #isDue = false

  /** Its next turn is due; asked for twice it comes once. */
  wake(sender: Sender): void {
    this.#waiting.add(sender)
    if (this.#isDue) return
    this.#isDue = true
    setImmediate(() => this.#slice())
  }

  #slice(): void {
    this.#isDue = false
    const untilMs = performance.now() + SLICE_MS
    for (const sender of this.#waiting) {
      this.#waiting.delete(sender)
      const nowMs = performance.now()
      const isMore = sender.work(Math.min(untilMs, nowMs + TURN_MS))
      if (isMore) this.wake(sender)
      if (performance.now() >= untilMs) break
    }
    const [next] = this.#waiting
    if (next !== undefined) this.wake(next)
  }
}

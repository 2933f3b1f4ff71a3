// When the library has parsed what it read. It closes a connection that brings a request before the
// reply to the last one. So a call that waits for this moment learns whether bytes that came with
// it have ended its connection: then nothing is done for it. Calls that only read do not wait,
// because their clients can send them again.

import { setImmediate as nextTick } from 'node:timers/promises'

export class ParseEnd {
  #due: Promise<void> | null = null

  /** Resolves once for all calls of this iteration of the event loop, when its reads are over. */
  next(): Promise<void> {
    this.#due ??= nextTick().then(() => {
      this.#due = null
    })
    return this.#due
  }
}

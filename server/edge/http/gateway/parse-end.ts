// Resolves when the library has parsed what it read. The library closes a connection that sends a
// request before the reply to the previous one. So a call that waits here learns whether the bytes
// that arrived with it have ended its connection; nothing is done for it then. Calls that only read
// do not wait, because their clients can retry them.

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

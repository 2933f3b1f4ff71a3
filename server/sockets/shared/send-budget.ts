// How many frames all books together may write in a second. Each reader of a book costs main one
// write, and orders wait for main. So a book with many readers makes fewer frames, of which each
// has the newest levels, and orders keep their latency.

import { assert } from '../../../engine/domain/assert.ts'

const MS_PER_SEC = 1000
/** Writes that may come early: those of so many milliseconds. */
const BURST_MS = 20

export class SendBudget {
  readonly #perMs: number
  /** When all that was written is paid for. */
  #paidMs = Number.NEGATIVE_INFINITY

  constructor(perSecond: number) {
    assert(perSecond > 0, 'a budget lets something through')
    this.#perMs = perSecond / MS_PER_SEC
  }

  /** Whether a frame may be written now, to however many readers. */
  hasRoom(nowMs: number): boolean {
    return nowMs >= this.#paidMs - BURST_MS
  }

  spend(readers: number, nowMs: number): void {
    this.#paidMs = Math.max(this.#paidMs, nowMs) + readers / this.#perMs
  }
}

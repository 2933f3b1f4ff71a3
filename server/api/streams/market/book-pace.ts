// Schedules the frames of books: at once for a quiet book, else `bookMs` after its previous frame,
// after every reader that keeps up has received that one, and within the budget of all books. So
// changes in between cost nothing, and only the newest book is sent. The budget is fair: a deep
// book with many readers gets fewer frames, and other books keep their rate. An unchanged book is
// sent again after `quietBookMs`, so that a client can distinguish silence from loss.

import type { Member } from '../../../edge/sockets/member.ts'
import type { Pump, Sender } from '../../../edge/sockets/pump.ts'
import { type FrameCost, NO_COST, type SendBudget } from '../../../edge/sockets/send-budget.ts'
import type { BookFrames } from './book-frames.ts'

export interface BookWaits {
  /** Minimum time between two frames of a book. */
  readonly bookMs: number
  readonly quietBookMs: number
}

export interface PaceParts {
  readonly pump: Pump
  readonly waits: BookWaits
  readonly budgets: { readonly books: SendBudget }
  readonly fail: (error: unknown, members: readonly Member[]) => void
  /** All books with readers. */
  readonly books: () => Iterable<BookFrames>
}

/** The interval at which the timer checks the waiting books. */
const LOOK_MS = 5
/** How many times per `quietBookMs` quiet books are checked. */
const QUIET_LOOKS = 10

export class BookPace implements Sender {
  readonly #parts: PaceParts
  readonly #budget: SendBudget
  readonly #due = new Set<BookFrames>()
  readonly #quiet: NodeJS.Timeout
  #timer: NodeJS.Timeout | null = null

  constructor(parts: PaceParts) {
    this.#parts = parts
    this.#budget = parts.budgets.books
    const lookMs = Math.max(1, parts.waits.quietBookMs / QUIET_LOOKS)
    this.#quiet = setInterval(() => this.#sendQuiet(), lookMs)
    this.#quiet.unref()
  }

  /** A book changed, and the change is durable. */
  changed(book: BookFrames): void {
    if (this.#due.has(book)) return
    const nowMs = performance.now()
    this.#due.add(book)
    this.#budget.request(book.share, book.cost, nowMs)
    if (this.#isDue(book, nowMs)) this.#parts.pump.wake(this)
    else this.#look()
  }

  /** The readers have the newest frame of the book. */
  idle(book: BookFrames): void {
    if (this.#due.has(book) && this.#isDue(book, performance.now())) this.#parts.pump.wake(this)
  }

  forget(book: BookFrames): void {
    this.#budget.withdraw(book.share)
    this.#due.delete(book)
  }

  stop(): void {
    clearInterval(this.#quiet)
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
  }

  work(untilMs: number): boolean {
    const nowMs = performance.now()
    for (const book of this.#due) {
      if (!this.#isDue(book, nowMs)) continue
      this.#due.delete(book)
      this.#flush(book, nowMs, false)
      if (performance.now() >= untilMs) return this.#due.size > 0
    }
    if (this.#due.size > 0) this.#look()
    return false
  }

  #isDue(book: BookFrames, nowMs: number): boolean {
    const isRested = nowMs - book.flushedMs >= this.#parts.waits.bookMs
    return book.isIdle && isRested && this.#budget.allows(book.share, nowMs)
  }

  #look(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null
      this.#parts.pump.wake(this)
    }, LOOK_MS).unref()
  }

  #sendQuiet(): void {
    const nowMs = performance.now()
    for (const book of this.#parts.books()) {
      const isQuiet = nowMs - book.flushedMs >= this.#parts.waits.quietBookMs
      if (isQuiet && book.isIdle && !book.isEmpty && !this.#due.has(book)) this.#again(book, nowMs)
    }
  }

  /** Sends a book again, if the budget allows it now. */
  #again(book: BookFrames, nowMs: number): void {
    this.#budget.request(book.share, book.cost, nowMs)
    if (this.#budget.allows(book.share, nowMs)) this.#flush(book, nowMs, true)
    else this.#budget.withdraw(book.share)
  }

  #flush(book: BookFrames, nowMs: number, isQuiet: boolean): void {
    let cost: FrameCost = NO_COST
    try {
      cost = book.flush(nowMs, isQuiet)
    } catch (error) {
      this.#parts.fail(error, book.members)
    }
    this.#budget.wrote(book.share, cost, nowMs)
  }
}

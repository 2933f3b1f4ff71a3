// Schedules the frames of books: at once for a quiet book, else `bookMs` after its previous frame,
// after every reader that keeps up has received that one, and within the budget of all books. So
// changes in between cost nothing, and only the newest book is sent. The budget is fair: a deep
// book with many readers gets fewer frames, and other books keep their rate. An unchanged book is
// sent again after `quietBookMs`, so that a client can distinguish silence from loss.

import type { TimeMs } from '../../../../engine/domain/units.ts'
import { edgePoint } from '../../../../engine/thread/fault-point.ts'
import type { Member } from '../../../edge/sockets/member.ts'
import { packetOf, packetOfText } from '../../../edge/sockets/packets.ts'
import type { Pump, Sender } from '../../../edge/sockets/pump.ts'
import {
  type FrameCost,
  NO_COST,
  type SendBudget,
  Share,
} from '../../../edge/sockets/send-budget.ts'
import {
  BroadcastGroup,
  type BroadcastParts,
} from '../../../edge/sockets/shared/broadcast-group.ts'
import {
  bookChanges,
  bookFrameText,
  changesFrameText,
  shownDepth,
} from '../../../exchange/read-model/book-views.ts'
import type { PublishedMarket } from '../../../exchange/read-model/published.ts'

// The frames of one book: the whole book, and the changed levels. Both kinds share one `sequence`,
// which increases by one with each frame. So a client that receives changes detects a gap, and
// repairs it with any whole book of the same or a later number.
// Invariant: the next frame of changes has every level that differs from any book sent earlier,
// because its sizes are absolute and `#before` is no newer than any book sent.

export interface BookParts extends BroadcastParts {
  readonly clock: () => TimeMs
  /** A reader left the broadcast groups of the book. */
  readonly left: () => void
  /** All frames of the book may have been sent. */
  readonly idle: (book: BookFrames) => void
}

const TICKS = 1000
/** The current levels; one column serves all books. */
const now = new Float64Array(TICKS)

export class BookFrames {
  readonly #published: PublishedMarket
  readonly #clock: () => TimeMs
  /** Readers of the whole book, and readers of its changes. */
  readonly whole: BroadcastGroup
  readonly changes: BroadcastGroup
  #before: Float64Array | null = null
  #packet: { readonly version: number; readonly sequence: number; bytes: Uint8Array } | null = null
  /** Sent to each new reader of prices besides the book: the market's last events. */
  #orderEvents: Uint8Array[] = []
  #shownVersion = -1
  /** Bytes of the newest frame of changes. */
  #changesBytes = 0
  readonly share = new Share()
  /** The time of the newest frame, by the monotonic clock. */
  flushedMs = Number.NEGATIVE_INFINITY

  constructor(published: PublishedMarket, parts: BookParts) {
    this.#published = published
    this.#clock = parts.clock
    const { marketId } = published.market
    const since = () => [this.#whole(), ...this.#orderEvents]
    const idle = () => parts.idle(this)
    const source = { since, left: parts.left, idle, pace: 'made' } as const
    this.whole = new BroadcastGroup(`book${marketId}`, parts, source)
    this.changes = new BroadcastGroup(`changes${marketId}`, parts, source)
    published.sequence++
  }

  get isEmpty(): boolean {
    return this.whole.isEmpty && this.changes.isEmpty
  }

  get isIdle(): boolean {
    return this.whole.isIdle && this.changes.isIdle
  }

  /** The cost of the next frame, if it is as long as the previous one. */
  get cost(): FrameCost {
    const { whole, changes } = this
    return {
      sends: whole.size + changes.size,
      bytes: whole.size * this.#published.frameBytes + changes.size * this.#changesBytes,
    }
  }

  get members(): readonly Member[] {
    return [...this.whole.members, ...this.changes.members]
  }

  /**
   * Builds the next frame, and returns its cost. An unchanged book is sent again only if it was
   * quiet.
   */
  flush(flushedMs: number, isQuiet = false): FrameCost {
    const { version } = this.#published
    if (!isQuiet && version === this.#shownVersion) return NO_COST
    this.flushedMs = flushedMs
    this.#shownVersion = version
    this.#published.sequence++
    edgePoint('at-socket-frame')
    if (!this.whole.isEmpty) this.whole.say(this.#whole())
    if (this.changes.isEmpty) this.#before = null
    else this.changes.say(this.#changed())
    return this.cost
  }

  /** Call it before a reader joins `changes`, so that later changes are sent. */
  watchChanges(): void {
    if (this.#before !== null) return
    this.#before = new Float64Array(TICKS)
    shownDepth(this.#published).signedInto(this.#before)
  }

  /** Sends an event of the market to every reader of prices, present and later. */
  publish(event: string, payload: object, isKept: boolean): void {
    const packet = packetOf(event, payload)
    if (isKept) this.#orderEvents.push(packet)
    this.whole.say(packet)
    this.changes.say(packet)
  }

  #whole(): Uint8Array {
    const { version, sequence } = this.#published
    if (this.#packet?.version !== version || this.#packet.sequence !== sequence) {
      const text = bookFrameText(this.#published, this.#clock())
      this.#packet = { version, sequence, bytes: packetOfText('orderbookUpdate', text) }
      this.#published.frameBytes = this.#packet.bytes.length
    }
    return this.#packet.bytes
  }

  #changed(): Uint8Array {
    this.watchChanges()
    const before = this.#before ?? now
    shownDepth(this.#published).signedInto(now)
    const changes = bookChanges(before, now)
    before.set(now)
    const text = changesFrameText(this.#published, changes, this.#clock())
    const packet = packetOfText('orderbookDelta', text)
    this.#changesBytes = packet.length
    return packet
  }
}

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

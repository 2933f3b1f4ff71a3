// The frames of one book: the whole book, and the levels that changed. Both kinds have the same
// `sequence`, which rises by one with each frame. So a client that hears of changes sees a gap, and
// any whole book of the same number or a later one repairs it.
// Invariant: the next frame of changes has every level that differs from what any reader was given
// before, because sizes in it are absolute and `#before` is no newer than any book given out.

import type { TimeMs } from '../../../../engine/domain/units.ts'
import { edgePoint } from '../../../../engine/thread/fault-point.ts'
import type { Member } from '../../../edge/sockets/member.ts'
import { packetOf, packetOfText } from '../../../edge/sockets/packets.ts'
import { type FrameCost, NO_COST, Share } from '../../../edge/sockets/send-budget.ts'
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

export interface BookParts extends BroadcastParts {
  readonly clock: () => TimeMs
  /** A reader left the rooms of the book. */
  readonly left: () => void
  /** Every frame of the book may be out. */
  readonly idle: (book: BookFrames) => void
}

const TICKS = 1000
/** The levels at hand; one column serves all books. */
const now = new Float64Array(TICKS)

export class BookFrames {
  readonly #published: PublishedMarket
  readonly #clock: () => TimeMs
  /** Readers of the whole book, and readers of its changes. */
  readonly whole: BroadcastGroup
  readonly changes: BroadcastGroup
  #before: Float64Array | null = null
  #packet: { readonly version: number; readonly sequence: number; bytes: Uint8Array } | null = null
  /** What each new reader of prices is told besides the book: the market's last news. */
  #orderEvents: Uint8Array[] = []
  #shownVersion = -1
  /** Bytes of the newest frame of changes. */
  #changesBytes = 0
  readonly share = new Share()
  /** When the newest frame was made, by the clock that never goes back. */
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

  /** What the next frame costs, if it is as long as the one before. */
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
   * Makes the next frame, and gives its cost. A book that did not change is sent again only when it
   * was quiet.
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

  /** Call it before a reader joins `changes`: what changes from now on is told. */
  watchChanges(): void {
    if (this.#before !== null) return
    this.#before = new Float64Array(TICKS)
    shownDepth(this.#published).signedInto(this.#before)
  }

  /** Tells every reader of prices, and each later one, of what became of the market. */
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

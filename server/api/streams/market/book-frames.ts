// The frames of one book: the whole book, and the changed levels. Both kinds share one `sequence`,
// which increases by one with each frame. So a client that receives changes detects a gap, and
// repairs it with any whole book of the same or a later number.
// Invariant: the next frame of changes has every level that differs from any book sent earlier,
// because its sizes are absolute and `#before` is no newer than any book sent.

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

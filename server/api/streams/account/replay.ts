// Sends one member the events that it missed, and then the live events (rules §5.3). The missed
// events are read from the tables, page by page; a page is read when the member has received the
// previous one. Live events of the account wait meanwhile. Each event has the seq of its command,
// and the tables report the seq that they include. So an event is in the replay up to that seq, and
// live after it, however late main publishes it: no event is lost or duplicated.
// Invariant: a replay is in progress while the member has the subscription that started it.

import { assert } from '../../../../engine/domain/assert.ts'
import type { ProfileId, Seq } from '../../../../engine/domain/ids.ts'
import { LIMITS } from '../../../../engine/domain/limits.ts'
import { edgePoint } from '../../../../engine/thread/fault-point.ts'
import {
  type MissedEvent,
  missedEvents,
} from '../../../../persistence/query/read/orders/missed-events.ts'
import { missedFrames } from '../../../../persistence/query/read/orders/missed-frames.ts'
import type { AccountStream } from '../../../edge/sockets/account-stream.ts'
import type { Member, Receivers, Waiter } from '../../../edge/sockets/member.ts'
import type { Pipeline } from '../../../exchange/pipeline.ts'
import { type Refusal, refuse } from '../../../messages/refusal.ts'
import type { ArchivedMarkets } from '../../markets/archived-markets.ts'
import type { PrivateReads } from '../../reads/private-reads.ts'
import { type FrameMaker, type Marks, unknownMark } from './order-frames.ts'

export const ORDER_EVENTS = 'subscribe_order_events'

/** A live event that waits for the end of the replay. */
export interface Held {
  /** The command that caused it. */
  readonly seq: Seq
  readonly payload: () => object
}

interface ReplayParts {
  readonly member: Member
  readonly accountId: ProfileId
  readonly stream: AccountStream
  readonly marks: Marks
  readonly pipeline: Pipeline
  readonly reads: PrivateReads
  readonly archive: ArchivedMarkets
  readonly frames: FrameMaker
  /** Whether the member still has the subscription that started the replay. */
  readonly isWanted: () => boolean
  /** From now on the member receives what is posted for commands after `throughSeq`. */
  readonly goLive: (throughSeq: Seq) => void
  /** Ends the subscription. */
  readonly leave: () => void
}

export class Replay implements Receivers, Waiter {
  readonly #parts: ReplayParts
  #held: Held[] = []
  #isOverfull = false
  /** Number of the newest frame that was posted for the member. */
  #postedNumber = 0
  #onTaken: () => void = () => {}

  constructor(parts: ReplayParts) {
    this.#parts = parts
  }

  receives(member: Member): boolean {
    return member === this.#parts.member && this.#parts.isWanted()
  }

  /** Stores a live event until the member has received the missed ones. */
  hold(held: Held): void {
    if (this.#held.length < REPLAY.heldMax) this.#held.push(held)
    else this.#isOverfull = true
  }

  /** The subscription ended or was replaced. */
  over(): void {
    this.#onTaken()
  }

  hasCapacity(member: Member): void {
    if (member.hasTaken(this.#postedNumber)) this.#onTaken()
    else member.waitForCapacity(this)
  }

  async run(): Promise<void> {
    const { accountId, marks, pipeline, reads, isWanted } = this.#parts
    // A command that was stamped before the subscription may have only part of its events.
    await pipeline.durable()
    const { eventsMax, rowsMax, lateMs } = REPLAY
    const { after, afterEnd, endField } = marks
    const requested = { accountId, after, afterEnd, lateMs, eventsMax, rowsMax }
    const missed = await reads.readForFrame(missedEvents, requested, this.#requester)
    edgePoint('at-socket-read')
    if (!isWanted()) return
    if (missed === undefined) this.#giveUp(refuse('READ_TIMEOUT'))
    else if (missed.events === 'unknown') this.#giveUp(unknownMark('afterEventId'))
    else if (missed.events === 'unknownEnd') this.#giveUp(unknownMark(endField))
    else if (missed.events === 'many') this.#live(missed.seq, null)
    else await this.#publish(missed.seq, missed.events)
  }

  get #requester() {
    return { profileId: this.#parts.accountId, isGone: () => !this.#parts.isWanted() }
  }

  async #publish(seq: Seq, events: readonly MissedEvent[]): Promise<void> {
    const { member, isWanted } = this.#parts
    for (let from = 0; from < events.length; from += REPLAY.pageEvents) {
      const isRead = await this.#page(events.slice(from, from + REPLAY.pageEvents))
      if (!isWanted()) return
      if (!isRead) {
        this.#giveUp(refuse('READ_TIMEOUT'))
        return
      }
      await new Promise<void>((resolve) => {
        this.#onTaken = resolve
        this.hasCapacity(member)
      })
      if (!isWanted()) return
    }
    this.#live(seq, events.length)
  }

  /** False on a read timeout. */
  async #page(events: readonly MissedEvent[]): Promise<boolean> {
    const { reads, archive, frames, isWanted } = this.#parts
    const requested = { events, makersMax: LIMITS.statusMakersMax }
    const read = await reads.readForFrame(missedFrames, requested, this.#requester)
    const marketIds = (read ?? []).map((frame) => {
      return frame.what === 'ORDER' ? frame.event.marketId : frame.part.marketId
    })
    const markets = await archive.byIds(marketIds, this.#requester)
    edgePoint('at-socket-read')
    if (read === undefined || markets === undefined) return false
    if (!isWanted()) return true
    for (const frame of read) {
      this.#post(() => frames.missed(frame, markets))
    }
    return true
  }

  #post(payload: () => object): void {
    const { stream } = this.#parts
    stream.post({ to: this, seq: null, event: 'orderEvent', payload })
    this.#postedNumber = stream.postedNumber
  }

  /** The tables had everything up to `seq`; `count` of its events were sent, null for too many. */
  #live(seq: Seq, count: number | null): void {
    const { member, goLive } = this.#parts
    const held = this.#isOverfull ? [] : this.#held.filter((each) => each.seq > seq)
    for (const { payload } of held) this.#post(payload)
    if (count === null || this.#isOverfull) member.except(refuse('EVENTS_MISSED'), ORDER_EVENTS)
    else {
      const message = `Replayed ${count + held.length} missed events of ${ORDER_EVENTS}`
      member.send('system', { message })
    }
    goLive(seq)
  }

  #giveUp(refusal: Refusal): void {
    const { member, leave } = this.#parts
    leave()
    member.except(refusal, ORDER_EVENTS)
  }
}

// The limits of a replay of missed order events, in addition to engine/domain/limits.ts.

export const REPLAY = {
  /** Maximum replayed events. Above it, the client is notified that it must read its orders. */
  eventsMax: 1000,
  /** Maximum rows that a read visits to find the trades whose ends were missed. */
  rowsMax: 4096,
  /** Events in one read, which are sent before the next read. */
  pageEvents: 64,
  /** Maximum live events of the account that wait for the end of the replay. */
  heldMax: 1000,
  /** Maximum delay between a command and the published end of a trade. */
  lateMs: 100_000,
  /** Rate limit of the replays of all sockets of a profile. */
  rate: { perSecond: 1, burst: 16 },
} as const

/** A read may wait twice this long for the tables, and once more for its query. */
const READ_MS_MAX = 3 * LIMITS.privateReadDeadlineMs

assert(
  LIMITS.lateReadsMax * (READ_MS_MAX + LIMITS.lateReadPauseMs) < REPLAY.lateMs,
  'a published end is sent before it counts as old',
)

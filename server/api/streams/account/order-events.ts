// The channel `subscribe_order_events`: the events of the caller's own orders (rules §5.3, §5.4).
// Each event id is unique: ids of lifecycle frames increase, the others contain their order or
// trade. So duplicates can be dropped without a memory of past ids. A client that sends the newest
// id that it has first receives the events that it missed.
// Invariant: `#replays` has the replays in progress, by account.

import type { Market } from '../../../../engine/core/markets/catalogue.ts'
import { assert } from '../../../../engine/domain/assert.ts'
import type { ProfileId, Seq } from '../../../../engine/domain/ids.ts'
import { LIMITS } from '../../../../engine/domain/limits.ts'
import { edgePoint } from '../../../../engine/thread/fault-point.ts'
import {
  type MissedEvent,
  missedEvents,
} from '../../../../persistence/query/read/orders/missed-events.ts'
import { missedFrames } from '../../../../persistence/query/read/orders/missed-frames.ts'
import { Buckets } from '../../../edge/http/access/rate-limit.ts'
import type { AccountStream, Streams } from '../../../edge/sockets/account-stream.ts'
import type { Channel, SubscriptionRequest } from '../../../edge/sockets/channels.ts'
import type { Member, Receivers, Waiter } from '../../../edge/sockets/member.ts'
import type { Pipeline } from '../../../exchange/pipeline.ts'
import type { OrderEvent } from '../../../exchange/read-model/order-event-feed.ts'
import { Refusal, refuse } from '../../../messages/refusal.ts'
import type { ArchivedMarkets } from '../../markets/archived-markets.ts'
import type { PrivateReads } from '../../reads/private-reads.ts'
import type { Audience } from './audience.ts'
import { type FrameMaker, type Marks, marksOf, unknownMark } from './order-frames.ts'

/** Counts the numbered frames that one command caused for an owner. */
interface Place {
  readonly seq: Seq
  readonly index: number
}

export interface OrderEventParts {
  readonly audience: Audience
  readonly pipeline: Pipeline
  readonly reads: PrivateReads
  readonly archive: ArchivedMarkets
  readonly streams: Streams
  readonly frames: FrameMaker
}

export class OrderEvents implements Channel {
  readonly isPrivate = true
  readonly audience: Audience
  readonly #parts: OrderEventParts
  readonly #replays = new Map<ProfileId, Map<Member, Replay>>()
  readonly #rate = new Buckets<ProfileId>(REPLAY.rate)

  constructor(parts: OrderEventParts) {
    this.audience = parts.audience
    this.#parts = parts
  }

  subscribe(member: Member, requested: SubscriptionRequest): Refusal | null {
    const marks = marksOf(requested, this.#parts.pipeline.ids)
    if (marks instanceof Refusal) return marks
    if (marks !== null) return this.#begin(member, marks)
    this.audience.subscribe(member)
    this.#end(member)
    return null
  }

  unsubscribe(member: Member): void {
    this.left(member)
  }

  left(member: Member): void {
    this.audience.left(member)
    this.#end(member)
  }

  #begin(member: Member, marks: Marks): Refusal | null {
    assert(member.caller !== null, 'a private channel has proven members only')
    const accountId = member.caller.profileId
    const { streams, ...parts } = this.#parts
    const stream = streams.of(accountId)
    assert(stream !== undefined, 'a proven member has a stream')
    if (this.#rate.take(accountId, performance.now()) > 0) return refuse('RATE_LIMITED')
    const listening = this.audience.await(member)
    this.#end(member)
    const replay = new Replay({
      ...parts,
      member,
      accountId,
      stream,
      marks,
      isWanted: () => this.audience.of(member) === listening,
      goLive: (throughSeq) => {
        listening.since = stream.postedNumber
        listening.throughSeq = throughSeq
        this.#end(member)
      },
      leave: () => this.left(member),
    })
    const ofAccount = this.#replays.get(accountId) ?? new Map<Member, Replay>()
    this.#replays.set(accountId, ofAccount.set(member, replay))
    void replay.run().catch((error: unknown) => {
      if (this.audience.of(member) !== listening) return
      this.left(member)
      streams.fail(error, [member])
    })
    return null
  }

  #end(member: Member): void {
    const accountId = member.caller?.profileId ?? 0
    const ofAccount = this.#replays.get(accountId)
    ofAccount?.get(member)?.over()
    ofAccount?.delete(member)
    if (ofAccount?.size === 0) this.#replays.delete(accountId)
  }

  /** All events of a command are passed in one call, so its frames are counted within that call. */
  publish(events: readonly OrderEvent[]): void {
    const places = new Map<number, Place>()
    for (const event of events) {
      const { accountId, seq } = event
      if (!this.audience.isReceivedBy(accountId)) continue
      if (this.audience.receivedInPart(accountId, seq)) continue
      try {
        edgePoint('at-socket-events')
        this.post(accountId, { seq, payload: this.#frameOf(event, places) })
      } catch (error) {
        this.#parts.streams
          .of(accountId)
          ?.fail(error, (member) => this.audience.of(member) !== undefined)
      }
    }
  }

  /** Posts a live event for all listeners of an account. */
  post(accountId: ProfileId, event: Held): void {
    const stream = this.#parts.streams.of(accountId)
    stream?.post({ to: this.audience, event: 'orderEvent', ...event })
    for (const replay of this.#replays.get(accountId)?.values() ?? []) replay.hold(event)
  }

  /** The index of a frame is assigned at once; the rest is built when the frame is sent. */
  #frameOf(event: OrderEvent, places: Map<number, Place>): () => object {
    const { frames } = this.#parts
    // The market may leave memory before the frame is sent.
    const market = this.#marketOf(event)
    if (event.type === 'MATCHED') return () => frames.matched(event, market)
    const { accountId, seq } = event
    const last = places.get(accountId)
    const index = last?.seq === seq ? last.index + 1 : 0
    if (event.type !== 'EXECUTION') places.set(accountId, { seq, index })
    return () => frames.lifecycle(event, market, index)
  }

  #marketOf({ marketId }: OrderEvent): Market {
    const shown = this.#parts.pipeline.published.byId(marketId)
    assert(shown !== undefined, 'an order has a published market')
    return shown.market
  }
}

// Sends one member the events that it missed, and then the live events (rules §5.3). The missed
// events are read from the tables, page by page; a page is read when the member has received the
// previous one. Live events of the account wait meanwhile. Each event has the seq of its command,
// and the tables report the seq that they include. So an event is in the replay up to that seq, and
// live after it, however late main publishes it: no event is lost or duplicated.
// Invariant: a replay is in progress while the member has the subscription that started it.

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

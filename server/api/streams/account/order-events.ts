// The channel `subscribe_order_events`: the events of the caller's own orders (rules §5.3, §5.4).
// Each event id is unique: ids of lifecycle frames increase, the others contain their order or
// trade. So duplicates can be dropped without a memory of past ids. A client that sends the newest
// id that it has first receives the events that it missed (replay.ts).
// Invariant: `#replays` has the replays in progress, by account.

import type { Market } from '../../../../engine/core/markets/catalogue.ts'
import { assert } from '../../../../engine/domain/assert.ts'
import type { ProfileId, Seq } from '../../../../engine/domain/ids.ts'
import { edgePoint } from '../../../../engine/thread/fault-point.ts'
import { Buckets } from '../../../edge/http/access/rate-limit.ts'
import type { Streams } from '../../../edge/sockets/account-stream.ts'
import type { Channel, SubscriptionRequest } from '../../../edge/sockets/channels.ts'
import type { Member } from '../../../edge/sockets/member.ts'
import type { Pipeline } from '../../../exchange/pipeline.ts'
import type { OrderEvent } from '../../../exchange/read-model/order-event-feed.ts'
import { Refusal, refuse } from '../../../messages/refusal.ts'
import type { ArchivedMarkets } from '../../markets/archived-markets.ts'
import type { PrivateReads } from '../../reads/private-reads.ts'
import type { Audience } from './audience.ts'
import { type FrameMaker, type Marks, marksOf } from './order-frames.ts'
import { type Held, REPLAY, Replay } from './replay.ts'

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

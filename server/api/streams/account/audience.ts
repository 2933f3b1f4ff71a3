// The listeners of a channel by profile, and the only way to subscribe and unsubscribe. A channel
// without a payload is just its audience. Invariants: a profile has an entry while it has
// listeners, and only then are its events produced.

import type { ProfileId, Seq } from '../../../../engine/domain/ids.ts'
import type { Channel } from '../../../edge/sockets/channels.ts'
import type { Member, Place, Receivers } from '../../../edge/sockets/member.ts'
import type { OrderEventFeed } from '../../../exchange/read-model/order-event-feed.ts'

/** One subscription of a member. */
export interface Listening {
  /**
   * Number of the newest frame that was posted before it began; Infinity during the replay of
   * missed events.
   */
  since: number
  /** A replay sent the member everything up to this command; 0 without a replay. */
  throughSeq: Seq
}

interface Listeners {
  readonly members: Map<Member, Listening>
  /** Commands with only part of their events, because the first member subscribed during them. */
  readonly partial: ReadonlySet<Seq>
}

export class Audience implements Channel, Receivers {
  readonly isPrivate = true
  readonly #members = new Map<number, Listeners>()
  readonly #orderEvents: OrderEventFeed | null

  /** With `orderEvents`, the listeners receive order events. */
  constructor(orderEvents: OrderEventFeed | null) {
    this.#orderEvents = orderEvents
  }

  get isEmpty(): boolean {
    return this.#members.size === 0
  }

  /** A member is listed once, however often it subscribes. */
  subscribe(member: Member): null {
    const known = this.of(member)
    if (known !== undefined && known.since < Number.POSITIVE_INFINITY) return null
    this.#enter(member, { since: member.stream?.postedNumber ?? 0, throughSeq: 0 })
    return null
  }

  /** Starts a new subscription that receives nothing until it has a number. */
  await(member: Member): Listening {
    const listening = { since: Number.POSITIVE_INFINITY, throughSeq: 0 }
    this.#enter(member, listening)
    return listening
  }

  /** The subscription of a member; undefined for none. */
  of(member: Member): Listening | undefined {
    return this.#members.get(member.caller?.profileId ?? 0)?.members.get(member)
  }

  #enter(member: Member, listening: Listening): void {
    if (member.caller === null || member.stream === null) return
    const { profileId } = member.caller
    const known = this.#members.get(profileId)
    if (known !== undefined) {
      known.members.set(member, listening)
      return
    }
    const partial = new Set(this.#orderEvents?.partial)
    this.#members.set(profileId, { members: new Map([[member, listening]]), partial })
    this.#orderEvents?.watch(profileId)
  }

  unsubscribe(member: Member): void {
    this.left(member)
  }

  left(member: Member): void {
    if (member.caller === null) return
    const { profileId } = member.caller
    const members = this.#members.get(profileId)?.members
    if (members === undefined || !members.delete(member) || members.size > 0) return
    this.#members.delete(profileId)
    this.#orderEvents?.unwatch(profileId)
  }

  receives(member: Member, { number, seq }: Place): boolean {
    const listening = this.of(member)
    if (listening === undefined || listening.since >= number) return false
    return seq === null || seq > listening.throughSeq
  }

  isReceivedBy(profileId: ProfileId): boolean {
    return this.#members.has(profileId)
  }

  /** Whether events of the command may be missing, or may have wrong indexes. */
  receivedInPart(profileId: ProfileId, seq: Seq): boolean {
    return this.#members.get(profileId)?.partial.has(seq) === true
  }

  profileIds(): ProfileId[] {
    return [...this.#members.keys()]
  }

  /** A copy, so members may leave during the iteration. */
  all(): readonly Member[] {
    return [...this.#members.values()].flatMap(({ members }) => [...members.keys()])
  }
}

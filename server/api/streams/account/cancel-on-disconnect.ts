// The channel `cancel_on_disconnect` (rules §4.12): the orders of a profile do not outlive its last
// socket with this channel. While there is one, the heartbeat of the profile is renewed (rules
// §4.9); so the deadline is in the journal, and also holds when the exchange itself ends.
// Invariants: a profile has an entry while it has such sockets, and only then is it renewed. A
// socket renews only while its client answers and its credentials are valid.

import { Counts } from '../../../../engine/domain/counts.ts'
import { shareOf, shareRule } from '../../../../engine/domain/fair-share.ts'
import type { ProfileId } from '../../../../engine/domain/ids.ts'
import { LIMITS } from '../../../../engine/domain/limits.ts'
import { REJECT, type Reject } from '../../../../engine/domain/reject-precedence.ts'
import type { TimeMs } from '../../../../engine/domain/units.ts'
import { Buckets } from '../../../edge/http/access/rate-limit.ts'
import type { Streams } from '../../../edge/sockets/account-stream.ts'
import type { Channel, SubscriptionRequest } from '../../../edge/sockets/channels.ts'
import type { Member } from '../../../edge/sockets/member.ts'
import type { Pipeline } from '../../../exchange/pipeline.ts'
import { type Refusal, refuse } from '../../../messages/refusal.ts'
import type { HeartbeatChanges } from '../../orders/services.ts'

export const CANCEL_ON_DISCONNECT = 'cancel_on_disconnect'

export const ON_DISCONNECT = {
  /** Between two renewals; a deadline lies this much further ahead while a socket is open. */
  renewMs: 2500,
  /** A client that answered nothing for so long does not renew; each renewal sends it a ping. */
  silentMs: 3750,
  profilesMax: 1024,
  /** Rate limit of the subscriptions of all sockets of a profile. */
  rate: { perSecond: 1, burst: 16 },
} as const

const { renewMs, silentMs, profilesMax } = ON_DISCONNECT
/** Profiles that one address may bind; the share halves as others bind theirs. */
const OF_ADDRESS = shareRule(profilesMax, profilesMax / 4, 8)
/** Renewals are commands, so they are spread over the time between two of a profile. */
const TURNS = 25

interface Parts {
  readonly pipeline: Pipeline
  readonly heartbeats: HeartbeatChanges
  readonly streams: Streams
}

/** The sockets of a profile, with their `afterMs`. */
interface Bound {
  readonly sockets: Map<Member, TimeMs>
  /** Of the first one. */
  readonly address: string
}

export class CancelOnDisconnect implements Channel {
  readonly isPrivate = true
  readonly confirmsItself = true
  readonly #parts: Parts
  readonly #bound = new Map<ProfileId, Bound>()
  readonly #ofAddress = new Counts<string>()
  /** When the last message of each client was received, at first its subscription. */
  readonly #receivedMs = new WeakMap<Member, { ms: number }>()
  /** Profiles without a socket whose deadline the journal had no capacity to clear. */
  readonly #uncleared = new Set<ProfileId>()
  readonly #rate = new Buckets<ProfileId>(ON_DISCONNECT.rate)
  /** Null while there is nothing to do. */
  #ticker: NodeJS.Timeout | null = null
  #turn = 0

  constructor(parts: Parts) {
    this.#parts = parts
  }

  subscribe(member: Member, { afterMs }: SubscriptionRequest): Refusal | null {
    const { caller } = member
    if (caller === null) return refuse('UNAUTHENTICATED')
    const { profileId } = caller
    if (!member.provesItself()) return null
    if (!caller.scopes.has('trading')) return refuse('SCOPE_MISSING_TRADING')
    if (!this.#parts.pipeline.isStarted) return refuse('LEADER_ONLY')
    if (this.#rate.take(profileId, performance.now()) > 0) return refuse('RATE_LIMITED')
    const bound = this.#bound.get(profileId) ?? this.#enter(profileId, member)
    if (bound === null) return refuse('OVERLOADED')
    const earlierMs = bound.sockets.get(member)
    bound.sockets.set(member, afterMs ?? LIMITS.heartbeatAheadMsMin)
    this.#listenTo(member)
    this.#tickOn()
    this.#bind(member, profileId, earlierMs).catch((error) => {
      this.#parts.streams.fail(error, [member])
    })
    return null
  }

  /** Null when too many profiles have an entry. */
  #enter(profileId: ProfileId, { connectionSlot: { address } }: Member): Bound | null {
    const own = this.#ofAddress.of(address)
    const isOver = address !== '' && own >= shareOf(OF_ADDRESS, this.#bound.size - own)
    if (isOver || this.#bound.size >= profilesMax) return null
    const bound = { sockets: new Map<Member, TimeMs>(), address }
    this.#bound.set(profileId, bound)
    this.#ofAddress.add(address, 1)
    return bound
  }

  #listenTo(member: Member): void {
    if (this.#receivedMs.has(member)) return
    const received = { ms: performance.now() }
    this.#receivedMs.set(member, received)
    member.onReceived(() => {
      received.ms = performance.now()
    })
  }

  /** Confirms the subscription once its first deadline is durable. */
  async #bind(member: Member, profileId: ProfileId, earlierMs: TimeMs | undefined): Promise<void> {
    const reject = await this.#renew(profileId)
    const sockets = this.#bound.get(profileId)?.sockets
    if (sockets?.has(member) !== true) return
    if (reject === null) {
      member.send('system', { message: `Subscribed to ${CANCEL_ON_DISCONNECT}` })
      return
    }
    if (earlierMs === undefined) this.#leave(member, profileId)
    else sockets.set(member, earlierMs)
    member.except(refuse(reject), CANCEL_ON_DISCONNECT)
  }

  /** The last socket of the profile that ends it takes back the deadline. */
  unsubscribe(member: Member): void {
    const profileId = member.caller?.profileId ?? 0
    if (!member.provesItself()) return
    if (this.#leave(member, profileId) === undefined || this.#bound.has(profileId)) return
    this.#clear(profileId).catch((error) => this.#parts.streams.fail(error, [member]))
  }

  async #clear(profileId: ProfileId): Promise<void> {
    const { heartbeats, pipeline } = this.#parts
    this.#uncleared.delete(profileId)
    if (!pipeline.isStarted || this.#bound.has(profileId)) return
    const beat = await heartbeats.beat(profileId, null)
    if (beat !== REJECT.OVERLOADED || this.#uncleared.size >= profilesMax) return
    this.#uncleared.add(profileId)
    this.#tickOn()
  }

  /** From now on the deadline of the profile is final, unless it comes back. */
  left(member: Member): void {
    const profileId = member.caller?.profileId ?? 0
    const afterMs = this.#leave(member, profileId)
    const { heartbeats, streams, pipeline } = this.#parts
    if (afterMs === undefined || this.#bound.has(profileId) || !pipeline.isStarted) return
    // If it is refused, the deadline of the last renewal holds.
    heartbeats.beatIn(profileId, afterMs).catch((error) => streams.fail(error, [member]))
  }

  /** Its `afterMs`; undefined when it had no subscription. */
  #leave(member: Member, profileId: ProfileId): TimeMs | undefined {
    const bound = this.#bound.get(profileId)
    const afterMs = bound?.sockets.get(member)
    if (bound === undefined || afterMs === undefined) return undefined
    bound.sockets.delete(member)
    if (bound.sockets.size === 0) {
      this.#bound.delete(profileId)
      this.#ofAddress.add(bound.address, -1)
    }
    return afterMs
  }

  /** Null also when no socket of the profile may renew it now. */
  async #renew(profileId: ProfileId): Promise<Reject | null> {
    const sockets = this.#bound.get(profileId)?.sockets ?? []
    const nowMs = performance.now()
    let aheadMs = Number.POSITIVE_INFINITY
    for (const [member, afterMs] of sockets) {
      const receivedMs = this.#receivedMs.get(member)?.ms ?? nowMs
      if (member.provesItself() && nowMs - receivedMs <= silentMs) {
        aheadMs = Math.min(aheadMs, afterMs + renewMs)
      }
    }
    if (aheadMs === Number.POSITIVE_INFINITY) return null
    const beat = await this.#parts.heartbeats.beatIn(profileId, aheadMs)
    return 'nowMs' in beat ? null : beat
  }

  #tickOn(): void {
    this.#ticker ??= setInterval(() => this.#tick(), renewMs / TURNS).unref()
  }

  /** A deadline that could not be renewed is renewed next time, or its orders are canceled. */
  #tick(): void {
    if (this.#bound.size === 0 && this.#uncleared.size === 0 && this.#ticker !== null) {
      clearInterval(this.#ticker)
      this.#ticker = null
    }
    this.#turn = (this.#turn + 1) % TURNS
    if (!this.#parts.pipeline.isStarted) return
    const { streams } = this.#parts
    for (const [profileId, { sockets }] of this.#bound) {
      if (profileId % TURNS !== this.#turn) continue
      const members = [...sockets.keys()]
      this.#renew(profileId).catch((error) => streams.fail(error, members))
      for (const member of members) member.ping()
    }
    for (const profileId of this.#uncleared) {
      this.#clear(profileId).catch((error) => streams.fail(error, []))
    }
  }
}

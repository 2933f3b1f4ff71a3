// The channel `cancel_on_disconnect` (rules §4.12): the orders of a profile do not outlive its last
// socket with this channel. While there is one, the heartbeat of the profile is renewed (rules
// §4.9); so the deadline is in the journal, and also holds when the exchange itself ends.
// Invariant: a profile has an entry while it has such sockets, and only then is it renewed.

import type { ProfileId } from '../../../../engine/domain/ids.ts'
import { LIMITS } from '../../../../engine/domain/limits.ts'
import type { Reject } from '../../../../engine/domain/reject-precedence.ts'
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
  profilesMax: 1024,
  /** Rate limit of the subscriptions of all sockets of a profile. */
  rate: { perSecond: 1, burst: 16 },
} as const

interface Parts {
  readonly pipeline: Pipeline
  readonly heartbeats: HeartbeatChanges
  readonly streams: Streams
}

export class CancelOnDisconnect implements Channel {
  readonly isPrivate = true
  readonly confirmsItself = true
  readonly #parts: Parts
  /** The sockets of each profile, with their `afterMs`. */
  readonly #bound = new Map<ProfileId, Map<Member, TimeMs>>()
  readonly #rate = new Buckets<ProfileId>(ON_DISCONNECT.rate)
  /** Null while no profile is bound. */
  #ticker: NodeJS.Timeout | null = null

  constructor(parts: Parts) {
    this.#parts = parts
  }

  subscribe(member: Member, { afterMs }: SubscriptionRequest): Refusal | null {
    const { caller } = member
    if (caller === null) return refuse('UNAUTHENTICATED')
    const { profileId } = caller
    if (!caller.scopes.has('trading')) return refuse('SCOPE_MISSING_TRADING')
    if (!this.#parts.pipeline.isStarted) return refuse('LEADER_ONLY')
    if (this.#rate.take(profileId, performance.now()) > 0) return refuse('RATE_LIMITED')
    const known = this.#bound.get(profileId)
    if (known === undefined && this.#bound.size >= ON_DISCONNECT.profilesMax) {
      return refuse('OVERLOADED')
    }
    const members = known ?? new Map<Member, TimeMs>()
    this.#bound.set(profileId, members.set(member, afterMs ?? LIMITS.heartbeatAheadMsMin))
    this.#ticker ??= setInterval(() => this.#renewAll(), ON_DISCONNECT.renewMs).unref()
    this.#bind(member, profileId).catch((error) => this.#parts.streams.fail(error, [member]))
    return null
  }

  /** Confirms the subscription once its first deadline is durable. */
  async #bind(member: Member, profileId: ProfileId): Promise<void> {
    const reject = await this.#renew(profileId)
    if (this.#bound.get(profileId)?.has(member) !== true) return
    if (reject === null) {
      member.send('system', { message: `Subscribed to ${CANCEL_ON_DISCONNECT}` })
      return
    }
    this.#leave(member, profileId)
    member.except(refuse(reject), CANCEL_ON_DISCONNECT)
  }

  /** The last socket of the profile that ends it takes back the deadline. */
  unsubscribe(member: Member): void {
    const profileId = member.caller?.profileId ?? 0
    if (this.#leave(member, profileId) === undefined || this.#bound.has(profileId)) return
    this.#set(profileId, null, member)
  }

  /** From now on the deadline of the profile is final, unless it comes back. */
  left(member: Member): void {
    const profileId = member.caller?.profileId ?? 0
    const afterMs = this.#leave(member, profileId)
    if (afterMs === undefined || this.#bound.has(profileId)) return
    this.#set(profileId, afterMs, member)
  }

  /** Its `afterMs`; undefined when it had no subscription. */
  #leave(member: Member, profileId: ProfileId): TimeMs | undefined {
    const members = this.#bound.get(profileId)
    const afterMs = members?.get(member)
    if (members === undefined || afterMs === undefined) return undefined
    members.delete(member)
    if (members.size === 0) this.#bound.delete(profileId)
    if (this.#bound.size === 0 && this.#ticker !== null) {
      clearInterval(this.#ticker)
      this.#ticker = null
    }
    return afterMs
  }

  /** If it fails, the deadline of the last renewal holds. */
  #set(profileId: ProfileId, aheadMs: TimeMs | null, member: Member): void {
    const { heartbeats, streams, pipeline } = this.#parts
    if (!pipeline.isStarted) return
    const beat =
      aheadMs === null ? heartbeats.beat(profileId, null) : heartbeats.beatIn(profileId, aheadMs)
    beat.catch((error: unknown) => streams.fail(error, [member]))
  }

  async #renew(profileId: ProfileId): Promise<Reject | null> {
    const members = this.#bound.get(profileId)
    if (members === undefined) return null
    const aheadMs = Math.min(...members.values()) + ON_DISCONNECT.renewMs
    const beat = await this.#parts.heartbeats.beatIn(profileId, aheadMs)
    return 'nowMs' in beat ? null : beat
  }

  /** A deadline that could not be renewed is renewed next time, or its orders are canceled. */
  #renewAll(): void {
    if (!this.#parts.pipeline.isStarted) return
    for (const [profileId, members] of this.#bound) {
      this.#renew(profileId).catch((error) => {
        this.#parts.streams.fail(error, [...members.keys()])
      })
    }
  }
}

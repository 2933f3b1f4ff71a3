// The listeners of a channel by profile, and the one way to subscribe and unsubscribe. A channel
// without a payload is only its audience. Invariants: a profile has an entry while it has
// listeners, and only then are its facts made.

import type { ProfileId } from '../../../../engine/domain/ids.ts'
import type { OrderNews } from '../../../pipeline/shown/order-news.ts'
import type { Channel } from '../../channels.ts'
import type { Hearers, Member } from '../../member.ts'

export class Audience implements Channel, Hearers {
  readonly isPrivate = true
  /** Each member has the number of the newest frame that was posted before it subscribed. */
  readonly #members = new Map<number, Map<Member, number>>()
  readonly #news: OrderNews | null

  /** With `news`, the listeners get facts about orders. */
  constructor(news: OrderNews | null) {
    this.#news = news
  }

  get isEmpty(): boolean {
    return this.#members.size === 0
  }

  /** A member is listed once, however often it subscribes. */
  subscribe(member: Member): null {
    if (member.caller === null || member.stream === null) return null
    const { profileId } = member.caller
    const members = this.#members.get(profileId) ?? new Map<Member, number>()
    if (members.size === 0) {
      this.#members.set(profileId, members)
      this.#news?.watch(profileId)
    }
    if (!members.has(member)) members.set(member, member.stream.postedNumber)
    return null
  }

  unsubscribe(member: Member): void {
    this.left(member)
  }

  left(member: Member): void {
    if (member.caller === null) return
    const { profileId } = member.caller
    const members = this.#members.get(profileId)
    if (members === undefined || !members.delete(member) || members.size > 0) return
    this.#members.delete(profileId)
    this.#news?.unwatch(profileId)
  }

  hears(member: Member, number: number): boolean {
    const since = this.#members.get(member.caller?.profileId ?? 0)?.get(member)
    return since !== undefined && since < number
  }

  isHeardBy(profileId: ProfileId): boolean {
    return this.#members.has(profileId)
  }

  profileIds(): ProfileId[] {
    return [...this.#members.keys()]
  }

  /** A copy, so members may leave while it is read. */
  all(): readonly Member[] {
    return [...this.#members.values()].flatMap((members) => [...members.keys()])
  }
}

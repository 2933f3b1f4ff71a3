// Who listens to what of which profile, and the one way to come and go: a channel without a payload
// is its audience. Invariants: a profile has an entry while it has listeners, and only then are its
// facts made.

import type { ProfileId } from '../../../engine/domain/ids.ts'
import type { OrderNews } from '../../pipeline/shown/order-news.ts'
import type { Channel } from '../channels.ts'
import type { Hearers, Member } from '../member.ts'

export class Audience implements Channel, Hearers {
  readonly isPrivate = true
  /** With the number of the newest frame that was posted before each came. */
  readonly #members = new Map<number, Map<Member, number>>()
  readonly #news: OrderNews | null

  /** With `news`, what it listens for are facts about orders. */
  constructor(news: OrderNews | null) {
    this.#news = news
  }

  get isEmpty(): boolean {
    return this.#members.size === 0
  }

  /** Once is enough: a member listens or does not. */
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

  /** Safe while members leave: they are copied. */
  all(): readonly Member[] {
    return [...this.#members.values()].flatMap((members) => [...members.keys()])
  }
}

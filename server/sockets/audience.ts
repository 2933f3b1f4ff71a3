// Who listens to what of which profile, and the one way to come and go: a channel without a payload
// is its audience. Invariants: a profile has an entry while it has listeners, and only then are its
// facts made.

import type { OrderNews } from '../pipeline/order-news.ts'
import type { Channel } from './channels.ts'
import type { Member } from './member.ts'

export class Audience implements Channel {
  readonly isPrivate = true
  readonly #members = new Map<number, Set<Member>>()
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
    if (member.caller === null) return null
    const { profileId } = member.caller
    const members = this.#members.get(profileId)
    if (members === undefined) {
      this.#members.set(profileId, new Set([member]))
      this.#news?.watch(profileId)
    } else members.add(member)
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

  hears(profileId: number): boolean {
    return this.#members.has(profileId)
  }

  profileIds(): number[] {
    return [...this.#members.keys()]
  }

  /** Safe while members leave: they are copied. */
  of(profileId: number): readonly Member[] {
    const members = this.#members.get(profileId)
    return members === undefined ? [] : [...members]
  }

  all(): readonly Member[] {
    return [...this.#members.values()].flatMap((members) => [...members])
  }

  /** To all who listen for a profile. */
  send(profileId: number, event: string, frame: object): void {
    for (const member of this.of(profileId)) member.sendPrivate(event, frame)
  }
}

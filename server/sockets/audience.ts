// Who listens to what of which profile. Invariant: a profile has an entry while it has listeners.

import type { Member } from './member.ts'

export class Audience {
  readonly #members = new Map<number, Set<Member>>()
  readonly #onFirst: (profileId: number) => void
  readonly #onNone: (profileId: number) => void

  constructor(
    onFirst: (profileId: number) => void = () => {},
    onNone: (profileId: number) => void = () => {},
  ) {
    this.#onFirst = onFirst
    this.#onNone = onNone
  }

  /** Once is enough: a member listens or does not. */
  add(member: Member): void {
    if (member.caller === null) return
    const { profileId } = member.caller
    const members = this.#members.get(profileId)
    if (members !== undefined) {
      members.add(member)
      return
    }
    this.#members.set(profileId, new Set([member]))
    this.#onFirst(profileId)
  }

  remove(member: Member): void {
    if (member.caller === null) return
    const { profileId } = member.caller
    const members = this.#members.get(profileId)
    if (members === undefined || !members.delete(member) || members.size > 0) return
    this.#members.delete(profileId)
    this.#onNone(profileId)
  }

  /** Safe while members leave: they are copied. */
  of(profileId: number): readonly Member[] {
    const members = this.#members.get(profileId)
    return members === undefined ? [] : [...members]
  }
}

// Which rooms each member hears in one public channel, by the names that it gave. The markets of a
// channel are counted for its socket, its address and the exchange.
// Invariant: a member is in exactly the rooms that are listed here for it.

import { LIMITS } from '../../../../engine/domain/limits.ts'
import { type Refusal, refuse } from '../../http/refusal.ts'
import { unitsOf } from '../connection-counts.ts'
import type { Member } from '../member.ts'
import type { Room } from './room.ts'

/** What a subscription costs, and whether it keeps the earlier one. */
interface Wanted {
  readonly units: number
  readonly isAdded: boolean
}

export class Subscriptions {
  readonly #roomsOf = new Map<Member, Map<string, Room>>()

  /** The names that a member hears. */
  namesOf(member: Member): readonly string[] {
    return [...(this.#roomsOf.get(member)?.keys() ?? [])]
  }

  /** What the first frames of all rooms of a member cost (census.ts). */
  unitsOf(member: Member): number {
    let units = 0
    for (const room of this.#roomsOf.get(member)?.values() ?? []) units += unitsOf(room.firstBytes)
    return Math.max(1, units)
  }

  /** Why a member may not name these markets, of so many units, now (census.ts); or null. */
  refusalOf(member: Member, named: Iterable<string>, wanted: Wanted): Refusal | null {
    if (!member.connectionSlot.asks(wanted.units)) {
      return refuse('RATE_LIMITED', undefined, LIMITS.ownerMessagesSec)
    }
    const earlier = wanted.isAdded ? this.namesOf(member) : []
    const heldCount = new Set([...earlier, ...named]).size
    return member.connectionSlot.holds(this, heldCount) ? null : refuse('SUBSCRIPTION_LIMIT')
  }

  /** Replaces the rooms of a member, or adds to them; each of `rooms` gives it its first frames. */
  set(member: Member, rooms: ReadonlyMap<string, Room>, isAdded: boolean): void {
    const before = this.#roomsOf.get(member) ?? new Map<string, Room>()
    const all = new Map(isAdded ? [...before, ...rooms] : rooms)
    if (all.size === 0) this.#roomsOf.delete(member)
    else this.#roomsOf.set(member, all)
    for (const room of rooms.values()) room.join(member)
    for (const [name, room] of before) if (all.get(name) !== room) room.leave(member)
  }

  /** Gives a member the first frames of those rooms again. */
  again(member: Member, names: readonly string[]): void {
    for (const name of names) this.#roomsOf.get(member)?.get(name)?.join(member)
  }

  /** Ends what a member hears under these names; other names are ignored. */
  drop(member: Member, names: readonly string[]): void {
    const rooms = this.#roomsOf.get(member)
    if (rooms === undefined) return
    for (const name of names) {
      const room = rooms.get(name)
      rooms.delete(name)
      room?.leave(member)
    }
    member.connectionSlot.holds(this, rooms.size)
    if (rooms.size === 0) this.#roomsOf.delete(member)
  }
}

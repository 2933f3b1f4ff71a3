// The subscriptions of each member in one public channel, by the names that it requested. The
// markets of a channel are counted for its socket, its address and the exchange.
// Invariant: a member is in exactly the broadcast groups that are listed here for it.

import { LIMITS } from '../../../../engine/domain/limits.ts'
import { type Refusal, refuse } from '../../../messages/refusal.ts'
import { unitsOf } from '../connection-counts.ts'
import type { Member } from '../member.ts'
import type { BroadcastGroup } from './broadcast-group.ts'

/** The cost of a subscription, and whether it keeps the earlier one. */
interface Wanted {
  readonly units: number
  readonly isAdded: boolean
}

export class Subscriptions {
  readonly #groupsOf = new Map<Member, Map<string, BroadcastGroup>>()

  /** The names that a member is subscribed to. */
  namesOf(member: Member): readonly string[] {
    return [...(this.#groupsOf.get(member)?.keys() ?? [])]
  }

  /** The cost of the first frames of all groups of a member (connection-counts.ts). */
  unitsOf(member: Member): number {
    let units = 0
    for (const group of this.#groupsOf.get(member)?.values() ?? [])
      units += unitsOf(group.firstBytes)
    return Math.max(1, units)
  }

  /**
   * Why a member may not request these markets now, at this many units (connection-counts.ts); or
   * null.
   */
  refusalOf(member: Member, named: Iterable<string>, wanted: Wanted): Refusal | null {
    if (!member.connectionSlot.asks(wanted.units)) {
      return refuse('RATE_LIMITED', undefined, LIMITS.ownerMessagesSec)
    }
    const earlier = wanted.isAdded ? this.namesOf(member) : []
    const heldCount = new Set([...earlier, ...named]).size
    return member.connectionSlot.holds(this, heldCount) ? null : refuse('SUBSCRIPTION_LIMIT')
  }

  /** Replaces the groups of a member, or adds to them. Each new group sends its first frames. */
  set(member: Member, groups: ReadonlyMap<string, BroadcastGroup>, isAdded: boolean): void {
    const before = this.#groupsOf.get(member) ?? new Map<string, BroadcastGroup>()
    const all = new Map(isAdded ? [...before, ...groups] : groups)
    if (all.size === 0) this.#groupsOf.delete(member)
    else this.#groupsOf.set(member, all)
    for (const group of groups.values()) group.join(member)
    for (const [name, group] of before) if (all.get(name) !== group) group.leave(member)
  }

  /** Sends a member the first frames of those groups again. */
  again(member: Member, names: readonly string[]): void {
    for (const name of names) this.#groupsOf.get(member)?.get(name)?.join(member)
  }

  /** Ends the subscriptions of a member to these names; other names are ignored. */
  drop(member: Member, names: readonly string[]): void {
    const groups = this.#groupsOf.get(member)
    if (groups === undefined) return
    for (const name of names) {
      const group = groups.get(name)
      groups.delete(name)
      group?.leave(member)
    }
    member.connectionSlot.holds(this, groups.size)
    if (groups.size === 0) this.#groupsOf.delete(member)
  }
}

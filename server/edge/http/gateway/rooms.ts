// Bounds the requests under way. Each kind has its own room, so a flood of one kind never makes
// another kind wait. No address and no profile can fill a room (design §11), and few of them cannot
// either: the share of each halves as others fill a room. Invariant: a guest is in at most one
// room, which counts it in all, for its address and for its profile.

import { type ShareRule, shareOf, shareRule } from '../../../../engine/domain/fair-share.ts'
import type { ProfileId } from '../../../../engine/domain/ids.ts'
import { LIMITS, type RoomName } from '../../../../engine/domain/limits.ts'
import { type Refusal, refuse } from '../refusal.ts'

/** The bounds of a room: guests in all, of one address, and of one profile. */
export interface RoomSize {
  readonly all: number
  readonly address: number
  readonly profile: number
}

export type RoomSizes = Readonly<Record<RoomName, RoomSize>>

export interface Guest {
  /** '' for no address: only the bound for all guests applies. */
  readonly address: string
  room: RoomName | null
  /** The profile that calls; 0 until it is proven. */
  profileId: ProfileId
}

/** Counts by key; a count of 0 is deleted. */
class Shares<Key> {
  readonly #counts = new Map<Key, number>()

  of(key: Key): number {
    return this.#counts.get(key) ?? 0
  }

  add(key: Key): void {
    this.#counts.set(key, this.of(key) + 1)
  }

  remove(key: Key): void {
    const left = this.of(key) - 1
    if (left > 0) this.#counts.set(key, left)
    else this.#counts.delete(key)
  }
}

/** What an owner has in a full room, at the least one part of so many of its most. */
const FLOOR_PARTS = 64
const FLOOR_MIN = 4

function ruleOf(all: number, size: number): ShareRule {
  const most = Math.min(size, all)
  return shareRule(all, most, Math.min(most, Math.max(FLOOR_MIN, Math.floor(most / FLOOR_PARTS))))
}

class Room {
  readonly size: RoomSize
  readonly ofAddress: ShareRule
  readonly ofProfile: ShareRule
  readonly addresses = new Shares<string>()
  readonly profiles = new Shares<number>()
  count = 0

  constructor(size: RoomSize) {
    this.size = size
    this.ofAddress = ruleOf(size.all, size.address)
    this.ofProfile = ruleOf(size.all, size.profile)
  }
}

export class Rooms {
  readonly #rooms: Readonly<Record<RoomName, Room>>
  #count = 0

  constructor(sizes: RoomSizes = LIMITS.rooms) {
    this.#rooms = {
      bodies: new Room(sizes.bodies),
      vital: new Room(sizes.vital),
      frees: new Room(sizes.frees),
      orders: new Room(sizes.orders),
      reads: new Room(sizes.reads),
      searches: new Room(sizes.searches),
      others: new Room(sizes.others),
    }
  }

  /** All guests of all rooms. */
  get count(): number {
    return this.#count
  }

  countOf(name: RoomName): number {
    return this.#rooms[name].count
  }

  /** The refusal of one more guest from this address; null when the room has a place. */
  refusal(name: RoomName, address: string): Refusal | null {
    const { size, count, addresses, ofAddress } = this.#rooms[name]
    if (count >= size.all) return refuse('OVERLOADED')
    if (address === '') return null
    const own = addresses.of(address)
    return own < shareOf(ofAddress, count - own) ? null : refuse('RATE_LIMITED')
  }

  /** Moves the guest into this room from the room it was in. */
  enter(guest: Guest, name: RoomName): void {
    this.leave(guest)
    const room = this.#rooms[name]
    guest.room = name
    room.count++
    this.#count++
    if (guest.address !== '') room.addresses.add(guest.address)
  }

  /** Counts the guest for its profile; a refusal when the profile has its share already. */
  known(guest: Guest, profileId: ProfileId): Refusal | null {
    if (guest.room === null || profileId === 0) return null
    const { count, profiles, ofProfile } = this.#rooms[guest.room]
    const own = profiles.of(profileId)
    if (own >= shareOf(ofProfile, count - own)) return refuse('RATE_LIMITED')
    guest.profileId = profileId
    profiles.add(profileId)
    return null
  }

  leave(guest: Guest): void {
    if (guest.room === null) return
    const room = this.#rooms[guest.room]
    room.count--
    this.#count--
    if (guest.address !== '') room.addresses.remove(guest.address)
    if (guest.profileId !== 0) room.profiles.remove(guest.profileId)
    guest.room = null
    guest.profileId = 0
  }
}

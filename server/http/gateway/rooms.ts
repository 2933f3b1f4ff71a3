// Where requests under way stand: each kind has a room of its own, so that a flood of one never
// makes another wait, and no address and no profile can fill one (design §11). Invariant: a guest
// stands in one room at most, and is counted there in all, for its address and for its profile.

import type { ProfileId } from '../../../engine/domain/ids.ts'
import { LIMITS, type RoomName } from '../../../engine/domain/limits.ts'
import { type Refusal, refuse } from '../refusal.ts'

/** How many may stand in a room: in all, of one address, of one profile. */
export interface RoomSize {
  readonly all: number
  readonly address: number
  readonly profile: number
}

export type RoomSizes = Readonly<Record<RoomName, RoomSize>>

export interface Guest {
  /** '' is no address: it shares in the bound of all alone. */
  readonly address: string
  room: RoomName | null
  /** Whose it is; 0 until that is proven. */
  profileId: ProfileId
}

/** Counts that are forgotten when they come to nothing. */
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

class Room {
  readonly size: RoomSize
  readonly addresses = new Shares<string>()
  readonly profiles = new Shares<number>()
  count = 0

  constructor(size: RoomSize) {
    this.size = size
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

  /** Why one more of this address finds no place; null when it does. */
  refusal(name: RoomName, address: string): Refusal | null {
    const { size, count, addresses } = this.#rooms[name]
    if (count >= size.all) return refuse('OVERLOADED')
    if (address !== '' && addresses.of(address) >= size.address) return refuse('RATE_LIMITED')
    return null
  }

  /** Takes a place, after giving up the one that the guest had in another room. */
  enter(guest: Guest, name: RoomName): void {
    this.leave(guest)
    const room = this.#rooms[name]
    guest.room = name
    room.count++
    this.#count++
    if (guest.address !== '') room.addresses.add(guest.address)
  }

  /** The guest is known: a refusal when its profile has its share already. */
  known(guest: Guest, profileId: ProfileId): Refusal | null {
    if (guest.room === null || profileId === 0) return null
    const { size, profiles } = this.#rooms[guest.room]
    if (profiles.of(profileId) >= size.profile) return refuse('RATE_LIMITED')
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

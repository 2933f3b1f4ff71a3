// A public channel of one room: its readers hear every frame, and first what they missed. A reader
// that missed too many is disconnected, and is told why.

import { LIMITS } from '../../../../engine/domain/limits.ts'
import type { Refusal } from '../../http/refusal.ts'
import type { Channel } from '../channels.ts'
import { unitsOf } from '../connection-counts.ts'
import type { Member } from '../member.ts'
import { NewestFrames } from './newest-frames.ts'
import { Room, type RoomParts } from './room.ts'
import { Subscriptions } from './subscriptions.ts'

/** What a reader gets behind the frames that it missed, and how long it may be. */
export interface Summary {
  readonly packet: () => Uint8Array
  readonly bytesMax: number
}

export class EventGroup implements Channel {
  readonly isPrivate = false
  readonly #name: string
  readonly #room: Room
  readonly #subscriptions = new Subscriptions()
  readonly #newest: NewestFrames

  constructor(name: string, parts: RoomParts, summary?: Summary) {
    this.#name = name
    // A reader that was behind gets all of it at once.
    this.#newest = new NewestFrames(LIMITS.socketTapeBytesMax - (summary?.bytesMax ?? 0))
    const since = (count: number) => {
      const missed = this.#newest.missed(count)
      return missed === null || summary === undefined ? missed : [...missed, summary.packet()]
    }
    this.#room = new Room(name, parts, { since, pace: 'every' })
  }

  get isEmpty(): boolean {
    return this.#room.isEmpty
  }

  get members(): readonly Member[] {
    return this.#room.members
  }

  subscribe(member: Member): Refusal | null {
    const wanted = { units: unitsOf(this.#room.firstBytes), isAdded: false }
    const refusal = this.#subscriptions.refusalOf(member, [this.#name], wanted)
    if (refusal === null)
      this.#subscriptions.set(member, new Map([[this.#name, this.#room]]), false)
    return refusal
  }

  unsubscribe(member: Member): void {
    this.#subscriptions.drop(member, [this.#name])
  }

  left(member: Member): void {
    this.unsubscribe(member)
  }

  /** Sends a frame to every reader, in its turn. */
  say(packet: Uint8Array): void {
    this.#newest.keep(this.#room.count, packet)
    this.#room.say(packet)
  }
}

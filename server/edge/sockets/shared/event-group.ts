// A public channel of one broadcast group: its readers receive every frame, missed ones first. A
// reader that missed too many is disconnected, with the reason.

import { LIMITS } from '../../../../engine/domain/limits.ts'
import type { Refusal } from '../../../messages/refusal.ts'
import type { Channel } from '../channels.ts'
import { unitsOf } from '../connection-counts.ts'
import type { Member } from '../member.ts'
import { BroadcastGroup, type BroadcastParts } from './broadcast-group.ts'
import { NewestFrames } from './newest-frames.ts'
import { Subscriptions } from './subscriptions.ts'

/** The frame that follows the missed frames of a reader, and its maximum length. */
export interface Summary {
  readonly packet: () => Uint8Array
  readonly bytesMax: number
}

export class EventGroup implements Channel {
  readonly isPrivate = false
  readonly #name: string
  readonly #group: BroadcastGroup
  readonly #subscriptions = new Subscriptions()
  readonly #newest: NewestFrames

  constructor(name: string, parts: BroadcastParts, summary?: Summary) {
    this.#name = name
    // A reader that was behind receives all of it at once.
    this.#newest = new NewestFrames(LIMITS.socketTapeBytesMax - (summary?.bytesMax ?? 0))
    const since = (count: number) => {
      const missed = this.#newest.missed(count)
      return missed === null || summary === undefined ? missed : [...missed, summary.packet()]
    }
    this.#group = new BroadcastGroup(name, parts, { since, pace: 'every' })
  }

  get isEmpty(): boolean {
    return this.#group.isEmpty
  }

  get members(): readonly Member[] {
    return this.#group.members
  }

  subscribe(member: Member): Refusal | null {
    const wanted = { units: unitsOf(this.#group.firstBytes), isAdded: false }
    const refusal = this.#subscriptions.refusalOf(member, [this.#name], wanted)
    if (refusal === null)
      this.#subscriptions.set(member, new Map([[this.#name, this.#group]]), false)
    return refusal
  }

  unsubscribe(member: Member): void {
    this.#subscriptions.drop(member, [this.#name])
  }

  left(member: Member): void {
    this.unsubscribe(member)
  }

  /** Sends a frame to every reader, in order. */
  say(packet: Uint8Array): void {
    this.#newest.keep(this.#group.count, packet)
    this.#group.say(packet)
  }
}

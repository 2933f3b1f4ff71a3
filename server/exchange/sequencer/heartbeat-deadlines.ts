// Main's side of the heartbeats (rules §4.9): the next deadline, and the profiles whose cancels are
// under way. The state itself is in the clearing, and all of this follows from it.

import { Deadlines, HeapPlaces } from '../../../engine/core/markets/deadlines.ts'
import type { ControlCommand } from '../../../engine/domain/command.ts'
import type { ProfileId } from '../../../engine/domain/ids.ts'
import { LIMITS } from '../../../engine/domain/limits.ts'
import type { TimeMs } from '../../../engine/domain/units.ts'

const FIRST_CAPACITY = 1024
const { heartbeatsAtOnceMax, heartbeatOrdersAtOnceMax } = LIMITS

export class HeartbeatDeadlines {
  /** The deadlines, by profile id. */
  readonly #due = new Deadlines(new HeapPlaces(FIRST_CAPACITY))
  /** Profiles whose deadline passed and whose cancels are not all durable yet. */
  readonly #canceling = new Set<number>()

  get nextMs(): TimeMs {
    return this.#due.nextMs
  }

  get armedCount(): number {
    return this.#due.count
  }

  /** Removes and returns the profile with the nearest deadline. */
  pop(): number {
    return this.#due.pop()
  }

  /** Removes and returns the due profiles: as many as one command fires, and at least one. */
  popDue(nowMs: TimeMs, ordersOf: (profileId: ProfileId) => number): ProfileId[] {
    const due: ProfileId[] = []
    let orders = 0
    while (due.length < heartbeatsAtOnceMax && this.#due.nextMs <= nowMs) {
      orders += ordersOf(this.#due.next)
      if (due.length > 0 && orders > heartbeatOrdersAtOnceMax) break
      due.push(this.#due.pop())
    }
    return due
  }

  /** Whether the deadline passed, fired already or not, and not all cancels are durable yet. */
  isCanceling(profileId: ProfileId, nowMs: TimeMs): boolean {
    return this.#canceling.has(profileId) || this.#due.dueMsOf(profileId) <= nowMs
  }

  watch(command: ControlCommand): void {
    if (command.kind === 'armHeartbeat') this.arm(command.profileId, command.cancelAtMs)
    else if (command.kind === 'disarmHeartbeat') this.#due.remove(command.profileId)
    else if (command.kind === 'fireHeartbeats') {
      for (const profileId of command.profileIds) this.began(profileId)
    }
  }

  arm(profileId: ProfileId, cancelAtMs: TimeMs): void {
    this.#due.remove(profileId)
    this.#due.add(profileId, cancelAtMs)
  }

  began(profileId: ProfileId): void {
    this.#canceling.add(profileId)
  }

  /** Call it when the last cancel of these profiles is durable. */
  ended(profileIds: readonly ProfileId[]): void {
    for (const profileId of profileIds) this.#canceling.delete(profileId)
  }
}

// Main's side of the heartbeats (rules §4.9): the next deadline, and the profiles whose cancels are
// under way. The state itself is in the clearing, and all of this follows from it.

import { Deadlines } from '../../../engine/core/markets/deadlines.ts'
import type { RareCommand } from '../../../engine/domain/command.ts'
import type { ProfileId } from '../../../engine/domain/ids.ts'
import type { TimeMs } from '../../../engine/domain/units.ts'

const FIRST_CAPACITY = 1024

export class HeartbeatDeadlines {
  /** The deadlines, by profile id. */
  readonly #due = new Deadlines(FIRST_CAPACITY)
  /** Profiles whose deadline passed and whose cancels are not all durable yet. */
  readonly #canceling = new Set<number>()

  get nextMs(): TimeMs {
    return this.#due.nextMs
  }

  get armedCount(): number {
    return this.#due.count
  }

  /** Takes the profile whose deadline comes first. */
  pop(): number {
    return this.#due.pop()
  }

  isCanceling(profileId: ProfileId): boolean {
    return this.#canceling.has(profileId)
  }

  watch(command: RareCommand): void {
    if (command.kind === 'armHeartbeat') this.arm(command.profileId, command.cancelAtMs)
    else if (command.kind === 'disarmHeartbeat') this.#due.remove(command.profileId)
    else if (command.kind === 'fireHeartbeat') this.began(command.profileId)
  }

  arm(profileId: ProfileId, cancelAtMs: TimeMs): void {
    this.#due.remove(profileId)
    this.#due.add(profileId, cancelAtMs)
  }

  began(profileId: ProfileId): void {
    this.#canceling.add(profileId)
  }

  /** The last cancel of these profiles is durable. */
  ended(profileIds: readonly ProfileId[]): void {
    for (const profileId of profileIds) this.#canceling.delete(profileId)
  }
}

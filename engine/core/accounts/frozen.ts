// Frozen profiles. They can neither trade nor withdraw. Only commands change them; one thread
// writes.
//
//   free ──freeze──▶ frozen ──unfreeze──▶ free, once the last of its orders is gone
//
// A frozen profile gets no new orders, so all its live orders must be canceled. After a crash in
// between, the remaining cancels follow from the state.

import { assert } from '../../domain/assert.ts'
import type { CommandOf } from '../../domain/command-kinds.ts'
import type { ProfileId, Seq } from '../../domain/ids.ts'
import type { TimeMs } from '../../domain/units.ts'

export interface FrozenProfile {
  readonly profileId: ProfileId
  readonly sinceMs: TimeMs
  /** Seq of the command that froze the profile. */
  readonly seq: Seq
  /** The operator's reason; '' if none was given. */
  readonly reason: string
}

export type CapturedFrozen = readonly FrozenProfile[]

export class FrozenProfiles {
  readonly #byProfile = new Map<number, FrozenProfile>()

  get count(): number {
    return this.#byProfile.size
  }

  isFrozen(profileId: ProfileId): boolean {
    return this.#byProfile.has(profileId)
  }

  of(profileId: ProfileId): FrozenProfile | undefined {
    return this.#byProfile.get(profileId)
  }

  /** By ascending profile id. */
  all(): FrozenProfile[] {
    return [...this.#byProfile.values()].sort((a, b) => a.profileId - b.profileId)
  }

  apply(command: CommandOf<'freezes'>): void {
    const { profileId } = command
    const isFrozen = this.isFrozen(profileId)
    if (command.kind === 'unfreezeProfile') {
      assert(isFrozen, 'only a frozen profile is unfrozen')
      this.#byProfile.delete(profileId)
      return
    }
    assert(!isFrozen, 'a frozen profile is not frozen again')
    const { nowMs: sinceMs, seq, reason } = command
    this.#byProfile.set(profileId, { profileId, sinceMs, seq, reason })
  }

  /** The full state, for the state hash; empty if no profile is frozen. */
  *hashedFields(): Iterable<unknown> {
    for (const { profileId, sinceMs, seq, reason } of this.all()) {
      yield ['frozen', profileId, sinceMs, seq, reason]
    }
  }

  capture(): CapturedFrozen {
    return this.all()
  }

  restore(captured: CapturedFrozen): void {
    assert(this.#byProfile.size === 0, 'only a fresh state is restored')
    for (const frozen of captured) this.#byProfile.set(frozen.profileId, frozen)
  }
}

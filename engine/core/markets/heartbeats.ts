// Heartbeat deadlines (rules §4.9), one per profile. Only commands change them; one thread writes.
//
//   none ──arm──▶ armed ──arm──▶ armed (the new deadline replaces the old)
//                 armed ──disarm──▶ none
//                 armed ──fire, at the deadline──▶ fired
//                 fired ──arm──▶ armed, once the last of its cancels is durable
//
// A fired heartbeat cancels all orders of the profile with a lower seq. Orders that are still live
// must be canceled, so no command needs to mark the end of the cancels. After a crash in between,
// the remaining cancels follow from the state.

import { assert } from '../../domain/assert.ts'
import type { Stamp } from '../../domain/command.ts'
import type { CommandOf } from '../../domain/command-kinds.ts'
import type { ProfileId, Seq } from '../../domain/ids.ts'
import type { TimeMs } from '../../domain/units.ts'

export interface Heartbeat {
  readonly profileId: ProfileId
  readonly cancelAtMs: TimeMs
  /** Seq of the command that fired it; 0 while armed. */
  readonly firedSeq: Seq
}

export type CapturedHeartbeats = readonly Heartbeat[]

export class Heartbeats {
  readonly #byProfile = new Map<number, Heartbeat>()

  get count(): number {
    return this.#byProfile.size
  }

  of(profileId: ProfileId): Heartbeat | undefined {
    return this.#byProfile.get(profileId)
  }

  isArmed(profileId: ProfileId): boolean {
    return this.#byProfile.get(profileId)?.firedSeq === 0
  }

  /** By ascending profile id. */
  all(): Heartbeat[] {
    return [...this.#byProfile.values()].sort((a, b) => a.profileId - b.profileId)
  }

  apply(command: CommandOf<'heartbeats'>): void {
    switch (command.kind) {
      case 'armHeartbeat': {
        const { profileId, cancelAtMs } = command
        this.#byProfile.set(profileId, { profileId, cancelAtMs, firedSeq: 0 })
        return
      }
      case 'disarmHeartbeat':
        assert(this.isArmed(command.profileId), 'only an armed heartbeat is disarmed')
        this.#byProfile.delete(command.profileId)
        return
      case 'fireHeartbeat':
        this.#fire(command.profileId, command)
        return
      case 'fireHeartbeats':
        for (const profileId of command.profileIds) this.#fire(profileId, command)
        return
      default:
        command satisfies never
    }
  }

  #fire(profileId: ProfileId, { seq, nowMs }: Stamp): void {
    const before = this.#byProfile.get(profileId)
    assert(before !== undefined && before.firedSeq === 0, 'only an armed heartbeat fires')
    assert(before.cancelAtMs <= nowMs, 'a heartbeat fires at its deadline')
    this.#byProfile.set(profileId, { profileId, cancelAtMs: before.cancelAtMs, firedSeq: seq })
  }

  /** The full state, for the state hash; empty without heartbeats. */
  *hashedFields(): Iterable<unknown> {
    for (const { profileId, cancelAtMs, firedSeq } of this.all()) {
      yield ['heartbeat', profileId, cancelAtMs, firedSeq]
    }
  }

  capture(): CapturedHeartbeats {
    return this.all()
  }

  restore(captured: CapturedHeartbeats): void {
    assert(this.#byProfile.size === 0, 'only a fresh state is restored')
    for (const heartbeat of captured) this.#byProfile.set(heartbeat.profileId, heartbeat)
  }
}

// Calls that moved money, remembered so that none is made twice (rules §6.4): by the signature
// of the call, or by the idempotency key of its profile. Only commands change it; one thread
// writes. Invariants: calls of one kind are remembered equally long, so they end in the order in
// which they came; `owners` counts the calls of each profile in both maps.

import { assert } from '../../domain/assert.ts'
import { OwnerCounts, type ShareOwnerOf } from '../../domain/fair-share.ts'
import type { ProfileId, Seq } from '../../domain/ids.ts'
import type { CallOnce } from '../../domain/moves/call-once.ts'
import type { TimeMs } from '../../domain/units.ts'

export interface MadeCall extends CallOnce {
  readonly profileId: ProfileId
  /** Of the command that the call became. */
  readonly seq: Seq
}

export type CapturedCalls = readonly MadeCall[]

export class MadeCalls {
  readonly #calls = { signed: new Map<string, MadeCall>(), keyed: new Map<string, MadeCall>() }
  readonly owners: OwnerCounts

  constructor(shareOwnerOf: ShareOwnerOf) {
    this.owners = new OwnerCounts(shareOwnerOf)
  }

  /** The call as it was made before; undefined when it was not, or is forgotten by now. */
  find({ by, digest }: Pick<CallOnce, 'by' | 'digest'>, nowMs: TimeMs): MadeCall | undefined {
    const made = this.#calls[by].get(digest)
    return made === undefined || made.untilMs <= nowMs ? undefined : made
  }

  made(call: MadeCall): void {
    const { by, digest, profileId } = call
    assert(!this.#calls[by].has(digest), 'a call is made once')
    this.#calls[by].set(digest, call)
    this.owners.add(profileId, 1)
  }

  /** Forgets calls that can come again without harm. */
  expire(nowMs: TimeMs): void {
    for (const calls of [this.#calls.signed, this.#calls.keyed]) {
      for (const { digest, profileId, untilMs } of calls.values()) {
        if (untilMs > nowMs) break
        calls.delete(digest)
        this.owners.add(profileId, -1)
      }
    }
  }

  /** All the state, for the state hash; no fact while no call is remembered. */
  *facts(): Iterable<unknown> {
    for (const { by, digest, bodyDigest, untilMs, profileId, seq } of this.capture()) {
      yield ['call', by, digest, bodyDigest, untilMs, profileId, seq]
    }
  }

  /** Oldest first of each kind. */
  capture(): CapturedCalls {
    return [...this.#calls.signed.values(), ...this.#calls.keyed.values()]
  }

  restore(captured: CapturedCalls): void {
    assert(this.owners.all === 0, 'only a fresh state is restored')
    for (const call of captured) this.made(call)
  }
}

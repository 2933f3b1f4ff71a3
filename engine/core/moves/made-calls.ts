// Calls that moved money, remembered so that none executes twice (rules §6.4): by the call's
// signature, or by the idempotency key of its profile. Only commands change it; one thread writes.
// Calls expire by their own times, in any order, because another version may remember them for
// longer. Invariants: `owners` counts the calls of each profile in both maps; `#due` contains each
// call once, and no call expires before its parent in that heap.

import { assert } from '../../domain/assert.ts'
import { OwnerCounts, type ShareOwnerOf } from '../../domain/fair-share.ts'
import type { ProfileId, Seq } from '../../domain/ids.ts'
import type { CallOnce } from '../../domain/moves/move-command.ts'
import type { TimeMs } from '../../domain/units.ts'

export interface MadeCall extends CallOnce {
  readonly profileId: ProfileId
  /** Seq of the command created by the call. */
  readonly seq: Seq
}

export type CapturedCalls = readonly MadeCall[]

export class MadeCalls {
  readonly #calls = { signed: new Map<string, MadeCall>(), keyed: new Map<string, MadeCall>() }
  /** A binary heap by expiry, earliest first. */
  readonly #due: MadeCall[] = []
  readonly owners: OwnerCounts

  constructor(shareOwnerOf: ShareOwnerOf) {
    this.owners = new OwnerCounts(shareOwnerOf)
  }

  /** The earlier call; undefined if there is none or it has expired. */
  find({ by, digest }: Pick<CallOnce, 'by' | 'digest'>, nowMs: TimeMs): MadeCall | undefined {
    const made = this.#calls[by].get(digest)
    return made === undefined || made.untilMs <= nowMs ? undefined : made
  }

  made(call: MadeCall): void {
    const { by, digest, profileId } = call
    assert(!this.#calls[by].has(digest), 'a call executes once')
    this.#calls[by].set(digest, call)
    this.owners.add(profileId, 1)
    this.#rise(this.#due.length, call)
  }

  /** Removes calls that can safely be repeated. */
  expire(nowMs: TimeMs): void {
    while (this.#due.length > 0 && this.#due[0].untilMs <= nowMs) {
      const { by, digest, profileId } = this.#due[0]
      this.#calls[by].delete(digest)
      this.owners.add(profileId, -1)
      const last = this.#due.pop()
      if (last !== undefined && this.#due.length > 0) this.#sink(last)
    }
  }

  /** Puts a call at a free position of the heap, or above it. */
  #rise(free: number, call: MadeCall): void {
    let place = free
    while (place > 0) {
      const parent = (place - 1) >> 1
      if (this.#due[parent].untilMs <= call.untilMs) break
      this.#due[place] = this.#due[parent]
      place = parent
    }
    this.#due[place] = call
  }

  /** Puts a call at the root, or below it. */
  #sink(call: MadeCall): void {
    const count = this.#due.length
    let place = 0
    for (let child = 1; child < count; child = place * 2 + 1) {
      const other = child + 1
      const isOther = other < count && this.#due[other].untilMs < this.#due[child].untilMs
      const next = isOther ? other : child
      if (call.untilMs <= this.#due[next].untilMs) break
      this.#due[place] = this.#due[next]
      place = next
    }
    this.#due[place] = call
  }

  /** The full state, for the state hash; empty if no call is remembered. */
  *hashedFields(): Iterable<unknown> {
    for (const { by, digest, bodyDigest, untilMs, profileId, seq } of this.capture()) {
      yield ['call', by, digest, bodyDigest, untilMs, profileId, seq]
    }
  }

  /** Each kind with its oldest calls first. */
  capture(): CapturedCalls {
    return [...this.#calls.signed.values(), ...this.#calls.keyed.values()]
  }

  restore(captured: CapturedCalls): void {
    assert(this.owners.all === 0, 'only a fresh state is restored')
    for (const call of captured) this.made(call)
  }
}

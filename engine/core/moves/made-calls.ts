// Calls that moved money, remembered so that none is made twice (rules §6.4): by the signature
// of the call, or by the idempotency key of its profile. Only commands change it; one thread
// writes. Calls end by their own times, in whatever order they came: another version may remember
// them for longer. Invariants: `owners` counts the calls of each profile in both maps; `#due` holds
// every call once, and no call ends before its parent in that heap.

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
  /** A binary heap: the call that ends next comes first. */
  readonly #due: MadeCall[] = []
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
    this.#rise(this.#due.length, call)
  }

  /** Forgets calls that can come again without harm. */
  expire(nowMs: TimeMs): void {
    while (this.#due.length > 0 && this.#due[0].untilMs <= nowMs) {
      const { by, digest, profileId } = this.#due[0]
      this.#calls[by].delete(digest)
      this.owners.add(profileId, -1)
      const last = this.#due.pop()
      if (last !== undefined && this.#due.length > 0) this.#sink(last)
    }
  }

  /** Puts a call at a free place of the heap, or above it. */
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

  /** Puts a call in place of the first one, or below it. */
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

  /** All the state, for the state hash; no fact while no call is remembered. */
  *hashedFields(): Iterable<unknown> {
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

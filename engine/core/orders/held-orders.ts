// Data of orders that the taker delay may hold, in addition to their records (rules §4.3): when an
// order may enter its market, its self-trade policy, and whether its release is in progress. All
// are columns by slot. Untouched pages cost only address space. One thread writes them.
// Invariants: a slot never admitted here is never held; `releasingCount` counts held orders whose
// release is decided but not yet answered by their market.

import { assert } from '../../domain/assert.ts'
import type { Slot } from '../../domain/ids.ts'
import type { TimeMs } from '../../domain/units.ts'

export class HeldOrders {
  readonly #eligibleMs: Float64Array
  readonly #stp: Uint8Array
  readonly #isReleasing: Uint8Array
  #releasingCount = 0

  constructor(capacity: number) {
    this.#eligibleMs = new Float64Array(capacity)
    this.#stp = new Uint8Array(capacity)
    this.#isReleasing = new Uint8Array(capacity)
  }

  /** Records the terms of an order that may be held. Its market decides whether it is. */
  admit(slot: Slot, eligibleMs: TimeMs, stp: number): void {
    this.#eligibleMs[slot] = eligibleMs
    this.#stp[slot] = stp
  }

  /** When the held order may enter its market. */
  eligibleMsOf(slot: Slot): TimeMs {
    return this.#eligibleMs[slot]
  }

  stpOf(slot: Slot): number {
    return this.#stp[slot]
  }

  get releasingCount(): number {
    return this.#releasingCount
  }

  isReleasing(slot: Slot): boolean {
    return this.#isReleasing[slot] === 1
  }

  /** The release of the order in this slot is decided. */
  releasing(slot: Slot): void {
    assert(this.#isReleasing[slot] === 0, 'an order is released once')
    this.#isReleasing[slot] = 1
    this.#releasingCount++
  }

  /** The order in this slot is no longer held. */
  left(slot: Slot): void {
    if (this.#isReleasing[slot] === 0) return
    this.#isReleasing[slot] = 0
    this.#releasingCount--
  }
}

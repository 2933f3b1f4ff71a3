// What is known of an order that taker delay may hold, beside its record (rules §4.3): when it may
// enter its market, the self-trade policy it enters with, and whether it is entering now. By slot;
// pages that no such order touches cost address space only. One thread writes it.
// Invariants: a slot that was never admitted here is never held; `releasingCount` counts the held
// orders whose release is decided and not yet answered by their market.

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

  /** Whether it comes to be held its market will say. */
  admit(slot: Slot, eligibleMs: TimeMs, stp: number): void {
    this.#eligibleMs[slot] = eligibleMs
    this.#stp[slot] = stp
  }

  /** When the order, which is held, may enter its market. */
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

  /** The order in this slot is not held any more. */
  left(slot: Slot): void {
    if (this.#isReleasing[slot] === 0) return
    this.#isReleasing[slot] = 0
    this.#releasingCount--
  }
}

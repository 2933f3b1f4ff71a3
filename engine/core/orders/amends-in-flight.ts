// Orders with an amend that is decided and not answered. Main does not know yet what such an order
// has open, so the gates refuse another amend of it (rules §4.10).

import type { Slot } from '../../domain/ids.ts'

export class AmendsInFlight {
  /** For a replaced order its replacement, and for that the replaced one; else the order itself. */
  readonly #other = new Map<Slot, Slot>()

  has(slot: Slot): boolean {
    return this.#other.has(slot)
  }

  decreasing(slot: Slot): void {
    this.#other.set(slot, slot)
  }

  replacing(replaced: Slot, slot: Slot): void {
    this.#other.set(replaced, slot)
    this.#other.set(slot, replaced)
  }

  /** The order was decreased, or it ended. */
  ended(slot: Slot): void {
    if (this.#other.size === 0) return
    const other = this.#other.get(slot)
    if (other === undefined) return
    this.#other.delete(slot)
    this.#other.delete(other)
  }

  /** The market answered the order. A decrease that was decided meanwhile is still in flight. */
  arrived(slot: Slot): void {
    if (this.#other.size > 0 && this.#other.get(slot) !== slot) this.ended(slot)
  }
}

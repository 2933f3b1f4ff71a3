// Orders with an amend that is decided and not answered. Main does not know yet what such an order
// has open, so the gates refuse another amend of it (rules §4.10).

import type { Slot } from '../../domain/ids.ts'

export class AmendsInFlight {
  readonly #decreasing = new Set<Slot>()
  /** The replaced order, by its replacement; and the other way round. */
  readonly #replacedBy = new Map<Slot, Slot>()
  readonly #replacementOf = new Map<Slot, Slot>()

  has(slot: Slot): boolean {
    return this.#decreasing.has(slot) || this.#replacedBy.has(slot) || this.#replacementOf.has(slot)
  }

  decreasing(slot: Slot): void {
    this.#decreasing.add(slot)
  }

  replacing(replaced: Slot, slot: Slot): void {
    this.#replacedBy.set(slot, replaced)
    this.#replacementOf.set(replaced, slot)
  }

  /** The order was decreased, or it ended. */
  ended(slot: Slot): void {
    if (this.#decreasing.size > 0) this.#decreasing.delete(slot)
    if (this.#replacedBy.size === 0) return
    this.arrived(slot)
    const replacement = this.#replacementOf.get(slot)
    if (replacement !== undefined) this.arrived(replacement)
  }

  /**
   * The market answered the order, which may be a replacement. The answer to a replaced order may
   * come later than the decision to replace it, and ends no amend.
   */
  arrived(slot: Slot): void {
    if (this.#replacedBy.size === 0) return
    const replaced = this.#replacedBy.get(slot)
    if (replaced === undefined) return
    this.#replacedBy.delete(slot)
    this.#replacementOf.delete(replaced)
  }
}

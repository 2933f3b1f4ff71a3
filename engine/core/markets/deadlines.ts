// Due times by slot, in a binary heap that knows the place of each slot. So a deadline that is
// dropped early leaves the heap at once, and the heap holds live deadlines only. 16 bytes a
// deadline.
// Invariants: the due time of a parent ≤ the due times of its children; #placeOf[slot] is the
// slot's index + 1, or 0 when the slot has no deadline.

import { assert } from '../../domain/assert.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { TimeMs } from '../../domain/units.ts'

export class Deadlines {
  #slots: Int32Array
  #due: Float64Array
  #placeOf: Int32Array
  #count = 0

  /** A slot past the capacity doubles it. Unused pages cost address space only. */
  constructor(capacity: number = LIMITS.orderSlotsMax) {
    this.#slots = new Int32Array(capacity)
    this.#due = new Float64Array(capacity)
    this.#placeOf = new Int32Array(capacity)
  }

  get count(): number {
    return this.#count
  }

  /** The earliest due time; Infinity when there is none. */
  get nextMs(): TimeMs {
    return this.#count === 0 ? Number.POSITIVE_INFINITY : this.#due[0]
  }

  add(slot: number, dueMs: TimeMs): void {
    while (slot >= this.#placeOf.length) this.#grow()
    assert(this.#placeOf[slot] === 0, 'a slot has one deadline')
    this.#rise(this.#count++, slot, dueMs)
  }

  #grow(): void {
    const { length } = this.#placeOf
    const slots = new Int32Array(length * 2)
    const due = new Float64Array(length * 2)
    const placeOf = new Int32Array(length * 2)
    slots.set(this.#slots)
    due.set(this.#due)
    placeOf.set(this.#placeOf)
    this.#slots = slots
    this.#due = due
    this.#placeOf = placeOf
  }

  /** Takes out the slot with the earliest deadline. */
  pop(): number {
    assert(this.#count > 0, 'a popped deadline exists')
    const slot = this.#slots[0]
    this.remove(slot)
    return slot
  }

  /** Forgets the slot's deadline, if there is one. A slot past the capacity has none. */
  remove(slot: number): void {
    if (slot >= this.#placeOf.length) return
    const index = this.#placeOf[slot] - 1
    if (index < 0) return
    this.#placeOf[slot] = 0
    const last = --this.#count
    if (index === last) return
    const moved = this.#slots[last]
    const dueMs = this.#due[last]
    this.#sink(index, moved, dueMs)
    if (this.#slots[index] === moved) this.#rise(index, moved, dueMs)
  }

  #put(index: number, slot: number, dueMs: TimeMs): void {
    this.#slots[index] = slot
    this.#due[index] = dueMs
    this.#placeOf[slot] = index + 1
  }

  #rise(from: number, slot: number, dueMs: TimeMs): void {
    let index = from
    while (index > 0) {
      const parent = (index - 1) >> 1
      if (this.#due[parent] <= dueMs) break
      this.#put(index, this.#slots[parent], this.#due[parent])
      index = parent
    }
    this.#put(index, slot, dueMs)
  }

  #sink(from: number, slot: number, dueMs: TimeMs): void {
    let index = from
    for (;;) {
      let child = 2 * index + 1
      if (child >= this.#count) break
      if (child + 1 < this.#count && this.#due[child + 1] < this.#due[child]) child++
      if (this.#due[child] >= dueMs) break
      this.#put(index, this.#slots[child], this.#due[child])
      index = child
    }
    this.#put(index, slot, dueMs)
  }
}

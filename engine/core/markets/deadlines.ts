// Due times by slot, in a binary heap that tracks the position of each slot. So an early removal
// takes effect immediately, and the heap contains only live deadlines, at 16 bytes each.
// Invariants: the due time of a parent ≤ the due times of its children; #places.of[slot] is the
// slot's index + 1, or 0 if the slot has no deadline.

import { assert } from '../../domain/assert.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { TimeMs } from '../../domain/units.ts'
import { wideEnough } from '../cells/columns.ts'

/** Heap index + 1 of each slot. Heaps with different slots may share it. */
export class HeapPlaces {
  of: Int32Array

  /** A slot above the capacity grows it. Unused pages cost only address space. */
  constructor(capacity: number) {
    this.of = new Int32Array(capacity)
  }
}

const FIRST_ENTRIES = 64

export class Deadlines {
  readonly #places: HeapPlaces
  #slots = new Int32Array(FIRST_ENTRIES)
  #due = new Float64Array(FIRST_ENTRIES)
  #count = 0

  constructor(places: HeapPlaces = new HeapPlaces(LIMITS.orderSlotsMax)) {
    this.#places = places
  }

  get count(): number {
    return this.#count
  }

  /** The earliest due time; Infinity if none. */
  get nextMs(): TimeMs {
    return this.#count === 0 ? Number.POSITIVE_INFINITY : this.#due[0]
  }

  /** The slot with the earliest deadline. */
  get next(): number {
    assert(this.#count > 0, 'the next deadline exists')
    return this.#slots[0]
  }

  /** The deadline of a slot; Infinity if none. */
  dueMsOf(slot: number): TimeMs {
    const index = (this.#places.of[slot] ?? 0) - 1
    return index < 0 ? Number.POSITIVE_INFINITY : this.#due[index]
  }

  add(slot: number, dueMs: TimeMs): void {
    if (slot >= this.#places.of.length) this.#places.of = wideEnough(this.#places.of, slot)
    assert(this.#places.of[slot] === 0, 'a slot has one deadline')
    if (this.#count === this.#slots.length) this.#grow()
    this.#rise(this.#count++, slot, dueMs)
  }

  #grow(): void {
    const slots = new Int32Array(this.#count * 2)
    const due = new Float64Array(this.#count * 2)
    slots.set(this.#slots)
    due.set(this.#due)
    this.#slots = slots
    this.#due = due
  }

  /** Removes and returns the slot with the earliest deadline. */
  pop(): number {
    const slot = this.next
    this.remove(slot)
    return slot
  }

  /** Removes the slot's deadline, if any. A slot above the capacity has none. */
  remove(slot: number): void {
    const places = this.#places.of
    if (slot >= places.length) return
    const index = places[slot] - 1
    if (index < 0) return
    places[slot] = 0
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
    this.#places.of[slot] = index + 1
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

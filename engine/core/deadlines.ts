// Due times by slot: a binary heap that knows where each slot stands, so that what ends early
// leaves at once and the heap is never longer than what lives.
// Invariants: dueOf a parent ≤ dueOf its children; indexOf[slot] is its place, absent when none.

import { assert } from '../domain/assert.ts'
import type { TimeMs } from '../domain/units.ts'

export class Deadlines {
  readonly #slots: number[] = []
  readonly #dueOf = new Map<number, TimeMs>()
  readonly #indexOf = new Map<number, number>()

  get count(): number {
    return this.#slots.length
  }

  /** Due time of the next slot; Infinity when none waits. */
  get nextMs(): TimeMs {
    return this.#slots.length === 0 ? Number.POSITIVE_INFINITY : this.#due(this.#slots[0])
  }

  add(slot: number, dueMs: TimeMs): void {
    assert(!this.#dueOf.has(slot), 'a slot has one deadline')
    this.#dueOf.set(slot, dueMs)
    this.#slots.push(slot)
    this.#rise(this.#slots.length - 1)
  }

  /** Takes the slot with the earliest deadline. */
  pop(): number {
    assert(this.#slots.length > 0, 'a popped deadline exists')
    const slot = this.#slots[0]
    this.remove(slot)
    return slot
  }

  /** Forgets the slot's deadline, if it has one. */
  remove(slot: number): void {
    const index = this.#indexOf.get(slot)
    if (index === undefined) return
    const last = this.#slots.length - 1
    this.#swap(index, last)
    this.#slots.pop()
    this.#indexOf.delete(slot)
    this.#dueOf.delete(slot)
    if (index === last) return
    this.#rise(index)
    this.#sink(index)
  }

  #due(slot: number): TimeMs {
    return this.#dueOf.get(slot) ?? Number.POSITIVE_INFINITY
  }

  #swap(a: number, b: number): void {
    const slotA = this.#slots[a]
    const slotB = this.#slots[b]
    this.#slots[a] = slotB
    this.#slots[b] = slotA
    this.#indexOf.set(slotB, a)
    this.#indexOf.set(slotA, b)
  }

  #rise(from: number): void {
    let index = from
    this.#indexOf.set(this.#slots[index], index)
    while (index > 0) {
      const parent = (index - 1) >> 1
      if (this.#due(this.#slots[parent]) <= this.#due(this.#slots[index])) return
      this.#swap(parent, index)
      index = parent
    }
  }

  #sink(from: number): void {
    let index = from
    for (;;) {
      let least = index
      for (const child of [2 * index + 1, 2 * index + 2]) {
        if (child >= this.#slots.length) continue
        if (this.#due(this.#slots[child]) < this.#due(this.#slots[least])) least = child
      }
      if (least === index) return
      this.#swap(index, least)
      index = least
    }
  }
}

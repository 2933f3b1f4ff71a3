// Client order ids of live orders by slot, and the slot of each id.
// Invariants: cells with the same home follow it without gaps; a cell is a slot, or 0 if empty; at
// most one live order of an account has a given id.

import type { AccountId, Slot } from '../../domain/ids.ts'
import { TextCells } from '../cells/text-cells.ts'
import { clientKey, findClientKey } from './client-key.ts'

const FIRST_CELLS = 1 << 10

export class LiveClientIds {
  readonly #texts = new TextCells()
  readonly #textOf: Int32Array
  readonly #highOf: Uint32Array
  readonly #lowOf: Uint32Array
  #slots = new Int32Array(FIRST_CELLS)
  #count = 0

  constructor(capacity: number) {
    this.#textOf = new Int32Array(capacity)
    this.#highOf = new Uint32Array(capacity)
    this.#lowOf = new Uint32Array(capacity)
  }

  add(slot: Slot, accountId: AccountId, clientOrderId: string): void {
    findClientKey(accountId, clientOrderId)
    this.#textOf[slot] = this.#texts.put(clientOrderId)
    this.#highOf[slot] = clientKey.high
    this.#lowOf[slot] = clientKey.low
    this.#count++
    if (this.#count * 4 > this.#slots.length * 3) this.#grow()
    this.#put(slot)
  }

  /** The client id of the slot's order; '' if it has none. */
  textOf(slot: Slot): string {
    const first = this.#textOf[slot]
    return first === 0 ? '' : this.#texts.get(first)
  }

  /** The key of the slot's id; null if the order has none. */
  keyOf(slot: Slot): readonly [high: number, low: number] | null {
    return this.#textOf[slot] === 0 ? null : [this.#highOf[slot], this.#lowOf[slot]]
  }

  /** The slot of the live order with this client id; 0 if there is none. */
  slotOf(accountId: AccountId, clientOrderId: string): Slot {
    findClientKey(accountId, clientOrderId)
    const mask = this.#slots.length - 1
    for (let cell = clientKey.low & mask; this.#slots[cell] !== 0; cell = (cell + 1) & mask) {
      const slot = this.#slots[cell]
      const isKey = this.#lowOf[slot] === clientKey.low && this.#highOf[slot] === clientKey.high
      if (isKey && this.textOf(slot) === clientOrderId) return slot
    }
    return 0
  }

  /** Removes the id of the slot's order, if it has one. */
  remove(slot: Slot): void {
    if (this.#textOf[slot] === 0) return
    this.#texts.free(this.#textOf[slot])
    this.#textOf[slot] = 0
    this.#count--
    const mask = this.#slots.length - 1
    let hole = this.#lowOf[slot] & mask
    while (this.#slots[hole] !== slot) hole = (hole + 1) & mask
    for (let cell = (hole + 1) & mask; this.#slots[cell] !== 0; cell = (cell + 1) & mask) {
      const home = this.#lowOf[this.#slots[cell]] & mask
      if (((cell - home) & mask) < ((cell - hole) & mask)) continue
      this.#slots[hole] = this.#slots[cell]
      hole = cell
    }
    this.#slots[hole] = 0
  }

  #put(slot: Slot): void {
    const mask = this.#slots.length - 1
    let cell = this.#lowOf[slot] & mask
    while (this.#slots[cell] !== 0) cell = (cell + 1) & mask
    this.#slots[cell] = slot
  }

  #grow(): void {
    const slots = this.#slots
    this.#slots = new Int32Array(slots.length * 2)
    for (const slot of slots) if (slot !== 0) this.#put(slot)
  }
}

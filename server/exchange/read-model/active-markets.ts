// The active markets and their recent changes, so that a sorted list is updated only by what
// changed. Each active market has a slot. The markets in memory are linked by their newest change,
// newest first. Invariants: a slot has at most one owner. When a slot's owner changed after some
// instant, a market that names this slot changed after it too, or was forgotten after it.

import { assert } from '../../../engine/domain/assert.ts'

export interface Noted<T> {
  /** Its newest slot; another market may own this slot when the market is not active. */
  activeSlot: number
  changedAt: number
  newer: T | null
  older: T | null
}

export const NOT_NOTED = { activeSlot: -1, changedAt: 0, newer: null, older: null } as const

export class ActiveMarkets<T extends Noted<T>> {
  readonly #bySlot: (T | undefined)[] = []
  readonly #free = new Set<number>()
  #newest: T | null = null
  #count = 0
  /** Counts all changes. */
  at = 0
  /** A reader that has not seen this change cannot catch up by changes: it rebuilds. */
  forgottenAt = 0
  /** Rises when a market becomes active or stops being active. */
  version = 0

  get count(): number {
    return this.#count
  }

  /** Every slot is below it. */
  get slotsEnd(): number {
    return this.#bySlot.length
  }

  ownerOf(slot: number): T | undefined {
    return this.#bySlot[slot]
  }

  /** Records a change of a market, and whether it is active now. */
  note(each: T, isActive: boolean): void {
    const isOwner = each.activeSlot >= 0 && this.#bySlot[each.activeSlot] === each
    if (isActive && !isOwner) this.#give(each)
    else if (!isActive && isOwner) this.#take(each)
    this.changed(each)
  }

  /** Records a change that does not affect whether the market is active. */
  changed(each: T): void {
    each.changedAt = ++this.at
    if (this.#newest === each) return
    this.#unlink(each)
    each.older = this.#newest
    if (this.#newest !== null) this.#newest.newer = each
    this.#newest = each
  }

  /** Call it when a market leaves memory. */
  forget(each: T): void {
    if (this.ownerOf(each.activeSlot) === each) this.note(each, false)
    this.forgottenAt = Math.max(this.forgottenAt, each.changedAt)
    if (this.#newest === each) this.#newest = each.older
    this.#unlink(each)
  }

  #give(each: T): void {
    // A returning market takes its own slot again if possible: readers may not have seen that it
    // left.
    let slot = each.activeSlot
    if (!this.#free.has(slot)) {
      const [first] = this.#free
      slot = first ?? this.#bySlot.length
    }
    this.#free.delete(slot)
    assert(this.#bySlot[slot] === undefined, 'a free slot has no owner')
    this.#bySlot[slot] = each
    each.activeSlot = slot
    this.#count++
    this.version++
  }

  #take(each: T): void {
    this.#bySlot[each.activeSlot] = undefined
    this.#free.add(each.activeSlot)
    this.#count--
    this.version++
  }

  #unlink(each: T): void {
    const { newer, older } = each
    if (newer !== null) newer.older = older
    if (older !== null) older.newer = newer
    each.newer = null
    each.older = null
  }

  /**
   * The slots of the markets that changed after `at`; null when there are more than `most`, or when
   * they are no longer known.
   */
  slotsSince(at: number, most: number): readonly number[] | null {
    if (at < this.forgottenAt) return null
    const slots: number[] = []
    let next = this.#newest
    while (next !== null && next.changedAt > at) {
      if (slots.length === most) return null
      if (next.activeSlot >= 0) slots.push(next.activeSlot)
      next = next.older
    }
    return slots
  }
}

// Releases held orders to their markets (rules §4.3). An order is released when its delay is over
// and takers may enter. Orders are released in the order in which their delays end, and at the same
// instant in the order of their seqs: first come, first served. Main's thread owns it.
// Invariant: a held order whose release is not decided has a deadline, or is due and waits.

import type { Clearing } from '../../../engine/core/clearing.ts'
import { isReleasing, mayRelease } from '../../../engine/core/decide/release.ts'
import { Deadlines } from '../../../engine/core/markets/deadlines.ts'
import { STATE } from '../../../engine/core/orders/order-table.ts'
import type { Generation, MarketId, Seq, Slot } from '../../../engine/domain/ids.ts'
import { takesOrders } from '../../../engine/domain/markets/market.ts'
import type { TimeMs } from '../../../engine/domain/units.ts'
import type { OrderName } from './due-cancels.ts'

const NO_ORDERS: readonly OrderName[] = []
const NOWHERE: ReadonlySet<MarketId> = new Set()

interface Due {
  readonly slot: Slot
  readonly generation: Generation
  readonly eligibleMs: TimeMs
  readonly seq: Seq
}

function byRound(one: Due, other: Due): number {
  return one.eligibleMs - other.eligibleMs || one.seq - other.seq
}

export class Releases {
  readonly #clearing: Clearing
  readonly #deadlines = new Deadlines()
  /** Ordered by the end of the delay, then by seq. */
  #due: Due[] = []
  /** The markets of releases that the last time slice left over. */
  #cutIn: ReadonlySet<MarketId> = NOWHERE

  constructor(clearing: Clearing) {
    this.#clearing = clearing
  }

  /** Releases that are due but not decided: takers may not enter, or a ring is full. */
  get dueCount(): number {
    return this.#due.length
  }

  /** Whether releases of the market wait for the next time slice: new orders follow them. */
  isCutIn(marketId: MarketId): boolean {
    return this.#cutIn.has(marketId)
  }

  /** When the next delay ends; Infinity when no order is held. */
  get nextMs(): TimeMs {
    return this.#deadlines.nextMs
  }

  /** Whether a release is due at `nowMs`, or is still due from before. */
  isDue(nowMs: TimeMs): boolean {
    return this.#due.length > 0 || this.#deadlines.nextMs <= nowMs
  }

  /** The orders among these that are live and being released (rules §4.3). */
  among(orders: readonly OrderName[]): readonly OrderName[] {
    const { orders: table } = this.#clearing
    if (table.held.releasingCount === 0) return NO_ORDERS
    return orders.filter(
      ({ slot, generation }) => table.isLive(slot, generation) && isReleasing(this.#clearing, slot),
    )
  }

  /** Adds the deadline of an order that is now held. */
  held(slot: Slot): void {
    this.#deadlines.add(slot, this.#clearing.orders.held.eligibleMsOf(slot))
  }

  /** Removes the deadline of an ended order. */
  ended(slot: Slot): void {
    if (this.#deadlines.count > 0) this.#deadlines.remove(slot)
  }

  /** After a restart: gives every held order its deadline again. */
  resume(): void {
    const { orders } = this.#clearing
    for (let slot = 1; slot <= orders.highSlot; slot++) {
      if (orders.stateOf(slot) === STATE.HELD) this.held(slot)
    }
  }

  /**
   * `release` stamps the release of a slot and returns false when the market's ring is full.
   * `isOver` reports the end of the time slice.
   */
  emitDue(
    nowMs: TimeMs,
    release: (slot: Slot, marketId: MarketId) => boolean,
    isOver: () => boolean,
  ): void {
    const { orders } = this.#clearing
    this.#takeDue(nowMs)
    this.#cutIn = NOWHERE
    if (this.#due.length === 0 || !mayRelease(this.#clearing, nowMs)) return
    const full = new Set<number>()
    let end = this.#due.length
    const left = this.#due.filter(({ slot, generation }, index) => {
      if (index >= end) return true
      if (!orders.isLive(slot, generation)) return false
      const marketId = orders.marketOf(slot)
      // The cancel of this order is under way or due: the order never trades again.
      if (!takesOrders(this.#clearing.catalogue.ofBook(orders.bookOf(slot)).status)) return false
      if (!full.has(marketId) && release(slot, marketId)) {
        if (isOver()) end = index + 1
        return false
      }
      full.add(marketId)
      return true
    })
    if (end < this.#due.length) this.#cutIn = new Set(left.map(({ slot }) => orders.marketOf(slot)))
    this.#due = left
  }

  #takeDue(nowMs: TimeMs): void {
    if (this.#deadlines.nextMs > nowMs) return
    const { orders } = this.#clearing
    while (this.#deadlines.nextMs <= nowMs) {
      const eligibleMs = this.#deadlines.nextMs
      const slot = this.#deadlines.pop()
      const generation = orders.generationOf(slot)
      this.#due.push({ slot, generation, eligibleMs, seq: orders.seqOf(slot) })
    }
    // The heap returns orders of one instant in any order.
    this.#due.sort(byRound)
  }
}

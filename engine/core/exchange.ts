// The whole exchange on one thread, for the follower, recovery checks, the simulation and tests.
// The books are in one module-level arena, so a thread has one Exchange at a time. A new one clears
// the books.

import type {
  CancelOrders,
  Command,
  DecreaseOrder,
  PlaceOrder,
  ReleaseOrder,
} from '../domain/command.ts'
import { eventF64s, eventWords, flushEvents, onEventsReady } from './book/event-buffer.ts'
import {
  cancelInMarket,
  decreaseInMarket,
  placeInMarket,
  releaseInMarket,
  resetMarkets,
} from './book/market.ts'
import { portableSha256 } from './cells/digest.ts'
import { Clearing } from './clearing.ts'
import type { OrderTable } from './orders/order-table.ts'
import { brokenInvariant } from './state/invariants.ts'
import { bookDigest, stateHash } from './state/state-hash.ts'

/**
 * Called with each chunk of a command's records before they are settled, while their orders are
 * still in the slots.
 */
export type EventsListener = (words: Int32Array, f64s: Float64Array, count: number) => void

export class Exchange {
  readonly clearing: Clearing
  onEvents: EventsListener = () => {}

  constructor(orders?: OrderTable) {
    this.clearing = new Clearing(orders)
    resetMarkets()
    onEventsReady((count) => {
      this.onEvents(eventWords, eventF64s, count)
      this.clearing.settle(eventWords, eventF64s, 0, count)
    })
  }

  /** Never refuses. A command that violates an invariant is a fault. */
  apply(command: Command): void {
    if (command.kind === 'placeOrder') this.place(command)
    else if (command.kind === 'cancelOrders') this.cancel(command)
    else if (command.kind === 'releaseOrder') this.release(command)
    else if (command.kind === 'decreaseOrder') this.decrease(command)
    else this.clearing.admitControl(command)
  }

  /** Callers that know the command's kind skip the dispatch of `apply`. */
  place(order: PlaceOrder): void {
    this.clearing.admitOrder(order)
    placeInMarket(order)
    flushEvents()
  }

  /** As `place`, for cancels. */
  cancel(cancel: CancelOrders): void {
    this.clearing.admitCancel(cancel)
    cancelInMarket(cancel)
    flushEvents()
  }

  /** As `place`, for decreases. */
  decrease(decrease: DecreaseOrder): void {
    this.clearing.admitDecrease(decrease)
    decreaseInMarket(decrease)
    flushEvents()
  }

  /** As `place`, for releases. */
  release(release: ReleaseOrder): void {
    this.clearing.admitRelease(release)
    releaseInMarket(release)
    flushEvents()
  }

  stateHash(newSha256 = portableSha256): string {
    const books = this.clearing.catalogue.openBooks()
    const digests = books.map((book) => bookDigest(book, newSha256))
    return stateHash(this.clearing, digests, newSha256)
  }

  /** null, or a sentence that names the violated invariant. */
  checkInvariants(): string | null {
    return brokenInvariant(this.clearing)
  }
}

// The book as a market thread runs it: core/book/market.ts with its events, without money.

import {
  eventF64s,
  eventWords,
  flushEvents,
  onEventsReady,
} from '../../engine/core/book/event-buffer.ts'
import { cancelInMarket, placeInMarket, resetMarkets } from '../../engine/core/book/market.ts'
import { blankPlace } from '../../engine/wire/place-codec.ts'
import { OP, type Workload } from '../workload/workload.ts'
import { fillOrder } from '../workload/workload-order.ts'
import { blankCancel, type Contender, EXPIRED, FillCount, USER } from './contender.ts'

export class OurBook implements Contender {
  readonly fills = new FillCount()
  readonly #work: Workload
  readonly #order = blankPlace()
  readonly #cancel = blankCancel(0)

  constructor(work: Workload) {
    this.#work = work
    onEventsReady((count) => this.fills.addEvents(eventWords, eventF64s, count))
  }

  run(from: number, to: number): void {
    const { op } = this.#work
    for (let row = from; row < to; row++) {
      if (op[row] === OP.PLACE) this.#place(row)
      else this.#end(row)
      flushEvents()
    }
  }

  #place(row: number): void {
    const order = this.#order
    fillOrder(order, this.#work, row)
    order.seq = row + 1
    order.slot = this.#work.slot[row]
    order.generation = this.#work.generation[row]
    placeInMarket(order)
  }

  #end(row: number): void {
    const work = this.#work
    const cancel = this.#cancel
    cancel.seq = row + 1
    cancel.marketId = work.book[row]
    cancel.reason = work.isExpiry[row] === 1 ? EXPIRED : USER
    cancel.slots[0] = work.slot[row]
    cancel.generations[0] = work.generation[row]
    cancelInMarket(cancel)
  }

  empty(): void {
    resetMarkets()
  }
}

// The book as a market thread runs it: core/book/market.ts with its events, without money.

import { eventF64s, eventWords, onEventsReady } from '../../engine/core/book/event-buffer.ts'
import { cancelInMarket, placeInMarket, resetMarkets } from '../../engine/core/book/market.ts'
import type { CancelOrders } from '../../engine/domain/command.ts'
import {
  CANCEL_REASONS,
  EVENT,
  eventAt,
  eventKind,
  eventSizeRaw,
} from '../../engine/domain/event.ts'
import { ladderTicks } from '../../engine/domain/order.ts'
import { blankPlace } from '../../engine/wire/place-codec.ts'
import { OP, type Workload } from '../workload/workload.ts'
import type { Contender } from './contender.ts'

const USER = CANCEL_REASONS.indexOf('USER')
const EXPIRED = CANCEL_REASONS.indexOf('EXPIRED')

export class OurBook implements Contender {
  readonly #work: Workload
  readonly #order = blankPlace()
  readonly #cancel: CancelOrders = {
    kind: 'cancelOrders',
    seq: 0,
    nowMs: 0,
    marketId: 0,
    reason: 0,
    count: 1,
    slots: new Uint32Array(1),
    generations: new Uint32Array(1),
  }
  #fills = 0
  #filledRaw = 0

  constructor(work: Workload) {
    this.#work = work
    onEventsReady((count) => this.#receive(count))
  }

  #receive(count: number): void {
    for (let record = 0; record < count; record++) {
      const event = eventAt(0, record)
      if (eventKind(eventWords, event) !== EVENT.FILL) continue
      this.#fills++
      this.#filledRaw += eventSizeRaw(eventF64s, event)
    }
  }

  run(from: number, to: number): void {
    const { op } = this.#work
    for (let row = from; row < to; row++) {
      if (op[row] === OP.PLACE) this.#place(row)
      else this.#take(row)
    }
  }

  #place(row: number): void {
    const work = this.#work
    const order = this.#order
    order.seq = row + 1
    order.marketId = work.book[row]
    order.book = work.book[row]
    order.accountId = work.owner[row]
    order.slot = work.slot[row]
    order.generation = work.generation[row]
    order.side = work.side[row]
    order.outcome = work.outcome[row]
    order.orderType = work.orderType[row]
    order.postOnly = work.postOnly[row] === 1
    order.stp = work.stp[row]
    order.priceTicks = ladderTicks(order.outcome, work.ticks[row])
    order.sizeRaw = work.sizeRaw[row]
    placeInMarket(order)
  }

  #take(row: number): void {
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

  takeFills(): { fills: number; filledRaw: number } {
    const taken = { fills: this.#fills, filledRaw: this.#filledRaw }
    this.#fills = 0
    this.#filledRaw = 0
    return taken
  }
}

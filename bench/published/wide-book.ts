import './wide-arena.ts'
import {
  eventF64s,
  eventWords,
  flushEvents,
  onEventsReady,
} from '../../engine/core/book/event-buffer.ts'
import { cancelInMarket, placeInMarket, resetMarkets } from '../../engine/core/book/market.ts'
import {
  EVENT,
  eventAt,
  eventCode,
  eventKind,
  eventLeftRaw,
  eventSizeRaw,
  eventSlot,
  eventTicks,
  RESULT,
} from '../../engine/domain/event.ts'
import { ORDER_TYPES, OUTCOME, SIDE } from '../../engine/domain/order.ts'
import { SIZE_STEP_RAW } from '../../engine/domain/units.ts'
import { blankPlace } from '../../engine/wire/place-codec.ts'
import { blankCancel } from '../contenders/contender.ts'
import { KIND, type Messages } from './messages.ts'

// Our book as a market thread runs it, on the messages of the published benchmark. The slot of an
// order is its id. Buyers and sellers are two accounts, so nobody trades with himself.

const BOOK = 1
const GTC = ORDER_TYPES.indexOf('GTC')
const FAK = ORDER_TYPES.indexOf('FAK')
const { NEW, IOC, CANCEL } = KIND

export class WideBook {
  readonly #messages: Messages
  readonly #order = blankPlace()
  readonly #cancel = blankCancel(0)

  /** `take` gets the events of each run, or of a part of it. */
  constructor(messages: Messages, take: (count: number) => void) {
    this.#messages = messages
    resetMarkets()
    const order = this.#order
    order.marketId = BOOK
    order.book = BOOK
    order.outcome = OUTCOME.YES
    order.generation = 1
    this.#cancel.marketId = BOOK
    this.#cancel.generations[0] = 1
    onEventsReady(take)
  }

  /** Runs the rows from `from` (included) to `to` (excluded). */
  run(from: number, to: number): void {
    const { kind } = this.#messages
    for (let row = from; row < to; row++) {
      const what = kind[row]
      if (what === NEW || what === IOC) this.#place(row, what === IOC ? FAK : GTC)
      else {
        const wasOpen = this.#end(row)
        if (what !== CANCEL && wasOpen) this.#place(row, GTC)
      }
    }
    flushEvents()
  }

  #place(row: number, orderType: number): void {
    const { isBuy, id, price, quantity } = this.#messages
    const order = this.#order
    order.seq = row + 1
    order.slot = id[row]
    order.orderType = orderType
    order.side = isBuy[row] === 1 ? SIDE.BUY : SIDE.SELL
    order.accountId = 1 + isBuy[row]
    order.priceTicks = price[row]
    order.sizeRaw = quantity[row] * SIZE_STEP_RAW
    placeInMarket(order)
  }

  /** Returns false when the order was not open. */
  #end(row: number): boolean {
    const cancel = this.#cancel
    cancel.seq = row + 1
    cancel.slots[0] = this.#messages.id[row]
    return cancelInMarket(cancel) === 1
  }

  empty(): void {
    resetMarkets()
  }
}

/** Collects the report lines of one message at a time. */
export class Lines {
  readonly #messages: Messages
  readonly #lines: (readonly [type: number, text: string])[] = []

  constructor(messages: Messages) {
    this.#messages = messages
  }

  take(row: number, count: number): void {
    const { kind, id, isBuy, price, quantity } = this.#messages
    const side = 1 - isBuy[row]
    const what = kind[row]
    const isModify = what === KIND.MODIFY
    for (let index = 0; index < count; index++) {
      const event = eventAt(0, index)
      const sizeRaw = eventSizeRaw(eventF64s, event)
      switch (eventKind(eventWords, event)) {
        case EVENT.FILL: {
          const shares = sizeRaw / SIZE_STEP_RAW
          const maker = eventSlot(eventWords, event)
          this.#add(1, `${row},${eventTicks(eventWords, event)},${shares},${maker},${id[row]}`)
          break
        }
        case EVENT.CANCELED:
          if (!isModify) this.#add(2, `${row},${side},${id[row]},${eventTicks(eventWords, event)}`)
          break
        case EVENT.NOT_OPEN:
          this.#add(isModify ? 5 : 4, `${row},${id[row]}`)
          break
        case EVENT.DONE: {
          const code = eventCode(eventWords, event)
          if (code === RESULT.CANCELS_DONE) break
          const order = `${row},${side},${id[row]},${price[row]}`
          this.#add(isModify ? 3 : 0, `${order},${quantity[row]}`)
          const isLeft = eventLeftRaw(eventF64s, event) > 0
          if (code === RESULT.KILLED && isLeft) this.#add(2, order)
          break
        }
        default:
          break
      }
    }
  }

  #add(type: number, text: string): void {
    this.#lines.push([type, `${type},${text}`])
  }

  /** The lines of the message, by type; the next message begins. */
  end(): string[] {
    this.#lines.sort(([one], [other]) => one - other)
    return this.#lines.splice(0).map(([, text]) => text)
  }
}

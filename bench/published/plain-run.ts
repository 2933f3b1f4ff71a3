import { STP } from '../../engine/domain/order.ts'
import { PlainBook } from '../workload/plain-book.ts'
import { KIND, type Messages } from './messages.ts'

const NO_ASK = 0xffff

/** The book of objects and Maps. */
export class PlainRun {
  trades = 0
  readonly #messages: Messages
  #book = new PlainBook(NO_ASK)

  constructor(messages: Messages) {
    this.#messages = messages
  }

  run(from: number, to: number): void {
    const { kind, id } = this.#messages
    for (let row = from; row < to; row++) {
      const what = kind[row]
      const isNew = what === KIND.NEW || what === KIND.IOC
      const isCanceled = !isNew && this.#book.cancel(id[row]).length > 0
      if (isNew || (what === KIND.MODIFY && isCanceled)) this.#place(row, what !== KIND.IOC)
    }
  }

  #place(row: number, rests: boolean): void {
    const { isBuy, id, price, quantity } = this.#messages
    const events = this.#book.place({
      id: id[row],
      owner: isBuy[row],
      isBid: isBuy[row] === 1,
      ticks: price[row],
      sizeRaw: quantity[row],
      rests,
      stp: STP.CANCEL_MAKER,
    })
    for (const { kind } of events) if (kind === 'fill') this.trades++
  }

  empty(): void {
    this.#book = new PlainBook(NO_ASK)
  }
}

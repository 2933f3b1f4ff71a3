import { PlainBook, type PlainEvent } from '../peers/plain-book.ts'
import { OP, type Workload } from '../workload/workload.ts'
import type { Contender } from './contender.ts'

const GTC = 0

/** The book of objects and Maps. */
export class PlainContender implements Contender {
  readonly #work: Workload
  #books: PlainBook[] = []
  #fills = 0
  #filledRaw = 0

  constructor(work: Workload) {
    this.#work = work
    this.empty()
  }

  run(from: number, to: number): void {
    const work = this.#work
    for (let row = from; row < to; row++) {
      const book = this.#books[work.book[row]]
      if (work.op[row] === OP.PLACE) this.#receive(this.#place(book, row))
      else this.#receive(book.cancel(work.target[row]))
    }
  }

  #place(book: PlainBook, row: number): PlainEvent[] {
    const work = this.#work
    return book.place({
      id: row,
      owner: work.owner[row],
      isBid: work.isBid(row),
      ticks: work.ticks[row],
      sizeRaw: work.sizeRaw[row],
      rests: work.orderType[row] === GTC,
      stp: work.stp[row],
    })
  }

  #receive(events: readonly PlainEvent[]): void {
    for (const event of events) {
      if (event.kind !== 'fill') continue
      this.#fills++
      this.#filledRaw += event.sizeRaw
    }
  }

  empty(): void {
    this.#books = Array.from({ length: this.#work.options.books + 1 }, () => new PlainBook())
  }

  takeFills(): { fills: number; filledRaw: number } {
    const taken = { fills: this.#fills, filledRaw: this.#filledRaw }
    this.#fills = 0
    this.#filledRaw = 0
    return taken
  }
}

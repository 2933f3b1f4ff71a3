import { PlainBook, type PlainEvent } from '../workload/plain-book.ts'
import { GTC, isBid, OP, type Workload } from '../workload/workload.ts'
import { type Contender, FillCount } from './contender.ts'

/** The book of objects and Maps. */
export class PlainContender implements Contender {
  readonly fills = new FillCount()
  readonly #work: Workload
  #books: PlainBook[] = []

  constructor(work: Workload) {
    this.#work = work
    this.empty()
  }

  run(from: number, to: number): void {
    const work = this.#work
    for (let row = from; row < to; row++) {
      const book = this.#books[work.book[row]]
      const isPlace = work.op[row] === OP.PLACE
      const events = isPlace ? this.#place(book, row) : book.cancel(work.target[row])
      for (const event of events) if (event.kind === 'fill') this.fills.add(event.sizeRaw)
    }
  }

  #place(book: PlainBook, row: number): PlainEvent[] {
    const work = this.#work
    return book.place({
      id: row,
      owner: work.owner[row],
      isBid: isBid(work, row),
      ticks: work.ticks[row],
      sizeRaw: work.sizeRaw[row],
      rests: work.orderType[row] === GTC,
      stp: work.stp[row],
    })
  }

  empty(): void {
    this.#books = Array.from({ length: this.#work.options.books + 1 }, () => new PlainBook())
  }
}

import { OrderBook, SelfTradePreventionMode, Side } from 'nodejs-order-book'
import { assert } from '../../engine/domain/assert.ts'
import { GTC, isBid, OP, type Workload } from '../workload/workload.ts'
import { type Contender, FillCount } from './contender.ts'

type TimeInForce = NonNullable<Parameters<OrderBook['limit']>[0]['timeInForce']>

/** The package does not export the enum of these values. */
function isTimeInForce(word: string): word is TimeInForce {
  return word === 'GTC' || word === 'IOC'
}

function timeInForce(word: string): TimeInForce {
  assert(isTimeInForce(word), 'the package knows the value')
  return word
}

const FOR_TYPE = { rests: timeInForce('GTC'), ends: timeInForce('IOC') }
/** Indexed by STP policy. */
const MODES = [
  SelfTradePreventionMode.EXPIRE_MAKER,
  SelfTradePreventionMode.EXPIRE_TAKER,
  SelfTradePreventionMode.EXPIRE_BOTH,
]

/**
 * The public book, with the features that it shares with ours: owners and self-trade prevention.
 * It reports fills in another way, so their sizes are not comparable.
 */
export class NpmContender implements Contender {
  readonly fills = new FillCount()
  readonly #work: Workload
  #books: OrderBook[] = []
  readonly #ids: string[]
  readonly #owners: string[]

  constructor(work: Workload) {
    this.#work = work
    // Its ids are strings. They are made beforehand, so that the figures do not include that.
    this.#ids = Array.from({ length: work.count }, (_, row) => String(row))
    this.#owners = Array.from({ length: work.options.accounts + 1 }, (_, owner) => String(owner))
    this.empty()
  }

  run(from: number, to: number): void {
    const work = this.#work
    for (let row = from; row < to; row++) {
      const book = this.#books[work.book[row]]
      if (work.op[row] === OP.PLACE) this.#place(book, row)
      else book.cancel(this.#ids[work.target[row]])
    }
  }

  #place(book: OrderBook, row: number): void {
    const work = this.#work
    const { done, partial } = book.limit({
      id: this.#ids[row],
      side: isBid(work, row) ? Side.BUY : Side.SELL,
      size: work.sizeRaw[row],
      price: work.ticks[row],
      timeInForce: work.orderType[row] === GTC ? FOR_TYPE.rests : FOR_TYPE.ends,
      postOnly: work.postOnly[row] === 1,
      accountId: this.#owners[work.owner[row]],
      stpMode: MODES[work.stp[row]],
    })
    this.fills.count += done.length + (partial === null ? 0 : 1)
  }

  empty(): void {
    this.#books = Array.from({ length: this.#work.options.books + 1 }, () => new OrderBook())
  }
}

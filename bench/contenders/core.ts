// The whole exchange on one thread: every gate, the ledger, the book, fees, events.

import { decideCancel } from '../../engine/core/decide/cancel.ts'
import { ASK_TABLES, decidePlace } from '../../engine/core/decide/decide.ts'
import { Exchange } from '../../engine/core/exchange.ts'
import { OrderTable } from '../../engine/core/orders/order-table.ts'
import { SeenFilters } from '../../engine/core/orders/seen-filters.ts'
import { assert } from '../../engine/domain/assert.ts'
import { blankPlace } from '../../engine/wire/place-codec.ts'
import { START_MS, setUp, tokenNoOf } from '../workload/setting.ts'
import { OP, type Workload } from '../workload/workload.ts'
import { fillOrder, hashLowOf, requestOf } from '../workload/workload-order.ts'
import { blankCancel, type Contender, EXPIRED, FillCount, USER } from './contender.ts'

/** Enough slots that no account of a workload reaches its share of them. */
const SLOTS_MIN = 1 << 18

export class CoreContender implements Contender {
  readonly exchange: Exchange
  readonly fills = new FillCount()
  readonly #work: Workload
  readonly #slotOf: Int32Array
  readonly #generationOf: Int32Array
  readonly #request = requestOf(blankPlace())
  readonly #cancel = blankCancel(START_MS)
  #hash = 0
  /** Orders up to this hash are in the filters, as if a follower kept up. */
  #followed = 0
  readonly #deadOrders: number
  readonly #filters = new SeenFilters()

  /** An exchange that saw `deadOrders` before. Each new order is looked up in their filters. */
  constructor(work: Workload, deadOrders = 100_000) {
    this.#work = work
    this.#deadOrders = deadOrders
    this.exchange = new Exchange(new OrderTable(Math.max(work.slotsMax + 2, SLOTS_MIN)))
    this.#slotOf = new Int32Array(work.count)
    this.#generationOf = new Int32Array(work.count)
    const { accounts, books: markets } = work.options
    setUp({ accounts, markets }, this.exchange, (command) => this.exchange.apply(command))
    this.exchange.onEvents = (words, f64s, count) => this.fills.addEvents(words, f64s, count)
    const { seen, lastSeq } = this.exchange.clearing
    seen.decideWith(this.#filters, lastSeq, 0)
  }

  run(from: number, to: number): void {
    const { op, target, isExpiry } = this.#work
    for (let row = from; row < to; row++) {
      if (op[row] === OP.PLACE) this.#place(row)
      else if (isExpiry[row] === 1) this.#end(target[row], EXPIRED)
      else this.#withdraw(target[row])
    }
  }

  /** Adds orders to the filter as a follower does, up to `deadOrders`; forgets older ones. */
  aside(): void {
    while (this.#followed < Math.min(this.#hash, this.#deadOrders)) {
      const high = ++this.#followed
      this.#filters.add(high, hashLowOf(high))
    }
    this.exchange.clearing.seen.forgetThrough(this.exchange.clearing.lastSeq)
  }

  #place(row: number): void {
    const request = this.#request
    const { order } = request
    const { clearing } = this.exchange
    fillOrder(order, this.#work, row)
    order.expirationSec = this.#work.expirationSec[row]
    order.hashHigh = ++this.#hash
    order.hashLow = hashLowOf(this.#hash)
    request.tokenNo = tokenNoOf(order.accountId)
    request.ownerId = order.accountId
    let reject = decidePlace(clearing, request, START_MS)
    if (reject === ASK_TABLES) {
      request.inTables = { seq: clearing.lastSeq, hash: false, clientId: false }
      reject = decidePlace(clearing, request, START_MS)
      request.inTables = undefined
    }
    assert(reject === null, 'an order of the workload passes every gate')
    order.seq = clearing.lastSeq + 1
    order.nowMs = START_MS
    this.#slotOf[row] = order.slot
    this.#generationOf[row] = order.generation
    this.exchange.place(order)
  }

  #withdraw(target: number): void {
    const { clearing } = this.exchange
    const slot = this.#slotOf[target]
    const generation = this.#generationOf[target]
    const reject = decideCancel(clearing, this.#work.owner[target], slot, generation)
    assert(reject === null, 'a cancel of the workload names a live order')
    this.#end(target, USER)
  }

  /** Cancels without a gate, as the exchange does with an expired order. */
  #end(target: number, reason: number): void {
    const cancel = this.#cancel
    cancel.seq = this.exchange.clearing.lastSeq + 1
    cancel.marketId = this.#work.book[target]
    cancel.reason = reason
    cancel.slots[0] = this.#slotOf[target]
    cancel.generations[0] = this.#generationOf[target]
    this.exchange.cancel(cancel)
  }

  empty(): void {
    for (const row of this.#work.survivors) this.#withdraw(row)
  }
}

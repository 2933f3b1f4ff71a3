// Requests that hold several orders. The intake proves the caller once and gives a verdict on each
// order. From there each order is independent: no order waits for another, and none undoes
// another. Invariant: a batch is in `#requested` until its last verdict.

import { LIMITS } from '../../../engine/domain/limits.ts'
import { REJECT } from '../../../engine/domain/reject-precedence.ts'
import { Slab } from '../../../engine/domain/slab.ts'
import { type BatchPart, ofOrder, type PartResult } from '../../messages/intake-result.ts'
import { countParts } from '../../messages/parts.ts'
import {
  ABANDONED,
  type OrderAnswer,
  type OrderCall,
  type OrderRefusal,
  wholeRefusal,
} from './order-answer.ts'
import type { OrderEntry } from './order-entry.ts'

/** An answer for each order, or the refusal of the whole request. */
export type BatchAnswer = { readonly answers: readonly OrderAnswer[] } | OrderRefusal

export type OnPart = (result: PartResult, part: BatchPart) => void

interface RequestedBatch {
  /** The most orders that the request can hold. */
  readonly ordersMax: number
  readonly address: string
  readonly onPart: OnPart
}

/** No order takes fewer bytes, not even one that a server wallet signs. */
const ORDER_BYTES_MIN = 200

/** How many orders a request has at most. */
function ordersIn({ body, verdict }: OrderCall): number {
  return verdict === undefined ? Math.ceil(body.length / ORDER_BYTES_MIN) : countParts(verdict)
}

export class OrderBatches {
  readonly #orders: OrderEntry
  readonly #requested = new Slab<RequestedBatch>()

  constructor(orders: OrderEntry) {
    this.#orders = orders
  }

  /** Answers each order of a request. `reply` is called once, with all answers. */
  place(call: OrderCall, form: number, reply: (answer: BatchAnswer) => void): void {
    const answers: OrderAnswer[] = []
    let open = 0
    let isAbandoned = false
    const onPart: OnPart = (result, { index, count }) => {
      // Decided once for all orders of the request, at the verdict on the first.
      if (index === 0) isAbandoned = call.sender?.isGone === true
      if (isAbandoned) {
        if (index >= count - 1) reply(ABANDONED)
        return
      }
      if (count === 0) {
        this.refuse(result, reply)
        return
      }
      if (index === 0) open = count
      const settle = (answer: OrderAnswer) => {
        answers[index] = answer
        open--
        if (open === 0) reply({ answers })
      }
      this.#orders.enter(ofOrder(result), { timesRow: 0, reply: settle })
    }
    if (!this.submit(call, form, onPart)) reply({ reject: REJECT.OVERLOADED })
  }

  /** Replies with the refusal of a whole request. */
  refuse(result: PartResult, reply: (answer: OrderRefusal) => void): void {
    this.#orders.enter(ofOrder(result), {
      timesRow: 0,
      reply: (whole) => reply(wholeRefusal(whole)),
    })
  }

  /** Gives the request to the intake. False, and nothing is done, when there is no capacity. */
  submit(call: OrderCall, form: number, onPart: OnPart): boolean {
    const ordersMax = Math.min(LIMITS.batchOrdersMax, ordersIn(call))
    if (!this.#orders.hasCapacity(ordersMax)) return false
    const address = call.sender?.addressKey ?? ''
    const requestId = this.#requested.put({ ordersMax, address, onPart })
    this.#orders.reserve(ordersMax)
    this.#orders.submit(call, requestId, form)
    return true
  }

  addressOf(requestId: number): string {
    return this.#requested.at(requestId).address
  }

  /** Takes the intake's verdict on one order of a request. */
  onPart(result: PartResult, part: BatchPart): void {
    const { requestId } = result
    const { onPart } = this.#requested.at(requestId)
    if (part.count === 0 || part.index === part.count - 1) this.#end(requestId)
    onPart(result, part)
  }

  #end(requestId: number): void {
    this.#orders.reserve(-this.#requested.take(requestId).ordersMax)
  }
}

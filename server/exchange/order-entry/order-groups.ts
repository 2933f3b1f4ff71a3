// Requests that hold several orders. The intake proves the caller once and gives a verdict on each
// order. From there each order is independent: no order waits for another, and none undoes
// another. Invariant: a group is in `#requested` until its last verdict.

import { LIMITS } from '../../../engine/domain/limits.ts'
import { REJECT } from '../../../engine/domain/reject-precedence.ts'
import { Slab } from '../../../engine/domain/slab.ts'
import type { TimeMs } from '../../../engine/domain/units.ts'
import type { GroupPart, IntakePool, IntakeResult } from '../../edge/intake/intake-pool.ts'
import {
  ABANDONED,
  type OrderAnswer,
  type OrderCall,
  type RefusedAnswer,
  type Requested,
  wholeRefusal,
} from './order-answer.ts'

/** An answer for each order, or the refusal of the whole request. */
export type GroupAnswer = { readonly answers: readonly OrderAnswer[] } | RefusedAnswer

/** What each order needs from its verdict on. */
interface OrderWay {
  /** Null when orders do not come through a pool. */
  readonly intake: IntakePool | null
  /** How many orders and replies are under way. */
  readonly underWay: () => number
  /** The clock that judges what the caller stamped. */
  readonly wallMs: () => TimeMs
  readonly judge: (result: IntakeResult, requested: Requested) => void
}

interface RequestedGroup {
  /** The most orders that the request can hold. */
  readonly ordersMax: number
  readonly onPart: (result: IntakeResult, part: GroupPart) => void
}

/** No order takes fewer bytes, not even one that a server wallet signs. */
const ORDER_BYTES_MIN = 200

export class OrderGroups {
  readonly #way: OrderWay
  readonly #requested = new Slab<RequestedGroup>()
  #waiting = 0

  constructor(way: OrderWay) {
    this.#way = way
  }

  /** How many orders, at the most, wait for their verdict or for their turn. */
  get waiting(): number {
    return this.#waiting
  }

  /** Answers each order of a request. `reply` is called once, with all answers. */
  place(call: OrderCall, form: number, reply: (answer: GroupAnswer) => void): void {
    const answers: OrderAnswer[] = []
    let open = 0
    let isAbandoned = false
    const onPart = (result: IntakeResult, part: GroupPart) => {
      // Decided once for all of its orders, at the verdict on the first.
      if (part.index === 0) isAbandoned = call.sender?.isGone === true
      if (isAbandoned) {
        if (part.index >= part.count - 1) reply(ABANDONED)
        return
      }
      if (part.count === 0) {
        this.#way.judge(result, { timesRow: 0, reply: (whole) => reply(wholeRefusal(whole)) })
        return
      }
      if (part.index === 0) open = part.count
      const settle = (answer: OrderAnswer) => {
        answers[part.index] = answer
        open--
        if (open === 0) reply({ answers })
      }
      this.#way.judge(result, { timesRow: 0, reply: settle })
    }
    if (!this.submit(call, form, onPart)) reply({ reject: REJECT.OVERLOADED })
  }

  /** Counts orders that are kept past their verdict; a negative number counts them off. */
  occupy(orders: number): void {
    this.#waiting += orders
  }

  /** Gives the request to the intake. False, and nothing is done, when there is no room. */
  submit(call: OrderCall, form: number, onPart: RequestedGroup['onPart']): boolean {
    const ordersMax = Math.min(LIMITS.batchOrdersMax, Math.ceil(call.body.length / ORDER_BYTES_MIN))
    if (this.#way.underWay() + ordersMax > LIMITS.ordersUnderWayMax) return false
    const requestId = this.#requested.put({ ordersMax, onPart })
    const nowMs = this.#way.wallMs()
    this.#waiting += ordersMax
    const taken = this.#way.intake?.submit({ requestId, nowMs, form, ...call }) === true
    if (!taken) this.#end(requestId)
    return taken
  }

  /** Takes the intake's verdict on one order of a request. */
  onPart(result: IntakeResult, part: GroupPart): void {
    const { requestId } = result
    const { onPart } = this.#requested.at(requestId)
    if (part.count === 0 || part.index === part.count - 1) this.#end(requestId)
    onPart(result, part)
  }

  #end(requestId: number): void {
    this.#waiting -= this.#requested.take(requestId).ordersMax
  }
}

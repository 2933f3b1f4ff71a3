// Requests that hold several orders. The intake proves the caller once and gives a verdict on each
// order; from there every one goes its own way, as if it had come alone: no order waits for another
// and none undoes another. Invariant: a group is in `#asked` until its last verdict has come.

import { LIMITS } from '../../../engine/domain/limits.ts'
import { REJECT } from '../../../engine/domain/reject-precedence.ts'
import { Slab } from '../../../engine/domain/slab.ts'
import type { TimeMs } from '../../../engine/domain/units.ts'
import type { GroupPart, IntakePool, IntakeResult } from '../../intake/intake-pool.ts'
import {
  type Asked,
  type OrderAnswer,
  type OrderCall,
  type RefusedAnswer,
  wholeRefusal,
} from './order-answer.ts'

/** An answer for each order, or the refusal of the whole request. */
export type GroupAnswer = { readonly answers: readonly OrderAnswer[] } | RefusedAnswer

/** The way each order goes from its verdict on. */
interface OrderWay {
  /** Null when orders do not come through a pool. */
  readonly intake: IntakePool | null
  /** Orders and replies that are under way. */
  readonly underWay: () => number
  /** What the caller stamped is judged by it. */
  readonly wallMs: () => TimeMs
  readonly judge: (result: IntakeResult, asked: Asked) => void
}

interface AskedGroup {
  /** Orders it may turn out to hold. */
  readonly ordersMax: number
  readonly onPart: (result: IntakeResult, part: GroupPart) => void
}

/** No order is written in fewer bytes, one that a server wallet signs included. */
const ORDER_BYTES_MIN = 200

export class OrderGroups {
  readonly #way: OrderWay
  readonly #asked = new Slab<AskedGroup>()
  #waiting = 0

  constructor(way: OrderWay) {
    this.#way = way
  }

  /** Orders, at the most, whose verdicts are still to come or whose turn is. */
  get waiting(): number {
    return this.#waiting
  }

  /** Answers the orders of a request one by one; `reply` is called once, with all answers. */
  place(call: OrderCall, form: number, reply: (answer: GroupAnswer) => void): void {
    const answers: OrderAnswer[] = []
    let open = 0
    const onPart = (result: IntakeResult, part: GroupPart) => {
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

  /** Counts orders that are kept past their verdict, or no longer. */
  occupy(orders: number): void {
    this.#waiting += orders
  }

  /** Gives the request to the intake; false, and nothing done, when it finds no room. */
  submit(call: OrderCall, form: number, onPart: AskedGroup['onPart']): boolean {
    const ordersMax = Math.min(LIMITS.batchOrdersMax, Math.ceil(call.body.length / ORDER_BYTES_MIN))
    if (this.#way.underWay() + ordersMax > LIMITS.ordersUnderWayMax) return false
    const requestId = this.#asked.put({ ordersMax, onPart })
    const nowMs = this.#way.wallMs()
    this.#waiting += ordersMax
    const taken = this.#way.intake?.submit({ requestId, nowMs, form, ...call }) === true
    if (!taken) this.#end(requestId)
    return taken
  }

  /** Takes what the intake found of one order of a request. */
  onPart(result: IntakeResult, part: GroupPart): void {
    const { requestId } = result
    const { onPart } = this.#asked.at(requestId)
    if (part.count === 0 || part.index === part.count - 1) this.#end(requestId)
    onPart(result, part)
  }

  #end(requestId: number): void {
    this.#waiting -= this.#asked.take(requestId).ordersMax
  }
}

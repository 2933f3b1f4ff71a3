// The request of an order, the order while it is open, and its answer.

import { assert } from '../../../engine/domain/assert.ts'
import type { RestrictedMode } from '../../../engine/domain/markets/trading-mode.ts'
import type { OrderStatus } from '../../../engine/domain/order.ts'
import { REJECT, type Reject } from '../../../engine/domain/reject-precedence.ts'
import type { IntakeRequest } from '../../messages/order-intake.ts'
import type { Extra } from '../../messages/refusal.ts'

/** A call with orders, as received: nothing of it is parsed yet. */
export interface OrderCall extends Omit<IntakeRequest, 'requestId' | 'nowMs' | 'form'> {
  /** The row of the call's times; 0 for none. */
  readonly timesRow: number
  /** Requests the first reply when the order was accepted before. */
  readonly replays?: boolean
  /** Absent for a sender that always waits for the answer. */
  readonly sender?: Sender
}

/** The sender of a call; gone when its connection has closed. */
export interface Sender {
  readonly isGone?: boolean
}

/** An order between its request and its reply. */
export interface OpenOrder {
  readonly timesRow: number
  readonly replays?: boolean | undefined
  /** Its client order id came as an idempotency key. */
  readonly isKeyed?: boolean
  readonly sender?: Sender | undefined
  readonly reply: (answer: OrderAnswer) => void
  /**
   * Called once the order is decided, before anything else is decided. An order with this callback
   * holds its account already, so it does not wait in the queue.
   */
  readonly decided?: () => void
}

/** The further fields of a 425 body. `resumeAt` is ISO 8601, or null when no end is set. */
export type TradingRestriction = { readonly mode: RestrictedMode; readonly resumeAt: string | null }

/** An order that was accepted before. */
export interface First {
  readonly orderId: string
  readonly status: OrderStatus
  /** It has the same client order id as the repeated order, and other terms. */
  readonly isOther: boolean
  /** Its first reply, if requested. */
  readonly text?: string
}

export interface OrderRefusal {
  readonly reject: Reject
  /** JSON array of { field, message } of a VALIDATION. */
  readonly issues?: string
  readonly expectedFeeRateBps?: number
  /** Further fields of the body, besides those named here. */
  readonly more?: Extra | undefined
  /** Set when the order was accepted before: names that order. */
  readonly first?: First
  readonly retryAfterSec?: number
  /** Set when the trading mode refuses. */
  readonly restriction?: TradingRestriction
  /** Set with INTERNAL: the fault. The order may be durable all the same. */
  readonly broke?: { readonly error: unknown }
}

/** For a sender that is gone, so nobody receives it: its order was not decided. */
export const ABANDONED: OrderRefusal = { reject: REJECT.OVERLOADED }

/** The 201 as JSON text, or the refusal with the further fields of its body. */
export type OrderAnswer = { readonly text: string; readonly isReplay?: boolean } | OrderRefusal

/** The refusal of a whole request that holds several orders: none of them was taken. */
export function wholeRefusal(answer: OrderAnswer): OrderRefusal {
  assert(!('text' in answer), 'a request that is refused as a whole holds no order')
  return answer
}

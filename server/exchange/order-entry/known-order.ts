// The answer to an order that the exchange accepted before (rules §4.5).

import type { PlaceOrder } from '../../../engine/domain/command.ts'
import { REJECT, type Reject } from '../../../engine/domain/reject-precedence.ts'
import type { First, OpenOrder, OrderAnswer, OrderRefusal } from './order-answer.ts'

/**
 * Finds the order of the same hash or client id. Null when no such order was accepted, and
 * undefined when the tables gave no answer in time.
 */
export type FindFirst = (order: PlaceOrder, replays: boolean) => Promise<First | null | undefined>

/** Refusals of an order that was accepted before. */
const KNOWN: readonly Reject[] = [REJECT.DUPLICATE_ORDER, REJECT.DUPLICATE_CLIENT_ORDER_ID]

/**
 * Refusals that precede those of `KNOWN`, and that may apply only since an order was accepted. A
 * request that asks for the first reply gets it all the same.
 */
const SINCE: readonly Reject[] = [
  REJECT.PROFILE_FROZEN,
  REJECT.POST_ONLY_MODE,
  REJECT.CANCEL_ONLY_MODE,
  REJECT.TRADING_DISABLED,
  REJECT.RECV_WINDOW_EXPIRED,
  REJECT.MARKET_NOT_TRADABLE,
  REJECT.ORDER_EXPIRED,
  REJECT.FEE_RATE_UNAVAILABLE,
  REJECT.FEE_RATE_MISMATCH,
]

/** Whether an order with this refusal may have been accepted before. */
export function mayBeKnown(reject: Reject, { replays }: OpenOrder): boolean {
  return KNOWN.includes(reject) || (replays === true && SINCE.includes(reject))
}

/** The answer to a refused order, given the order that was found to be accepted before. */
export function answerBy(
  first: First | null | undefined,
  refused: OrderRefusal,
  { isKeyed }: OpenOrder,
): OrderAnswer {
  if (first?.text !== undefined) return { text: first.text, isReplay: true }
  if (!KNOWN.includes(refused.reject) || first === undefined) return refused
  // The first order was post-only and would have matched, so it left no trace: try again.
  if (first === null) return { reject: REJECT.OVERLOADED }
  const isTaken = isKeyed === true && first.isOther
  return { reject: isTaken ? REJECT.IDEMPOTENCY_KEY_TAKEN : refused.reject, first }
}

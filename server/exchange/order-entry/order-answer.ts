// The request of an order, the order while it is open, and its answer.

import { NO_FEE_RATE } from '../../../engine/core/accounts/accounts.ts'
import type { Clearing } from '../../../engine/core/clearing.ts'
import type { Amended } from '../../../engine/core/decide/amend.ts'
import { modeOfReject } from '../../../engine/core/markets/trading-mode.ts'
import { assert } from '../../../engine/domain/assert.ts'
import type { AccountId, ProfileId } from '../../../engine/domain/ids.ts'
import type { RestrictedMode } from '../../../engine/domain/markets/trading-window.ts'
import type { OrderStatus } from '../../../engine/domain/order.ts'
import { REJECT, type Reject } from '../../../engine/domain/reject-precedence.ts'
import type { TimeMs } from '../../../engine/domain/units.ts'
import type { OrderFlaw } from '../../messages/intake-result.ts'
import { isoText } from '../../messages/iso-text.ts'
import type { IntakeRequest } from '../../messages/order-intake.ts'
import type { Extra } from '../../messages/refusal.ts'
import type { OrderTrades } from '../publisher/durable-publisher.ts'

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
interface Sender {
  readonly isGone?: boolean
  /** The key under which its address is counted; '' or absent when it is not. */
  readonly addressKey?: string
}

/** An order between its request and its reply. */
export interface OpenOrder {
  readonly timesRow: number
  readonly replays?: boolean | undefined
  /** Its client order id came as an idempotency key. */
  readonly isKeyed?: boolean
  readonly sender?: Sender | undefined
  readonly reply: (answer: OrderAnswer) => void
  /** The order that it replaces, as it is named at the decision; absent for none. */
  readonly amended?: (accountId: AccountId) => Amended
  /**
   * Called once the order is decided, before anything else is decided. An order with this callback
   * holds its account already, so it does not wait in the queue.
   */
  readonly decided?: () => void
}

/** The further fields of a 425 body. `resumeAt` is ISO 8601, or null when no end is set. */
type TradingRestriction = { readonly mode: RestrictedMode; readonly resumeAt: string | null }

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

/**
 * The 201 as JSON text, or the refusal with the further fields of its body. The text is empty when
 * the fills of a replaced order left nothing to place.
 */
export type OrderAnswer =
  | {
      readonly text: string
      readonly isReplay?: boolean
      readonly replaced?: OrderTrades | undefined
    }
  | OrderRefusal

/** A fault ends this call only, and its reply reports it. */
export function brokenBy(error: unknown): OrderRefusal {
  return { reject: REJECT.INTERNAL, broke: { error } }
}

/** The refusal of a whole request that holds several orders: none of them was taken. */
export function wholeRefusal(answer: OrderAnswer): OrderRefusal {
  assert(!('text' in answer), 'a request that is refused as a whole holds no order')
  return answer
}

/** The mode that causes a refusal decided at this moment; undefined when no mode does. */
export function tradingRestriction(
  { modes }: Clearing,
  reject: Reject,
  nowMs: TimeMs,
): TradingRestriction | undefined {
  const mode = modeOfReject(reject)
  if (mode === undefined) return undefined
  const endsAtMs = modes.resumesAtMs(mode, nowMs)
  return { mode, resumeAt: endsAtMs === null ? null : isoText(endsAtMs) }
}

/** Whose order was refused when, and what the intake found wrong with its owner or signature. */
interface RefusedAt {
  readonly profileId: ProfileId
  readonly nowMs: TimeMs
  readonly flaw: OrderFlaw | null
}

/** The answer to a refusal. Call it in the same moment, before anything else is decided. */
export function orderRefusal(
  clearing: Clearing,
  reject: Reject,
  { profileId, nowMs, flaw }: RefusedAt,
): OrderRefusal {
  const restriction = tradingRestriction(clearing, reject, nowMs)
  if (restriction !== undefined) return { reject, restriction }
  if (reject.name === flaw?.code) return { reject, more: flaw }
  if (reject !== REJECT.FEE_RATE_MISMATCH) return { reject }
  const expected = clearing.accounts.feeBpsOf(profileId)
  return expected === NO_FEE_RATE ? { reject } : { reject, expectedFeeRateBps: expected }
}

// What an order asks of the pipeline and what it is told.

import { assert } from '../../../engine/domain/assert.ts'
import type { Reject } from '../../../engine/domain/reject-precedence.ts'
import type { RestrictedMode } from '../../../engine/domain/trading-mode.ts'
import type { IntakePool } from '../../intake/intake-pool.ts'

/** A call that holds orders as it came, before anything of it was read. */
export interface OrderCall
  extends Omit<Parameters<IntakePool['submit']>[0], 'requestId' | 'nowMs' | 'form'> {
  /** Where its times stand; 0 for none. */
  readonly timesRow: number
}

export interface Asked {
  readonly timesRow: number
  readonly reply: (answer: OrderAnswer) => void
  /**
   * Called once the order is decided, before anything else is. Such an order was waited for: it
   * passes the queue of its account.
   */
  readonly decided?: () => void
}

/** What the body of a 425 says besides; `resumeAt` is ISO 8601, null when no end is set. */
export type TradingBar = { readonly mode: RestrictedMode; readonly resumeAt: string | null }

export interface RefusedAnswer {
  readonly reject: Reject
  /** JSON array of { field, message } of a VALIDATION. */
  readonly issues?: string
  readonly expectedFeeRateBps?: number
  readonly retryAfterSec?: number
  /** Of a refusal by the trading mode. */
  readonly bar?: TradingBar
  /** With INTERNAL: why the reply of an order that is durable could not be made. */
  readonly broke?: { readonly error: unknown }
}

/** The 201 as JSON text, or the refusal with what the body adds to it. */
export type OrderAnswer = { readonly text: string } | RefusedAnswer

/** Of a request that holds several orders and is refused as a whole: no order of it was taken. */
export function wholeRefusal(answer: OrderAnswer): RefusedAnswer {
  assert(!('text' in answer), 'a request that is refused as a whole holds no order')
  return answer
}

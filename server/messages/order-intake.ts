// The line between the edge and the core thread for signed orders. The intake proves the caller,
// checks the order and gives its verdict; both sides exchange plain data.

import type { Market } from '../../engine/core/markets/catalogue.ts'
import type { TimeMs } from '../../engine/domain/units.ts'
import type { BatchPart, IntakeResult, PartResult } from './intake-result.ts'

export interface SignedRequest {
  readonly method: string
  readonly pathWithQuery: string
  readonly apiKey: string
  readonly timestamp: string
  readonly signature: string
  readonly body: Uint8Array
  readonly nowMs: TimeMs
  /** FORM of the body; one order when absent. */
  readonly form?: number
  /** The result of `headerTarget`; 0 when absent. */
  readonly onBehalfOf?: number
  /** The result of `idempotencyKeyOf`; '' when absent. A call with several orders has none. */
  readonly idempotencyKey?: string
}

export interface IntakeRequest extends SignedRequest {
  readonly requestId: number
  /** The results of an edge thread that checked the request (edge-layout.ts); absent without. */
  readonly verdict?: Uint8Array | undefined
}

/** Receives the verdicts, in the order in which the intake gives them. */
export interface IntakeListener {
  readonly onResult: (result: IntakeResult) => void
  /** Gets each result of a request that holds several orders, in their order. */
  readonly onPart: (result: PartResult, part: BatchPart) => void
  /** The key of the address that sent a request; '' when addresses are not counted. */
  readonly addressOf?: (request: { readonly requestId: number; readonly form: number }) => string
}

/** The intake as the exchange uses it. */
export interface OrderIntake {
  /** Checks one request; the listener gets its results. */
  submit(request: IntakeRequest): void
  addMarket(market: Market): void
  archiveMarket(slug: string): void
  /** Holds results back until `resume`. */
  pause(): void
  resume(): void
}

// Charges read calls for their cost when rate limits are on.

import type { Call, Caller } from '../../../messages/call.ts'
import { Charges, type Limiters } from '../access/charges.ts'
import type { RateClass } from '../access/rate-limit.ts'
import type { Route } from '../route.ts'
import { rateKeyOf } from './entry.ts'

/** Rate classes whose calls only read, so their cost grows with what they request. */
const CHARGED: ReadonlySet<RateClass> = new Set(['public', 'private'])

export interface ChargedCall<S> {
  readonly call: Call
  readonly route: Pick<Route<S>, 'rateClass' | 'raw'>
  readonly address: string
  readonly caller: Caller | null
}

export class ChargedCalls<S> {
  readonly #limiters: Limiters | null

  constructor(limiters: Omit<Limiters, 'clock'>, clock: () => number) {
    const { addressLimiter = null, profileLimiter = null } = limiters
    const isLimited = addressLimiter !== null || profileLimiter !== null
    this.#limiters = isLimited ? { addressLimiter, profileLimiter, clock } : null
  }

  begin({ call, route, address, caller }: ChargedCall<S>): void {
    if (this.#limiters === null || route.raw || !CHARGED.has(route.rateClass)) return
    if (call.isOwn === true) return
    const key = caller === null ? null : rateKeyOf(caller)
    call.charges = new Charges(this.#limiters, { rateClass: route.rateClass, address, key })
  }
}

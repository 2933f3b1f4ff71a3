// Calls that a handler makes to other routes on behalf of its own caller. Each passes the same
// checks as a separate call: bulkhead, rates of address and profile, region, scopes. Metrics count
// it as a call of its route. Its caller was authenticated at the outer call.

import { assert } from '../../../../engine/domain/assert.ts'
import { SCOPE_REJECT } from '../../../../engine/domain/reject-precedence.ts'
import type { Guarded } from '../../../auth/auth-scheme.ts'
import type { Call, Caller } from '../../../messages/call.ts'
import { wholeOf } from '../../../messages/payload.ts'
import { Refusal, refusalStatus, refuse } from '../../../messages/refusal.ts'
import { Charges, type Limiters } from '../access/charges.ts'
import type { RateClass } from '../access/rate-limit.ts'
import { isRestrictedThere } from '../access/regions.ts'
import { Pending } from '../reply.ts'
import type { CallWithin, Route, Unchecked } from '../route.ts'
import type { Bulkheads, Guest } from './bulkheads.ts'
import { profileWaitSec, rateKeyOf } from './entry.ts'
import type { GatewayOptions } from './gateway-options.ts'
import { encoded, verify } from './replies/outgoing.ts'

/** The outcome of an ended call, for the metrics. */
interface Ending {
  readonly status: number
  readonly refusal: string | null
}

const BROKEN: Ending = { status: refusalStatus('INTERNAL'), refusal: 'INTERNAL' }

/**
 * Scopes apply to every scheme here: a session or an identity token has none. So routes that only
 * read are open to them, and routes that need a scope are not.
 */
function scopeRefusal({ accepts }: Guarded, { scopes }: Caller): Refusal | null {
  const needed = accepts.flatMap((each) => each.scopes)
  const missing = needed.find((scope) => !scopes.has(scope))
  return missing === undefined ? null : refuse(SCOPE_REJECT[missing])
}

function settled(outcome: unknown): unknown {
  if (!(outcome instanceof Pending)) return outcome
  return new Promise((resolve, reject) => outcome.whenDone(resolve, reject))
}

export class CallsWithin<S> {
  readonly #options: GatewayOptions<S>
  readonly #bulkheads: Bulkheads
  readonly #clock: () => number
  readonly charged: ChargedCalls<S>

  constructor(options: GatewayOptions<S>, bulkheads: Bulkheads) {
    this.#options = options
    this.#bulkheads = bulkheads
    this.#clock = options.clock ?? (() => performance.now())
    this.charged = new ChargedCalls(options, this.#clock)
  }

  readonly call: CallWithin<S> = async (route, request) => {
    const { accepts, welcomes } = route.auth
    const isOpen = accepts.length === 0 && welcomes === undefined
    const requested = isOpen ? { ...request, caller: null } : request
    const guest: Guest = { address: request.call.addressKey, bulkhead: null, profileId: 0 }
    let ending = BROKEN
    try {
      const outcome =
        this.#gate(route, requested, guest) ?? (await settled(this.#run(route, requested)))
      if (this.#options.verifyReplies === true) verify(route, outcome)
      const out = encoded(outcome, route.status)
      ending = out
      return outcome instanceof Refusal ? outcome : wholeOf(out.payload)
    } finally {
      this.#bulkheads.leave(guest)
      this.#observe(route, requested, ending)
    }
  }

  /** The refusals that precede the handler, in the same order as in the gateway. */
  #gate(route: Route<S>, { call, caller }: Unchecked, guest: Guest): Refusal | null {
    const { addressLimiter, profileLimiter, regions, services } = this.#options
    const { bulkhead, rateClass, auth } = route
    const full = this.#bulkheads.refusal(bulkhead, guest.address)
    if (full !== null) return full
    const ofAddress = guest.address === '' ? null : (addressLimiter ?? null)
    const addressSec = ofAddress?.take(guest.address, rateClass, call.receivedMs) ?? 0
    if (addressSec > 0) return refuse('RATE_LIMITED', undefined, addressSec)
    if (!route.hasCapacity(services)) return refuse('OVERLOADED')
    if (isRestrictedThere(regions, route, call.headers)) return refuse('REGION_BLOCKED')
    this.#bulkheads.enter(guest, bulkhead)
    // Its bytes are charged with the outer reply that carries them.
    this.charged.begin({ call, route, address: guest.address, caller })
    if (caller === null) return null
    const lacking = scopeRefusal(auth, caller)
    if (lacking !== null) return lacking
    const key = rateKeyOf(caller)
    // The sequencer takes the tokens of a raw route, after the caller is authenticated.
    const limiter = route.raw ? null : (profileLimiter ?? null)
    const profileSec = profileWaitSec(limiter, key, route, call, this.#clock())
    if (profileSec > 0) return refuse('RATE_LIMITED', undefined, profileSec)
    return this.#bulkheads.known(guest, key)
  }

  #run(route: Route<S>, request: Unchecked): unknown {
    const { accepts } = route.auth
    const isForTokens = accepts.length === 0 || accepts.some(({ scheme }) => scheme === 'hmac')
    assert(isForTokens, 'a route called within another accepts API tokens')
    const { services, ownerOfCall } = this.#options
    return route.run(request, services, ownerOfCall, this.call)
  }

  /** A fault of the observer does not change the call. */
  #observe(route: Route<S>, { call, caller }: Unchecked, { status, refusal }: Ending): void {
    const { observe, onFault } = this.#options
    try {
      observe?.({ call, route, caller, status, refusal, endedMs: this.#clock(), from: '' })
    } catch (error) {
      onFault(error, 'http')
    }
  }
}

// Charges read calls for their cost when rate limits are on.

/** Rate classes whose calls only read, so their cost grows with what they request. */
const CHARGED: ReadonlySet<RateClass> = new Set(['public', 'private'])

interface ChargedCall<S> {
  readonly call: Call
  readonly route: Pick<Route<S>, 'rateClass' | 'raw'>
  readonly address: string
  readonly caller: Caller | null
}

class ChargedCalls<S> {
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

// The refusals that need only the head of a request, in order of precedence.

import { isEncoded } from '../../../messages/call.ts'
import { type Refusal, refuse } from '../../../messages/refusal.ts'
import { isRestrictedThere } from '../access/regions.ts'
import type { Bulkheads } from './bulkheads.ts'
import type { CallerAddresses } from './caller-address.ts'
import { framingRefusal } from './framing.ts'
import type { GatewayOptions } from './gateway-options.ts'
import type { IncomingRequest } from './incoming-request.ts'

interface AdmissionParts<S> {
  readonly options: GatewayOptions<S>
  readonly bulkheads: Bulkheads
  readonly addresses: CallerAddresses
  readonly isStopping: () => boolean
}

export class Admission<S> {
  readonly #parts: AdmissionParts<S>

  constructor(parts: AdmissionParts<S>) {
    this.#parts = parts
  }

  /**
   * Null when the end of the request is unambiguous and its host belongs to the listener. A refusal
   * costs a token of the address.
   */
  framing({ call, address }: IncomingRequest<S>): Refusal | null {
    const misframed = framingRefusal(call) ?? this.#parts.options.hosts?.refusal(call) ?? null
    if (misframed === null) return null
    const waitSec = this.#parts.addresses.waitSec(address, 'public', call.receivedMs)
    return waitSec > 0 ? refuse('RATE_LIMITED', undefined, waitSec) : misframed
  }

  ofHead({ call, entry, allow, address }: IncomingRequest<S>, hasBody: boolean): Refusal | null {
    const { options, bulkheads, addresses, isStopping } = this.#parts
    if (isStopping()) return refuse('NOT_READY')
    const full = entry === null ? null : bulkheads.refusal(entry.route.bulkhead, address)
    if (full !== null) return full
    const unread = hasBody ? bulkheads.refusal('bodies', address) : null
    if (unread !== null) return unread
    const rateClass = entry?.route.rateClass ?? 'public'
    const waitSec = addresses.waitSec(address, rateClass, call.receivedMs)
    if (waitSec > 0) return refuse('RATE_LIMITED', undefined, waitSec)
    if (entry !== null) {
      const { route } = entry
      const { services, regions } = options
      if (!route.hasCapacity(services)) return refuse('OVERLOADED')
      if (isRestrictedThere(regions, route, call.headers)) return refuse('REGION_BLOCKED')
      return hasBody && isEncoded(call) ? refuse('BODY_ENCODED') : null
    }
    return refuse(allow.length === 0 ? 'PATH_NOT_FOUND' : 'METHOD_NOT_ALLOWED')
  }
}

// The RateLimit headers of replies: the remaining tokens of the bucket that limits the caller most,
// which is that of its profile, or of its address until a profile is authenticated. A 429 shows the
// limit that was hit, or none when that limit is not a bucket.

import { rateKeyOf } from './entry.ts'
import type { GatewayOptions } from './gateway-options.ts'
import type { IncomingRequest } from './incoming-request.ts'
import type { Outgoing } from './replies/outgoing.ts'

const TOO_MANY = 429

type Limiters<S> = Pick<GatewayOptions<S>, 'addressLimiter' | 'profileLimiter'>
type Counted<S> = Pick<IncomingRequest<S>, 'entry' | 'caller' | 'address' | 'call'>

/**
 * Empty without limits and on raw routes. On these, the order path counts the profile, and its
 * figures would cost each order more than they are worth to a trader who counts its own orders.
 */
export function rateLines<S>(limiters: Limiters<S>, incoming: Counted<S>, out: Outgoing): string {
  const { entry, caller, address, call } = incoming
  if (out.limitLines !== '') return out.limitLines
  if (out.status === TOO_MANY && out.refusal !== 'RATE_LIMITED') return ''
  if (entry?.route.raw === true || call.isOwn === true) return ''
  const rateClass = entry?.route.rateClass ?? 'public'
  const { addressLimiter, profileLimiter } = limiters
  // The token of a profile is taken when the body is there.
  const nowMs = Math.max(call.receivedMs, call.readMs)
  if (caller !== null) return profileLimiter?.linesOf(rateKeyOf(caller), rateClass, nowMs) ?? ''
  return address === '' ? '' : (addressLimiter?.linesOf(address, rateClass, nowMs) ?? '')
}

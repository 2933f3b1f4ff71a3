// Rate limits of single routes, besides those of the rate classes: for calls whose cost a rate
// class does not reflect.

import type { ProfileId } from '../../engine/domain/ids.ts'
import { networksOf } from '../auth/networks.ts'
import type { Buckets } from '../edge/http/access/rate-limit.ts'
import { type Refusal, tooOften } from '../messages/refusal.ts'

const MS_PER_SEC = 1000

/** The refusal of a profile over its rate limit; null when it may call, or without limits. */
export function ownRateRefusal(
  calls: Buckets<ProfileId> | null,
  profileId: ProfileId,
): Refusal | null {
  return calls === null ? null : refusalOf(calls, profileId)
}

/** The same for an address and each wider network of it; `calls` starts with the narrowest. */
export function networkRateRefusal(
  calls: readonly Buckets<string>[] | null,
  address: string,
): Refusal | null {
  if (calls === null) return null
  for (const [at, network] of networksOf(address).entries()) {
    const refused = refusalOf(calls[at], network)
    if (refused !== null) return refused
  }
  return null
}

/** Takes a token; the refusal shows this limit in its RateLimit headers. */
function refusalOf<Key>(calls: Buckets<Key>, key: Key): Refusal | null {
  const nowMs = performance.now()
  const waitMs = calls.take(key, nowMs)
  if (waitMs <= 0) return null
  return tooOften(Math.ceil(waitMs / MS_PER_SEC), calls.linesOf(key, nowMs))
}

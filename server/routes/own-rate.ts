// Rates of single routes, beside those of the lanes: for calls that cost others more than a lane
// knows of.

import type { ProfileId } from '../../engine/domain/ids.ts'
import type { Buckets } from '../http/access/rate-limit.ts'
import { type Refusal, refuse } from '../http/refusal.ts'

const MS_PER_SEC = 1000

/** The refusal of a profile that calls too often; null when it may call, or without limits. */
export function ownRateRefusal(
  calls: Buckets<ProfileId> | null,
  profileId: ProfileId,
): Refusal | null {
  const waitMs = calls?.take(profileId, performance.now()) ?? 0
  if (waitMs <= 0) return null
  return refuse('RATE_LIMITED', undefined, Math.ceil(waitMs / MS_PER_SEC))
}

import type { Clearing } from '../../engine/core/clearing.ts'
import { decideDelegation } from '../../engine/core/decide-partners.ts'
import { type Call, type Caller, header } from '../http/call.ts'
import { invalid, type Refusal, refuse } from '../http/refusal.ts'

// Partners that act for their sub-accounts (api-spec "Authentication"). Every route that may be
// called for another profile asks here, so the rule stands once.

const HEADER = 'x-on-behalf-of'
const PROFILE_ID = /^[1-9][0-9]{0,9}$/
const PROFILE_ID_MAX = 2_147_483_647

/** The `headers` entry of a route that reads the header. */
export const ON_BEHALF_HEADER = {
  [HEADER]: 'Profile id of a sub-account of the caller; the token needs delegated_signing.',
} as const

/** Undefined without the header; NaN for what is no profile id. */
function headerTarget(call: Call): number | undefined {
  const text = header(call, HEADER)
  if (text === '') return call.headers.has(HEADER) ? Number.NaN : undefined
  const target = PROFILE_ID.test(text) ? Number(text) : Number.NaN
  return target <= PROFILE_ID_MAX ? target : Number.NaN
}

/**
 * The profile a call is for: the caller's own, or the sub-account named by the header or by
 * `onBehalfOf` of query or body. 400 for a header that is no profile id or names another profile
 * than `onBehalfOf`; 403 without the scope or for a profile that is no sub-account of the caller.
 */
export function actingProfile(
  { caller, call }: { readonly caller: Caller; readonly call: Call },
  clearing: Clearing,
  onBehalfOf?: number,
): number | Refusal {
  const inHeader = headerTarget(call)
  if (Number.isNaN(inHeader)) {
    return invalid({ field: HEADER, message: `must be an integer 1..${PROFILE_ID_MAX}` })
  }
  if (inHeader !== undefined && onBehalfOf !== undefined && inHeader !== onBehalfOf) {
    return invalid({ field: HEADER, message: 'must name the same profile as onBehalfOf' })
  }
  const target = onBehalfOf ?? inHeader
  return target === undefined ? caller.profileId : subAccount(caller, clearing, target)
}

/** `target` itself once the caller may act for it. */
export function subAccount(caller: Caller, clearing: Clearing, target: number): number | Refusal {
  if (!caller.scopes.has('delegated_signing')) return refuse('SCOPE_MISSING')
  const reject = decideDelegation(clearing, caller.profileId, target)
  return reject === 0 ? target : refuse(reject)
}

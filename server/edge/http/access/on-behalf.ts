import { ON_BEHALF_OF } from '../../../auth/on-behalf.ts'
import type { Call } from '../../../messages/call.ts'
import type { Issue } from '../../../messages/refusal.ts'
import { profileId } from '../schema/fields.ts'
import { means } from '../schema/scalars.ts'
import { optional } from '../schema/schema.ts'

// How routes declare that a call may be for a sub-account (rules §12.1).

/** The `headers` entry of a route that reads the header. */
export const ON_BEHALF_HEADER = {
  [ON_BEHALF_OF]: {
    about:
      'Profile id of a sub-account of the caller; the token needs delegated_signing. Must equal ' +
      'onBehalfOf of the query and the body, where these are given.',
    schema: profileId(),
  },
}

/** The field of a query or a body that names the sub-account. */
export function onBehalfOf() {
  return means(
    optional(profileId()),
    'Profile id of the sub-account that the call acts for; absent for the caller itself.',
  )
}

const NOT_TAKEN = {
  field: ON_BEHALF_OF,
  message: 'must be absent: this call is always for its caller, never for a sub-account',
}

/** The issue when a call sends the header to a route that does not declare it. */
export function headerIssue(call: Call, headers: Readonly<Record<string, unknown>>): Issue | null {
  return call.headers.has(ON_BEHALF_OF) && !Object.hasOwn(headers, ON_BEHALF_OF) ? NOT_TAKEN : null
}

import type { ProfileId } from '../../../../engine/domain/ids.ts'
import { type Call, header } from '../call.ts'
import { profileId } from '../schema/fields.ts'
import { means } from '../schema/meaning.ts'
import { type Issue, optional } from '../schema/schema.ts'

// The profile that a call acts for (rules §12.1). The header `x-on-behalf-of` and `onBehalfOf` of
// query or body mean the same, on main and in the intake threads alike.

const HEADER = 'x-on-behalf-of'
const PROFILE_ID = /^[1-9][0-9]{0,9}$/
const PROFILE_ID_MAX = 2_147_483_647

/** The `headers` entry of a route that reads the header. */
export const ON_BEHALF_HEADER = {
  [HEADER]: {
    about:
      'Profile id of a sub-account of the caller; the token needs delegated_signing. Must be the ' +
      'same as onBehalfOf of query and body, where these are given.',
    schema: profileId(),
  },
}

/** Adds the header that names this profile. */
export function nameTarget(headers: Map<string, string>, profileId: ProfileId): void {
  headers.set(HEADER, String(profileId))
}

/** The field of a query or a body that names the sub-account. */
export function onBehalfOf() {
  return means(
    optional(profileId()),
    'Number of the sub-account of the caller that the call is for; absent for the caller itself.',
  )
}

/** The profile that the header names: 0 without the header, NaN when it is no profile id. */
export function headerTarget(call: Call): number {
  const text = header(call, HEADER)
  if (text === '') return call.headers.has(HEADER) ? Number.NaN : 0
  const target = PROFILE_ID.test(text) ? Number(text) : Number.NaN
  return target <= PROFILE_ID_MAX ? target : Number.NaN
}

const NOT_TAKEN = {
  field: HEADER,
  message: 'must be absent: this call is always for its caller, never for a sub-account',
}

/** What is wrong with the header in a call of a route that does not have it among its headers. */
export function headerIssue(call: Call, headers: Readonly<Record<string, unknown>>): Issue | null {
  return call.headers.has(HEADER) && !Object.hasOwn(headers, HEADER) ? NOT_TAKEN : null
}

/** Removes the header from those of a call. */
export function nameNobody(headers: Map<string, string>): void {
  headers.delete(HEADER)
}

/** The profile that a call is for, or what is wrong with the names it gives. */
interface Target {
  /** 0 for the caller's own profile. */
  readonly profileId: ProfileId
  readonly issue: Issue | null
}

const NO_PROFILE_ID = { field: HEADER, message: `must be an integer 1..${PROFILE_ID_MAX}` }
const OTHER_PROFILE = {
  field: 'onBehalfOf',
  message: `must name the same profile as ${HEADER}, in query and body alike`,
}

/** The profile that the header or `onBehalfOf` names; both must name the same. */
export function targetOf(inHeader: number, onBehalfOf: number | undefined): Target {
  if (Number.isNaN(inHeader)) return { profileId: 0, issue: NO_PROFILE_ID }
  if (onBehalfOf === undefined) return { profileId: inHeader, issue: null }
  const isSame = inHeader === 0 || inHeader === onBehalfOf
  return { profileId: onBehalfOf, issue: isSame ? null : OTHER_PROFILE }
}

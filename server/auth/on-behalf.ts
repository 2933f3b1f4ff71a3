// The profile that a call acts for (rules §12.1). The header `x-on-behalf-of` and `onBehalfOf` of
// query or body mean the same, on the main thread and on edge threads alike.

import type { ProfileId } from '../../engine/domain/ids.ts'
import { type Call, header } from '../messages/call.ts'
import type { Issue } from '../messages/refusal.ts'

export const ON_BEHALF_OF = 'x-on-behalf-of'
const PROFILE_ID = /^[1-9][0-9]{0,9}$/
const PROFILE_ID_MAX = 2_147_483_647

/** Adds the header that names this profile. */
export function nameTarget(headers: Map<string, string>, profileId: ProfileId): void {
  headers.set(ON_BEHALF_OF, String(profileId))
}

/** The profile that the header names: 0 without the header, NaN when it is no profile id. */
export function headerTarget(call: Call): number {
  const text = header(call, ON_BEHALF_OF)
  if (text === '') return call.headers.has(ON_BEHALF_OF) ? Number.NaN : 0
  const target = PROFILE_ID.test(text) ? Number(text) : Number.NaN
  return target <= PROFILE_ID_MAX ? target : Number.NaN
}

/** Removes the header from those of a call. */
export function nameNobody(headers: Map<string, string>): void {
  headers.delete(ON_BEHALF_OF)
}

/** The profile that a call is for, or what is wrong with the names it gives. */
interface Target {
  /** 0 for the caller's own profile. */
  readonly profileId: ProfileId
  readonly issue: Issue | null
}

const NO_PROFILE_ID = { field: ON_BEHALF_OF, message: `must be an integer 1..${PROFILE_ID_MAX}` }
const OTHER_PROFILE = {
  field: 'onBehalfOf',
  message: `must name the same profile as ${ON_BEHALF_OF}, in query and body alike`,
}

/** The profile that the header or `onBehalfOf` names; both must name the same. */
export function targetOf(inHeader: number, onBehalfOf: number | undefined): Target {
  if (Number.isNaN(inHeader)) return { profileId: 0, issue: NO_PROFILE_ID }
  if (onBehalfOf === undefined) return { profileId: inHeader, issue: null }
  const isSame = inHeader === 0 || inHeader === onBehalfOf
  return { profileId: onBehalfOf, issue: isSame ? null : OTHER_PROFILE }
}

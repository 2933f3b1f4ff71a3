// The referral code of a profile: its id in base 36, and a check letter, so that a code with one
// wrong letter is invalid.

import type { ProfileId } from '../../../engine/domain/ids.ts'

const BASE = 36
const CODE = /^[1-9A-Z][0-9A-Z]{1,6}$/
const PROFILE_ID_MAX = 2_147_483_647

/** Luhn's sum in base 36: each second digit from the end counts twice. */
function checkLetterOf(digits: string): string {
  let sum = 0
  for (const [index, digit] of [...digits].reverse().entries()) {
    const value = Number.parseInt(digit, BASE) * (index % 2 === 0 ? 2 : 1)
    sum += Math.floor(value / BASE) + (value % BASE)
  }
  return ((BASE - (sum % BASE)) % BASE).toString(BASE).toUpperCase()
}

export function referralCodeOf(profileId: ProfileId): string {
  const digits = profileId.toString(BASE).toUpperCase()
  return digits + checkLetterOf(digits)
}

/** The profile of a code in any letter case; undefined for an invalid code. */
export function profileOfCode(code: string): ProfileId | undefined {
  const stated = code.trim().toUpperCase()
  if (!CODE.test(stated)) return undefined
  const profileId = Number.parseInt(stated.slice(0, -1), BASE)
  if (profileId > PROFILE_ID_MAX) return undefined
  return referralCodeOf(profileId) === stated ? profileId : undefined
}

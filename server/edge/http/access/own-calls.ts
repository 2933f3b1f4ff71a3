// Calls that this process makes to itself, as the demo does. Rate limits do not count them: the
// limits are meant for outside callers, a low limit would stop the demo, and the demo would use up
// the quota of an operator at the same address. A key known only to this process marks such a call.

import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { ProfileId } from '../../../../engine/domain/ids.ts'

export const OWN_CALL_HEADER = 'x-outcomex-own'
const KEY_BYTES = 32

export class OwnCalls {
  readonly #key = Buffer.from(randomBytes(KEY_BYTES).toString('base64url'))
  /** Profiles that only this process trades for: the profile limit of orders never sees headers. */
  readonly profiles = new Set<ProfileId>()

  /** Calls of others that have ended, without those of monitoring. */
  othersCount = 0

  /** The header that marks a call. */
  get headers(): Readonly<Record<string, string>> {
    return { [OWN_CALL_HEADER]: this.#key.toString() }
  }

  isMarked(headers: ReadonlyMap<string, string>): boolean {
    const given = headers.get(OWN_CALL_HEADER)
    if (given === undefined) return false
    const bytes = Buffer.from(given)
    return bytes.length === this.#key.length && timingSafeEqual(bytes, this.#key)
  }
}

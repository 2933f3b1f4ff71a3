// Calls that this process makes to itself, as the demo does. No rate limit counts them: the limits
// are for callers outside, a small one would stop the demo, and the demo would use up what an
// operator at the same address has. A key that only this process knows marks such a call.

import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { ProfileId } from '../../../../engine/domain/ids.ts'

const HEADER = 'x-outcomex-own'
const KEY_BYTES = 32

export class OwnCalls {
  readonly #key = Buffer.from(randomBytes(KEY_BYTES).toString('base64url'))
  /** For which this process alone trades: an order counts by its profile, far from its headers. */
  readonly profiles = new Set<ProfileId>()

  /** What marks a call. */
  get headers(): Readonly<Record<string, string>> {
    return { [HEADER]: this.#key.toString() }
  }

  isMarked(headers: ReadonlyMap<string, string>): boolean {
    const given = headers.get(HEADER)
    if (given === undefined) return false
    const bytes = Buffer.from(given)
    return bytes.length === this.#key.length && timingSafeEqual(bytes, this.#key)
  }
}

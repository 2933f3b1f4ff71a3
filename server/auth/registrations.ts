// Decides whether a first login may make a profile: for anybody or nobody, with a bound per day and
// address. The counts are no state, so a restart sets them to 0.

import { LIMITS } from '../../engine/domain/limits.ts'
import { REJECT } from '../../engine/domain/reject-precedence.ts'
import { DAY_MS, MS_PER_SEC, type TimeMs } from '../../engine/domain/units.ts'
import { addressKey } from '../http/access/rate-limit.ts'
import { type Refusal, refuse } from '../http/refusal.ts'

export interface RegistrationRules {
  /** When false, only the operator makes profiles. */
  readonly isOpen: boolean
  /** New profiles per day (UTC) from one address; IPv6 counts by its first 64 bits. */
  readonly perAddressMax: number
}

export class Registrations {
  readonly #rules: RegistrationRules
  /** Profiles made today by address, the oldest address first. */
  readonly #made = new Map<string, number>()
  #day = 0

  constructor(rules: RegistrationRules) {
    this.#rules = rules
  }

  /** Takes one of the profiles that an address may make today; a refusal when none is left. */
  take(address: string, nowMs: TimeMs): Refusal | null {
    if (!this.#rules.isOpen) return refuse(REJECT.REGISTRATION_CLOSED)
    const day = Math.floor(nowMs / DAY_MS)
    if (day !== this.#day) this.#made.clear()
    this.#day = day
    const key = addressKey(address)
    const count = this.#made.get(key) ?? 0
    if (count >= this.#rules.perAddressMax) {
      const waitSec = Math.ceil(((day + 1) * DAY_MS - nowMs) / MS_PER_SEC)
      return refuse(REJECT.REGISTRATION_LIMIT, undefined, waitSec)
    }
    // A flood of addresses must not lock others out, so the oldest count is dropped.
    if (count === 0 && this.#made.size >= LIMITS.registrationAddressesMax) {
      for (const oldest of this.#made.keys()) {
        this.#made.delete(oldest)
        break
      }
    }
    this.#made.set(key, count + 1)
    return null
  }
}

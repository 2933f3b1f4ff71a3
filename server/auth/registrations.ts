// Decides whether a first login may create a profile: open or closed to all, with daily limits per
// address, per network and in total. The counts are not state, so a restart resets them to 0.

import { type ShareRule, shareOf, shareRule } from '../../engine/domain/fair-share.ts'
import { LIMITS } from '../../engine/domain/limits.ts'
import { REJECT } from '../../engine/domain/reject-precedence.ts'
import { dayOf } from '../../engine/domain/rewards/reward-time.ts'
import { PROFILES_RESERVED } from '../../engine/domain/shared-tables.ts'
import { DAY_MS, MS_PER_SEC, type TimeMs } from '../../engine/domain/units.ts'
import { type Refusal, refuse } from '../messages/refusal.ts'
import { networksOf } from './networks.ts'

export interface RegistrationRules {
  /** When false, only the operator creates profiles. */
  readonly isOpen: boolean
  /**
   * New profiles per day (UTC) from one address; IPv6 addresses are counted by their first 64 bits.
   * The first 56 bits may create twice as many, the first 48 bits four times as many.
   */
  readonly perAddressMax: number
  /** New profiles per day (UTC) from all addresses. Each address's share shrinks as it fills. */
  readonly inAllMax: number
}

/** Multiples of `perAddressMax` for an address and for each wider network around it. */
const NETWORK_TIMES = [1, 2, 4] as const

/** One rule per network, the narrowest first; null without a limit. */
function rulesOf({ perAddressMax, inAllMax }: RegistrationRules): readonly ShareRule[] | null {
  if (!Number.isFinite(perAddressMax)) return null
  const capacity = Math.min(inAllMax, Number.MAX_SAFE_INTEGER)
  return NETWORK_TIMES.map((times) => {
    return shareRule(capacity, Math.min(perAddressMax * times, capacity), 1)
  })
}

export class Registrations {
  readonly #isOpen: boolean
  readonly #rules: readonly ShareRule[] | null
  /** Profiles created today by network, the oldest network first. */
  readonly #made = new Map<string, number>()
  #madeInAll = 0
  #day = 0

  constructor(rules: RegistrationRules) {
    this.#isOpen = rules.isOpen
    this.#rules = rulesOf(rules)
  }

  /**
   * Counts one new profile against the address; returns a refusal when its limit for today is
   * reached. A null address is not counted.
   */
  take(address: string | null, profileCount: number, nowMs: TimeMs): Refusal | null {
    if (!this.#isOpen) return refuse(REJECT.REGISTRATION_CLOSED)
    if (profileCount >= LIMITS.profilesMax - PROFILES_RESERVED) return refuse(REJECT.PROFILE_LIMIT)
    const rules = this.#rules
    if (address === null || rules === null) return null
    const day = dayOf(nowMs)
    if (day !== this.#day) {
      this.#made.clear()
      this.#madeInAll = 0
    }
    this.#day = day
    const networks = networksOf(address)
    const all = this.#madeInAll
    const isFull = all >= rules[0].capacity
    const hasLeft = networks.every((network, at) => {
      const made = this.#made.get(network) ?? 0
      return made < shareOf(rules[at], all - made)
    })
    if (isFull || !hasLeft) {
      const waitSec = Math.ceil(((day + 1) * DAY_MS - nowMs) / MS_PER_SEC)
      return refuse(REJECT.REGISTRATION_LIMIT, undefined, waitSec)
    }
    this.#madeInAll++
    for (const network of networks) this.#count(network)
    return null
  }

  #count(network: string): void {
    const made = this.#made.get(network) ?? 0
    // A flood of addresses must not lock others out, so the oldest count is dropped.
    if (made === 0 && this.#made.size >= LIMITS.registrationAddressesMax) {
      for (const oldest of this.#made.keys()) {
        this.#made.delete(oldest)
        break
      }
    }
    this.#made.set(network, made + 1)
  }
}

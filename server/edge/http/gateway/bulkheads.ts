// Bulkheads: bounds on the requests under way. Each kind has its own, so a flood of one kind never
// makes another kind wait. No address and no profile can fill a bulkhead (design §11), and neither
// can a few of them: the share of each halves as others fill it. Invariant: a request is in at most
// one bulkhead, which counts it in total, for its address and for its profile.

import { Counts } from '../../../../engine/domain/counts.ts'
import { type ShareRule, shareOf, shareRule } from '../../../../engine/domain/fair-share.ts'
import type { ProfileId } from '../../../../engine/domain/ids.ts'
import { type BulkheadName, LIMITS } from '../../../../engine/domain/limits.ts'
import { type Refusal, refuse } from '../../../messages/refusal.ts'

/** The limits of a bulkhead: requests in total, of one address, and of one profile. */
export interface BulkheadSize {
  readonly all: number
  readonly address: number
  readonly profile: number
}

export type BulkheadSizes = Readonly<Record<BulkheadName, BulkheadSize>>

export interface Guest {
  /** '' for no address: only the total applies. */
  readonly address: string
  bulkhead: BulkheadName | null
  /** The calling profile; 0 until it is authenticated. */
  profileId: ProfileId
}

/** An owner's minimum share of a full bulkhead, as a divisor of its maximum. */
const FLOOR_PARTS = 64
const FLOOR_MIN = 4

function ruleOf(all: number, size: number): ShareRule {
  const most = Math.min(size, all)
  return shareRule(all, most, Math.min(most, Math.max(FLOOR_MIN, Math.floor(most / FLOOR_PARTS))))
}

export class Bulkhead {
  readonly size: BulkheadSize
  readonly ofAddress: ShareRule
  readonly ofProfile: ShareRule
  readonly addresses = new Counts<string>()
  readonly profiles = new Counts<ProfileId>()
  count = 0

  constructor(size: BulkheadSize) {
    this.size = size
    this.ofAddress = ruleOf(size.all, size.address)
    this.ofProfile = ruleOf(size.all, size.profile)
  }

  get isFull(): boolean {
    return this.count >= this.size.all
  }

  /** Whether one more fits the share of an address; '' is not counted. */
  fitsAddress(address: string): boolean {
    if (address === '') return true
    const own = this.addresses.of(address)
    return own < shareOf(this.ofAddress, this.count - own)
  }

  fitsProfile(profileId: ProfileId): boolean {
    const own = this.profiles.of(profileId)
    return own < shareOf(this.ofProfile, this.count - own)
  }
}

export class Bulkheads {
  readonly #bulkheads: Readonly<Record<BulkheadName, Bulkhead>>
  #count = 0

  constructor(sizes: BulkheadSizes = LIMITS.bulkheads) {
    this.#bulkheads = {
      bodies: new Bulkhead(sizes.bodies),
      vital: new Bulkhead(sizes.vital),
      frees: new Bulkhead(sizes.frees),
      orders: new Bulkhead(sizes.orders),
      reads: new Bulkhead(sizes.reads),
      searches: new Bulkhead(sizes.searches),
      others: new Bulkhead(sizes.others),
    }
  }

  /** Requests of all bulkheads. */
  get count(): number {
    return this.#count
  }

  countOf(name: BulkheadName): number {
    return this.#bulkheads[name].count
  }

  /** The refusal of one more request from this address; null when there is capacity. */
  refusal(name: BulkheadName, address: string): Refusal | null {
    const bulkhead = this.#bulkheads[name]
    if (bulkhead.isFull) return refuse('OVERLOADED')
    return bulkhead.fitsAddress(address) ? null : refuse('RATE_LIMITED')
  }

  /** Moves the request into this bulkhead from its previous one. */
  enter(guest: Guest, name: BulkheadName): void {
    this.leave(guest)
    const bulkhead = this.#bulkheads[name]
    guest.bulkhead = name
    bulkhead.count++
    this.#count++
    if (guest.address !== '') bulkhead.addresses.add(guest.address)
  }

  /** Counts the request for its profile; returns a refusal when the profile has used its share. */
  known(guest: Guest, profileId: ProfileId): Refusal | null {
    if (guest.bulkhead === null || profileId === 0) return null
    const bulkhead = this.#bulkheads[guest.bulkhead]
    if (!bulkhead.fitsProfile(profileId)) return refuse('RATE_LIMITED')
    guest.profileId = profileId
    bulkhead.profiles.add(profileId)
    return null
  }

  leave(guest: Guest): void {
    if (guest.bulkhead === null) return
    const bulkhead = this.#bulkheads[guest.bulkhead]
    bulkhead.count--
    this.#count--
    if (guest.address !== '') bulkhead.addresses.add(guest.address, -1)
    if (guest.profileId !== 0) bulkhead.profiles.add(guest.profileId, -1)
    guest.bulkhead = null
    guest.profileId = 0
  }
}

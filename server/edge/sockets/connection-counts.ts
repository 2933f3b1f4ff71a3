// Counts connections and their messages, with limits per address and per profile. Clients without
// credentials cannot occupy the capacity reserved for signed clients. An owner's limit halves step
// by step as the sockets or their markets fill up.
// Invariants: a connection is counted once, from `entered` to `left`. An owner is kept while it has
// a connection, so there are never more owners than sockets.

import { type ShareRule, shareOf, shareRule } from '../../../engine/domain/fair-share.ts'
import type { ProfileId } from '../../../engine/domain/ids.ts'
import { LIMITS } from '../../../engine/domain/limits.ts'
import { MS_PER_SEC } from '../../../engine/domain/units.ts'
import { Buckets } from '../http/access/rate-limit.ts'
import { REQUEST_UNIT_BYTES } from './frame-rates.ts'
import { Tally } from './tally.ts'

export interface ConnectionBounds {
  readonly socketsMax: number
  /** Sockets without credentials; the rest is reserved for signed clients. */
  readonly anonymousMax: number
  readonly perAddressMax: number
  readonly perProfileMax: number
  /** Markets in the subscriptions of all sockets of a profile. */
  readonly marketsPerProfileMax: number
  /** Markets in the public subscriptions of all sockets of an address. */
  readonly marketsPerAddressMax: number
  /** Market units per address or profile in `LIMITS.ownerMessagesSec` (`unitsOf`). */
  readonly ownerMarketsRequestedMax: number
  readonly messagesPerSecondMax: number
  /** Messages of all sockets of one address or profile per `LIMITS.ownerMessagesSec`. */
  readonly ownerMessagesMax: number
}

export const SOCKET_REFUSALS = [
  'all',
  'anonymous',
  'address',
  'profile',
  'markets',
  'messages',
] as const
/** The limit that was reached: all sockets, those without credentials, those of an address, … */
export type SocketRefusal = (typeof SOCKET_REFUSALS)[number]

interface Owner {
  readonly tally: Tally
  connectionSlots: number
  markets: number
}

/** The cost of a reader whose first frames have this many bytes: at least one unit. */
export function unitsOf(firstBytes: number): number {
  return Math.max(1, Math.ceil(firstBytes / REQUEST_UNIT_BYTES))
}

interface Visitor {
  /** '' when the trusted proxy names no address. */
  readonly address: string
  /** 0 for a client without credentials. */
  readonly profileId: ProfileId
}

/** One counted connection. */
export class ConnectionSlot {
  /** The profile already has its maximum of sockets; this one is refused when it joins. */
  readonly isOver: boolean
  readonly #visitor: Visitor
  readonly #connectionCounts: ConnectionCounts
  readonly #tally = new Tally()
  #isCounted = false
  /** Markets that this connection holds in each public channel. */
  readonly #held = new Map<object, number>()

  constructor(connectionCounts: ConnectionCounts, visitor: Visitor, isOver: boolean) {
    this.#connectionCounts = connectionCounts
    this.#visitor = visitor
    this.isOver = isOver
  }

  /** '' when the trusted proxy names no address. */
  get address(): string {
    return this.#visitor.address
  }

  entered(): void {
    if (this.#isCounted) return
    this.#isCounted = true
    this.#connectionCounts.enter(this.#visitor, this.isOver)
  }

  takes(): boolean {
    const second = Math.floor(performance.now() / MS_PER_SEC)
    const { messagesPerSecondMax } = this.#connectionCounts.bounds
    const isReceived =
      this.#tally.takes(second, messagesPerSecondMax) &&
      this.#connectionCounts.takes(this.#visitor, second)
    if (!isReceived) this.#connectionCounts.refuse('messages')
    return isReceived
  }

  /** Whether the connection may request markets of that many units now (`unitsOf`). */
  asks(units: number): boolean {
    const isReceived = this.#connectionCounts.asks(this.#visitor, units, performance.now())
    if (!isReceived) this.#connectionCounts.refuse('markets')
    return isReceived
  }

  /** Counts the markets of a public subscription; false when the limit is exceeded. */
  holds(channel: object, count: number): boolean {
    const more = count - (this.#held.get(channel) ?? 0)
    if (!this.#connectionCounts.takesMarkets(this.#visitor, more)) {
      this.#connectionCounts.refuse('markets')
      return false
    }
    if (count === 0) this.#held.delete(channel)
    else this.#held.set(channel, count)
    return true
  }

  left(): void {
    if (!this.#isCounted) return
    this.#isCounted = false
    for (const channel of [...this.#held.keys()]) this.holds(channel, 0)
    this.#connectionCounts.leave(this.#visitor, this.isOver)
  }
}

/** Sockets that an address or a profile may have at any load, while one is free. */
const SOCKETS_MIN = 8

function ruleOf(all: number, size: number, least: number): ShareRule {
  const most = Math.min(size, all)
  return shareRule(all, most, Math.min(most, least))
}

export class ConnectionCounts {
  readonly bounds: ConnectionBounds
  readonly #ofAddress: ShareRule
  readonly #ofProfile: ShareRule
  readonly #marketsOfAddress: ShareRule
  readonly #addresses = new Map<string, Owner>()
  readonly #profiles = new Map<number, Owner>()
  readonly #refused: Record<SocketRefusal, number> = {
    all: 0,
    anonymous: 0,
    address: 0,
    profile: 0,
    markets: 0,
    messages: 0,
  }
  /** They outlive the sockets of an owner, which could otherwise reset them by reconnecting. */
  readonly #requestedByAddress: Buckets<string>
  readonly #requestedByProfile: Buckets<ProfileId>
  #markets = 0
  signed = 0
  anonymous = 0

  constructor(bounds: ConnectionBounds) {
    this.bounds = bounds
    const burst = bounds.ownerMarketsRequestedMax
    const rate = { perSecond: burst / LIMITS.ownerMessagesSec, burst }
    this.#requestedByAddress = new Buckets(rate)
    this.#requestedByProfile = new Buckets(rate)
    this.#ofAddress = ruleOf(bounds.anonymousMax, bounds.perAddressMax, SOCKETS_MIN)
    this.#ofProfile = ruleOf(bounds.socketsMax, bounds.perProfileMax, SOCKETS_MIN)
    this.#marketsOfAddress = ruleOf(
      LIMITS.socketMarketsAllMax,
      bounds.marketsPerAddressMax,
      LIMITS.socketMarketsMax,
    )
  }

  refusedFor(what: SocketRefusal): number {
    return this.#refused[what]
  }

  refuse(what: SocketRefusal): SocketRefusal {
    this.#refused[what]++
    return what
  }

  /** The limit that an address has reached, or null. */
  listenerFull(address: string): SocketRefusal | null {
    const { socketsMax, perAddressMax } = this.bounds
    if (this.signed + this.anonymous >= socketsMax) return this.refuse('all')
    const held = this.#addresses.get(address)?.connectionSlots ?? 0
    return held >= perAddressMax ? this.refuse('address') : null
  }

  asks({ address, profileId }: Visitor, units: number, nowMs: number): boolean {
    const ofAddress = address === '' || this.#requestedByAddress.take(address, nowMs, units) === 0
    return (
      ofAddress && (profileId === 0 || this.#requestedByProfile.take(profileId, nowMs, units) === 0)
    )
  }

  /** Counts `more` markets of public subscriptions, fewer when it is negative. */
  takesMarkets({ address }: Visitor, more: number): boolean {
    const owner = this.#addresses.get(address)
    const before = owner?.markets ?? 0
    const held = before + more
    const isOver = held > shareOf(this.#marketsOfAddress, this.#markets - before)
    if (more > 0 && (isOver || this.#markets + more > LIMITS.socketMarketsAllMax)) return false
    if (owner !== undefined) owner.markets = held
    this.#markets += more
    return true
  }

  /** A profile above its limit counts as anonymous until its socket is refused. */
  connectionSlotFor(visitor: Visitor): ConnectionSlot | SocketRefusal {
    const held = this.#profiles.get(visitor.profileId)?.connectionSlots ?? 0
    const all = this.signed + this.anonymous
    const isOver = visitor.profileId !== 0 && held >= shareOf(this.#ofProfile, all - held)
    const isSigned = visitor.profileId !== 0 && !isOver
    if (!isSigned && this.anonymous >= this.bounds.anonymousMax) return this.refuse('anonymous')
    const ofAddress = this.#addresses.get(visitor.address)?.connectionSlots ?? 0
    const isFull = ofAddress >= shareOf(this.#ofAddress, this.anonymous - ofAddress)
    if (!isSigned && visitor.address !== '' && isFull) return this.refuse('address')
    if (isOver) this.refuse('profile')
    return new ConnectionSlot(this, visitor, isOver)
  }

  enter({ address, profileId }: Visitor, isOver: boolean): void {
    const isSigned = profileId !== 0 && !isOver
    if (isSigned) this.signed++
    else this.anonymous++
    if (address !== '') counted(this.#addresses, address)
    if (isSigned) counted(this.#profiles, profileId)
  }

  leave({ address, profileId }: Visitor, isOver: boolean): void {
    const isSigned = profileId !== 0 && !isOver
    if (isSigned) this.signed--
    else this.anonymous--
    if (address !== '') rose(this.#addresses, address)
    if (isSigned) rose(this.#profiles, profileId)
  }

  takes({ address, profileId }: Visitor, second: number): boolean {
    const most = this.bounds.ownerMessagesMax
    const span = Math.floor(second / LIMITS.ownerMessagesSec)
    const ofAddress = this.#addresses.get(address)?.tally.takes(span, most) ?? true
    return ofAddress && (this.#profiles.get(profileId)?.tally.takes(span, most) ?? true)
  }
}

function newOwner(): Owner {
  return { tally: new Tally(), connectionSlots: 0, markets: 0 }
}

function counted<Key>(owners: Map<Key, Owner>, key: Key): void {
  const owner = owners.get(key) ?? newOwner()
  owner.connectionSlots++
  owners.set(key, owner)
}

function rose<Key>(owners: Map<Key, Owner>, key: Key): void {
  const owner = owners.get(key)
  if (owner === undefined) return
  if (--owner.connectionSlots === 0) owners.delete(key)
}

// Bounds connections: their total stays below the process's descriptor limit, and each address has
// a rate of new ones (design §11). The library does not report which connection ended, so
// connections cannot be counted by address. Instead, while many are open, a short reply closes its
// connection. The client must then open another, and the rate bounds that.
// Invariant: `count` rises once when a connection opens and falls once when it ends.

import { LIMITS } from '../../../../engine/domain/limits.ts'
import { addressKey, siteOf } from '../../../auth/networks.ts'
import { Buckets, type Rate, siteRate } from '../access/rate-limit.ts'
import type { NativeResponse, OpenConnections } from './native.ts'

type Peer = Pick<NativeResponse, 'getRemoteAddressAsText' | 'close'>

/** No limit per address. */
export const ANY_ADDRESS = { max: LIMITS.connectionsMax, openings: null }

export interface ConnectionBounds {
  /** Connections in total; a further one is closed at once. */
  readonly max: number
  /** How fast one address may open connections; null when peers are not callers. */
  readonly openings: Rate | null
}

/** The rate of one address: a page or a bot opens a few connections and keeps them. */
export const OPENINGS: Rate = { perSecond: 50, burst: 2000 }

/** Above this part of the limit, a short reply closes its connection. */
const CROWDED_PART = 0.75

/** Words of the counts. */
const COUNTS = { open: 0, refused: 1, bytes: 8 } as const

export class Connections implements OpenConnections {
  readonly #max: number
  readonly #openings: Buckets<string> | null
  /** By the first 48 bits of an IPv6 address. */
  readonly #ofSites: Buckets<string> | null
  readonly #clock: () => number
  readonly #counts: Int32Array

  /** `shared` has the counts when several threads accept connections. */
  constructor(
    { max, openings }: ConnectionBounds,
    clock: () => number,
    shared = new SharedArrayBuffer(COUNTS.bytes),
  ) {
    this.#counts = new Int32Array(shared)
    this.#max = max
    this.#openings = openings === null ? null : new Buckets(openings)
    this.#ofSites = openings === null ? null : new Buckets(siteRate(openings))
    this.#clock = clock
  }

  get count(): number {
    return Atomics.load(this.#counts, COUNTS.open)
  }

  get refusedCount(): number {
    return Atomics.load(this.#counts, COUNTS.refused)
  }

  get isCrowded(): boolean {
    return this.count > this.#max * CROWDED_PART
  }

  opened(response: Peer): void {
    const count = Atomics.add(this.#counts, COUNTS.open, 1) + 1
    if (count <= this.#max && !this.#isTooSoon(response)) return
    Atomics.add(this.#counts, COUNTS.refused, 1)
    response.close()
  }

  ended(): void {
    Atomics.sub(this.#counts, COUNTS.open, 1)
  }

  #isTooSoon(response: Peer): boolean {
    if (this.#openings === null) return false
    const address = Buffer.from(response.getRemoteAddressAsText()).toString()
    const nowMs = this.#clock()
    if (this.#openings.take(addressKey(address), nowMs) > 0) return true
    const site = siteOf(address)
    return site !== null && (this.#ofSites?.take(site, nowMs) ?? 0) > 0
  }
}

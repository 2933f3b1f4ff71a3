// Bounds connections: their total stays below the process's descriptor limit, and each address has
// a rate of new ones (design §11). The library does not report which connection ended, so
// connections cannot be counted by address. Instead, while many are open, a short reply closes its
// connection. The client must then open another, and the rate bounds that.
// Invariant: `count` rises once when a connection opens and falls once when it ends.

import type { HttpResponse } from 'uWebSockets.js'
import { LIMITS } from '../../../../engine/domain/limits.ts'
import { addressKey, siteOf } from '../../../auth/networks.ts'
import { Buckets, type Rate, siteRate } from '../access/rate-limit.ts'

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

export class Connections {
  readonly #max: number
  readonly #openings: Buckets<string> | null
  /** By the first 48 bits of an IPv6 address. */
  readonly #ofSites: Buckets<string> | null
  readonly #clock: () => number
  count = 0
  refusedCount = 0

  constructor({ max, openings }: ConnectionBounds, clock: () => number) {
    this.#max = max
    this.#openings = openings === null ? null : new Buckets(openings)
    this.#ofSites = openings === null ? null : new Buckets(siteRate(openings))
    this.#clock = clock
  }

  /** True when so many connections are open that new callers may be refused. */
  get isCrowded(): boolean {
    return this.count > this.#max * CROWDED_PART
  }

  opened(response: HttpResponse): void {
    this.count++
    if (this.count <= this.#max && !this.#isTooSoon(response)) return
    this.refusedCount++
    response.close()
  }

  ended(): void {
    this.count--
  }

  #isTooSoon(response: HttpResponse): boolean {
    if (this.#openings === null) return false
    const address = Buffer.from(response.getRemoteAddressAsText()).toString()
    const nowMs = this.#clock()
    if (this.#openings.take(addressKey(address), nowMs) > 0) return true
    const site = siteOf(address)
    return site !== null && (this.#ofSites?.take(site, nowMs) ?? 0) > 0
  }
}

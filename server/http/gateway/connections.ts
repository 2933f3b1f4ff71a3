// Connections: fewer in all than the process may open, and an address opens them one after the
// other (design §11). The library tells the address of a new one, and only that one has ended:
// so when many are open, whoever holds one must open it again and again.
// Invariant: `count` rises once for each that opens and falls once for each that ends.

import type { HttpResponse } from 'uWebSockets.js'
import { addressKey, Buckets, type Rate } from '../rate-limit.ts'

export interface ConnectionBounds {
  /** In all; more are closed as they come. */
  readonly max: number
  /** How fast one address may open them; null when addresses are not those of callers. */
  readonly openings: Rate | null
}

/** Of one address: a page or a bot opens a few and keeps them. */
export const OPENINGS: Rate = { perSecond: 50, burst: 2000 }

/** Above this part of the bound replies end their connections. */
const CROWDED_PART = 0.75

export class Connections {
  readonly #max: number
  readonly #openings: Buckets<string> | null
  readonly #clock: () => number
  count = 0
  refusedCount = 0

  constructor({ max, openings }: ConnectionBounds, clock: () => number) {
    this.#max = max
    this.#openings = openings === null ? null : new Buckets(openings)
    this.#clock = clock
  }

  /** True when keeping a connection open would keep others out. */
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
    return this.#openings.take(addressKey(address), this.#clock()) > 0
  }
}

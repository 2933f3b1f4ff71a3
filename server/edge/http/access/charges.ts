// Charges a call for what it costs beyond the token taken on arrival: thread time of its reads and
// its reply, bytes of the reply, and further messages in its body. The cost is known only
// afterwards, so it is then charged to the buckets of the address and the profile. A caller in debt
// is refused until the debt is paid. Cheap calls cost nothing extra.

import type { CallCharges } from '../../../messages/call.ts'
import type { RateClass, RateLimiter } from './rate-limit.ts'

/** What one additional token pays for. */
export const TOKEN = {
  /** Time of the query thread, which all table reads share. */
  queryMs: 1,
  /** Time of the main thread, which carries every order. */
  mainMs: 1 / 8,
  /** They take 10 µs of the thread of their market, which its orders share. */
  countedOrders: 1000,
  replyBytes: 32 * 1024,
} as const

export interface Charged {
  readonly rateClass: RateClass
  /** '' for an address without a limit. */
  readonly address: string
  /** The key of the profile; null for an unauthenticated caller. */
  readonly key: number | null
}

export interface Limiters {
  readonly addressLimiter?: RateLimiter<string> | null | undefined
  readonly profileLimiter?: RateLimiter<number> | null | undefined
  readonly clock: () => number
}

export class Charges implements CallCharges {
  readonly #limiters: Limiters
  readonly #charged: Charged
  #tokens = 0
  #taken = 0

  constructor(limiters: Limiters, charged: Charged) {
    this.#limiters = limiters
    this.#charged = charged
  }

  queryTook(ms: number): void {
    this.#add(ms / TOKEN.queryMs)
  }

  mainTook(ms: number): void {
    this.#add(ms / TOKEN.mainMs)
  }

  counted(orders: number): void {
    this.#add(orders / TOKEN.countedOrders)
  }

  replied(bytes: number): void {
    this.#add(bytes / TOKEN.replyBytes)
  }

  messages(count: number): void {
    this.#add(count - 1)
  }

  /** Charges whole tokens only; the fraction carries over to the next charge. */
  #add(tokens: number): void {
    this.#tokens += tokens
    const whole = Math.floor(this.#tokens) - this.#taken
    if (whole < 1) return
    this.#taken += whole
    const { addressLimiter, profileLimiter, clock } = this.#limiters
    const { rateClass, address, key } = this.#charged
    const nowMs = clock()
    if (address !== '') addressLimiter?.charge(address, rateClass, nowMs, whole)
    if (key !== null) profileLimiter?.charge(key, rateClass, nowMs, whole)
  }
}

// Token buckets by key and rate class (the generic cell rate algorithm: full-times.ts).
// Time is an argument; one thread owns an instance.

import { MS_PER_SEC } from '../../../../engine/domain/units.ts'
import { SITE_TIMES, siteOf } from '../../../auth/networks.ts'
import { type FullTimes, OwnTimes, SharedTimes } from './full-times.ts'

export const RATE_CLASSES = ['public', 'private', 'trade', 'auth', 'admin'] as const
export type RateClass = (typeof RATE_CLASSES)[number]

export interface Rate {
  readonly perSecond: number
  /** Calls that a full bucket allows at once. */
  readonly burst: number
}

export type Rates = Readonly<Record<RateClass, Rate>>

/** Builds one value per rate class. */
export function eachRateClass<T>(of: (rateClass: RateClass) => T): Readonly<Record<RateClass, T>> {
  return {
    public: of('public'),
    private: of('private'),
    trade: of('trade'),
    auth: of('auth'),
    admin: of('admin'),
  }
}

/** Generous rates: they stop a program in an endless loop, not a busy trader. */
export const ADDRESS_RATES: Rates = {
  public: { perSecond: 2000, burst: 4000 },
  private: { perSecond: 1000, burst: 2000 },
  trade: { perSecond: 2000, burst: 4000 },
  auth: { perSecond: 20, burst: 60 },
  admin: { perSecond: 200, burst: 400 },
}

export const PROFILE_RATES: Rates = {
  public: { perSecond: 1000, burst: 2000 },
  private: { perSecond: 200, burst: 400 },
  trade: { perSecond: 1000, burst: 2000 },
  auth: { perSecond: 10, burst: 30 },
  admin: { perSecond: 200, burst: 400 },
}

/** The rate of an IPv6 network that is wider than the key of an address. */
export function siteRate({ perSecond, burst }: Rate): Rate {
  return { perSecond: perSecond * SITE_TIMES, burst: burst * SITE_TIMES }
}

/** Buckets of one rate by key. */
export class Buckets<Key> {
  private readonly costMs: number
  private readonly burstMs: number
  private readonly burst: number
  private readonly times: FullTimes<Key>
  refusedCount = 0

  constructor(rate: Rate, times: FullTimes<Key> = new OwnTimes()) {
    this.costMs = 1000 / rate.perSecond
    this.burstMs = rate.burst * this.costMs
    this.burst = rate.burst
    this.times = times
  }

  keys(nowMs: number): number {
    return this.times.keys(nowMs)
  }

  /** Takes tokens; returns 0, or the milliseconds until the bucket has enough. */
  take(key: Key, nowMs: number, tokens = 1): number {
    for (;;) {
      const before = Math.max(this.times.of(key, nowMs), nowMs)
      const fullAtMs = before + Math.min(tokens * this.costMs, this.burstMs)
      const waitMs = fullAtMs - nowMs - this.burstMs
      // The sum of doubles is not exact: a thousandth of a millisecond must not cause a refusal.
      if (waitMs > 0.001) {
        this.refusedCount++
        return waitMs
      }
      if (this.times.put(key, fullAtMs)) return 0
    }
  }

  /**
   * Takes tokens for the cost of a call, even if the bucket lacks them: calls are refused until the
   * debt is paid. The debt is at most one burst.
   */
  charge(key: Key, nowMs: number, tokens: number): void {
    for (;;) {
      const from = Math.max(this.times.of(key, nowMs), nowMs)
      const most = nowMs + 2 * this.burstMs
      const fullAtMs = Math.max(from, Math.min(from + tokens * this.costMs, most))
      if (this.times.put(key, fullAtMs)) return
    }
  }

  /** The RateLimit header lines for the bucket of a key; each begins with a line break. */
  linesOf(key: Key, nowMs: number): string {
    const resetSec = Math.ceil(this.#untilFullMs(key, nowMs) / MS_PER_SEC)
    return (
      `\r\nratelimit-limit: ${this.burst}\r\nratelimit-remaining: ${this.leftOf(key, nowMs)}` +
      `\r\nratelimit-reset: ${resetSec}`
    )
  }

  /** Whole tokens left in the bucket of a key. */
  leftOf(key: Key, nowMs: number): number {
    // The sum of doubles is not exact: a thousandth of a token must not cost a whole one.
    const freeMs = this.burstMs - this.#untilFullMs(key, nowMs)
    return Math.max(Math.floor(freeMs / this.costMs + 0.001), 0)
  }

  #untilFullMs(key: Key, nowMs: number): number {
    return Math.max(this.times.of(key, nowMs) - nowMs, 0)
  }
}

const ownTimes = <Key>() => new OwnTimes<Key>()

interface LimiterOptions<Key> {
  /** The memory of the buckets of one rate; of this thread alone when absent. */
  readonly newTimes?: () => FullTimes<Key>
  /** The wider network of a key; null for none. */
  readonly siteOf?: (key: Key) => Key | null
}

/**
 * Limits calls per key (an address or a profile id), separately for each rate class. With `siteOf`,
 * a key also counts against the wider network that `siteOf` returns, which has the rates of several
 * keys.
 */
export class RateLimiter<Key> {
  private readonly rateClasses: Readonly<Record<RateClass, Buckets<Key>>>
  private readonly sites: Readonly<Record<RateClass, Buckets<Key>>> | null
  private readonly siteOf: (key: Key) => Key | null

  constructor(rates: Rates, { newTimes = ownTimes, siteOf }: LimiterOptions<Key> = {}) {
    this.rateClasses = eachRateClass((rateClass) => new Buckets(rates[rateClass], newTimes()))
    this.siteOf = siteOf ?? (() => null)
    this.sites =
      siteOf === undefined
        ? null
        : eachRateClass((rateClass) => new Buckets(siteRate(rates[rateClass]), newTimes()))
  }

  /** Takes tokens; returns 0, or the whole seconds for `Retry-After`. */
  take(key: Key, rateClass: RateClass, nowMs: number, tokens = 1): number {
    const waitMs = this.rateClasses[rateClass].take(key, nowMs, tokens)
    const site = waitMs > 0 || this.sites === null ? null : this.siteOf(key)
    const siteMs = site === null ? 0 : (this.sites?.[rateClass].take(site, nowMs, tokens) ?? 0)
    return Math.ceil(Math.max(waitMs, siteMs) / MS_PER_SEC)
  }

  /** Takes tokens for the cost of a call, even if the bucket lacks them. */
  charge(key: Key, rateClass: RateClass, nowMs: number, tokens: number): void {
    this.rateClasses[rateClass].charge(key, nowMs, tokens)
  }

  /** The RateLimit header lines of a key, for its own bucket or that of its network. */
  linesOf(key: Key, rateClass: RateClass, nowMs: number): string {
    const own = this.rateClasses[rateClass]
    const site = this.sites === null ? null : this.siteOf(key)
    if (site === null || this.sites === null) return own.linesOf(key, nowMs)
    const wider = this.sites[rateClass]
    const isWider = wider.leftOf(site, nowMs) < own.leftOf(key, nowMs)
    return isWider ? wider.linesOf(site, nowMs) : own.linesOf(key, nowMs)
  }

  /** Keys of a rate class whose buckets are not full. */
  keysOf(rateClass: RateClass, nowMs: number): number {
    return this.rateClasses[rateClass].keys(nowMs)
  }

  /** Calls of a rate class that were refused since the start. */
  refusedOf(rateClass: RateClass): number {
    return this.rateClasses[rateClass].refusedCount + (this.sites?.[rateClass].refusedCount ?? 0)
  }

  /** Keys of all rate classes whose buckets are not full. */
  keys(nowMs: number): number {
    return RATE_CLASSES.reduce((sum, rateClass) => sum + this.keysOf(rateClass, nowMs), 0)
  }
}

/** A call must pass both: the address when it is read, the profile when it is authenticated. */
export interface Limits {
  readonly addresses: RateLimiter<string>
  readonly profiles: RateLimiter<number>
  /** The memory of the buckets of addresses, which all threads with connections share. */
  readonly shared: SharedArrayBuffer
}

/** Two sets of buckets, for addresses and for their wider networks. */
const ADDRESS_TABLES = 2 * RATE_CLASSES.length

export function openLimits(rates: { readonly address: Rates; readonly profile: Rates }): Limits {
  const shared = SharedTimes.allocate(ADDRESS_TABLES)
  const addresses = sharedLimiter(rates.address, shared)
  return { addresses, profiles: new RateLimiter(rates.profile), shared }
}

/** The limits of addresses over all threads that have this memory. */
export function sharedLimiter(rates: Rates, shared: SharedArrayBuffer): RateLimiter<string> {
  let table = 0
  return new RateLimiter(rates, { newTimes: () => new SharedTimes(shared, table++), siteOf })
}

// Token buckets by key and rate class. Each key costs one number: the time at which its bucket is
// full again (the generic cell rate algorithm). So a full bucket needs no entry.
// Time is an argument; one thread owns an instance.

import { MS_PER_SEC } from '../../../../engine/domain/units.ts'
import { SITE_TIMES, siteOf } from '../../../auth/networks.ts'

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

const KEYS_MAX = 1 << 16

/** The rate of an IPv6 network that is wider than the key of an address. */
export function siteRate({ perSecond, burst }: Rate): Rate {
  return { perSecond: perSecond * SITE_TIMES, burst: burst * SITE_TIMES }
}

/** Entries swept per call: more than a call adds, so full buckets never accumulate. */
const SWEEP_STEPS = 2

/** Buckets of one rate by key. */
export class Buckets<Key> {
  private readonly costMs: number
  private readonly burstMs: number
  private readonly keysMax: number
  private readonly burst: number
  private readonly fullAtMs = new Map<Key, number>()
  private sweep: Iterator<[Key, number]>
  refusedCount = 0

  constructor(rate: Rate, keysMax = KEYS_MAX) {
    this.costMs = 1000 / rate.perSecond
    this.burstMs = rate.burst * this.costMs
    this.burst = rate.burst
    this.keysMax = keysMax
    this.sweep = this.fullAtMs.entries()
  }

  get keys(): number {
    return this.fullAtMs.size
  }

  /** Takes tokens; returns 0, or the milliseconds until the bucket has enough. */
  take(key: Key, nowMs: number, tokens = 1): number {
    this.forgetFull(nowMs)
    const before = this.fullAtMs.get(key)
    const fullAtMs = Math.max(before ?? nowMs, nowMs) + Math.min(tokens * this.costMs, this.burstMs)
    const waitMs = fullAtMs - nowMs - this.burstMs
    // The sum of doubles is not exact: a thousandth of a millisecond must not cause a refusal.
    if (waitMs > 0.001) {
      this.refusedCount++
      return waitMs
    }
    if (before === undefined && this.fullAtMs.size >= this.keysMax) this.forgetNext()
    this.fullAtMs.set(key, fullAtMs)
    return 0
  }

  /**
   * Takes tokens for the cost of a call, even if the bucket lacks them: calls are refused until the
   * debt is paid. The debt is at most one burst.
   */
  charge(key: Key, nowMs: number, tokens: number): void {
    this.forgetFull(nowMs)
    const before = this.fullAtMs.get(key)
    const from = Math.max(before ?? nowMs, nowMs)
    const fullAtMs = Math.max(from, Math.min(from + tokens * this.costMs, nowMs + 2 * this.burstMs))
    if (before === undefined && this.fullAtMs.size >= this.keysMax) this.forgetNext()
    this.fullAtMs.set(key, fullAtMs)
  }

  /** The RateLimit header lines for the bucket of a key; each begins with a line break. */
  linesOf(key: Key, nowMs: number): string {
    const fullAtMs = Math.max(this.fullAtMs.get(key) ?? nowMs, nowMs)
    const resetSec = Math.ceil((fullAtMs - nowMs) / MS_PER_SEC)
    return (
      `\r\nratelimit-limit: ${this.burst}\r\nratelimit-remaining: ${this.leftOf(key, nowMs)}` +
      `\r\nratelimit-reset: ${resetSec}`
    )
  }

  /** Whole tokens left in the bucket of a key. */
  leftOf(key: Key, nowMs: number): number {
    const fullAtMs = Math.max(this.fullAtMs.get(key) ?? nowMs, nowMs)
    // The sum of doubles is not exact: a thousandth of a token must not cost a whole one.
    const left = Math.floor((this.burstMs - (fullAtMs - nowMs)) / this.costMs + 0.001)
    return Math.max(left, 0)
  }

  private forgetFull(nowMs: number): void {
    for (let step = 0; step < SWEEP_STEPS; step++) {
      const next = this.sweep.next()
      if (next.done === true) {
        this.sweep = this.fullAtMs.entries()
        return
      }
      const [key, fullAtMs] = next.value
      if (fullAtMs <= nowMs) this.fullAtMs.delete(key)
    }
  }

  /**
   * Deletes the next key of the sweep when the map is full, so a flood of keys cannot lock others
   * out. Searching for the oldest key would step over all deleted entries each time.
   */
  private forgetNext(): void {
    let next = this.sweep.next()
    if (next.done === true) {
      this.sweep = this.fullAtMs.entries()
      next = this.sweep.next()
    }
    if (next.done !== true) this.fullAtMs.delete(next.value[0])
  }
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

  constructor(rates: Rates, keysMax = KEYS_MAX, siteOf: ((key: Key) => Key | null) | null = null) {
    this.rateClasses = eachRateClass((rateClass) => new Buckets<Key>(rates[rateClass], keysMax))
    this.siteOf = siteOf ?? (() => null)
    this.sites =
      siteOf === null
        ? null
        : eachRateClass((rateClass) => new Buckets<Key>(siteRate(rates[rateClass]), keysMax))
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

  /** Keys of a rate class that have an entry. */
  keysOf(rateClass: RateClass): number {
    return this.rateClasses[rateClass].keys
  }

  /** Calls of a rate class that were refused since the start. */
  refusedOf(rateClass: RateClass): number {
    return this.rateClasses[rateClass].refusedCount + (this.sites?.[rateClass].refusedCount ?? 0)
  }

  /** Keys of all rate classes that have an entry. */
  get keys(): number {
    return RATE_CLASSES.reduce((sum, rateClass) => sum + this.keysOf(rateClass), 0)
  }
}

/** A call must pass both: the address when it is read, the profile when it is authenticated. */
export interface Limits {
  readonly addresses: RateLimiter<string>
  readonly profiles: RateLimiter<number>
}

export function openLimits(rates: { readonly address: Rates; readonly profile: Rates }): Limits {
  const addresses = new RateLimiter(rates.address, KEYS_MAX, siteOf)
  return { addresses, profiles: new RateLimiter(rates.profile) }
}

// The markets. Invariant: a slug names one market for ever; ids count from 1.

import { assert } from '../../domain/assert.ts'
import type { MarketId } from '../../domain/ids.ts'
import { type MarketSpec, type MarketStatus, STATUS_CHANGES } from '../../domain/market.ts'
import type { GrowingSum, PriceTicks, TimeMs } from '../../domain/units.ts'
import { factsOf } from '../cells/facts.ts'

export interface Market extends MarketSpec {
  readonly marketId: MarketId
  readonly createdMs: TimeMs
  /** 0 = takers are not delayed. */
  readonly takerDelayMs: number
  updatedMs: TimeMs
  status: MarketStatus
  payoutNumerators: readonly [number, number] | null
  /** Collateral of all trades. */
  readonly volume: GrowingSum
  /** YES price of the last trade; 0 before the first. */
  lastYesTicks: PriceTicks
  /** Sizes of live orders. A gate bounds their sum, so that every sum of the book stays exact. */
  openSizeRaw: number
}

/** Addresses that may move the collateral and shares of a market's traders. */
export function venueAddresses({ exchangeAddress, adapterAddress }: MarketSpec): string[] {
  return adapterAddress === null ? [exchangeAddress] : [exchangeAddress, adapterAddress]
}

export class Catalogue {
  readonly #markets: Market[] = []
  readonly #bySlug = new Map<string, Market>()
  readonly #byToken = new Map<string, Market>()
  readonly #venues = new Set<string>()

  get count(): number {
    return this.#markets.length
  }

  byId(marketId: MarketId): Market | undefined {
    return this.#markets[marketId - 1]
  }

  /** For ids in a journaled command, whose market always exists. */
  existing(marketId: MarketId): Market {
    const market = this.#markets[marketId - 1]
    assert(market !== undefined, 'a command names a market that exists')
    return market
  }

  bySlug(slug: string): Market | undefined {
    return this.#bySlug.get(slug)
  }

  byToken(tokenId: string): Market | undefined {
    return this.#byToken.get(tokenId)
  }

  /** Exchanges and adapters of all markets, in the order of their first use. */
  get venues(): ReadonlySet<string> {
    return this.#venues
  }

  all(): readonly Market[] {
    return this.#markets
  }

  create(marketId: MarketId, spec: MarketSpec, nowMs: TimeMs): void {
    assert(marketId === this.#markets.length + 1, 'market ids count from 1')
    assert(!this.#bySlug.has(spec.slug), 'a slug is new')
    const market: Market = {
      ...spec,
      marketId,
      createdMs: nowMs,
      takerDelayMs: spec.takerDelayMs ?? 0,
      updatedMs: nowMs,
      status: 'FUNDED',
      payoutNumerators: null,
      volume: { raw: 0, carries: 0 },
      lastYesTicks: 0,
      openSizeRaw: 0,
    }
    this.#add(market)
  }

  #add(market: Market): void {
    this.#markets.push(market)
    this.#bySlug.set(market.slug, market)
    this.#byToken.set(market.yesTokenId, market)
    this.#byToken.set(market.noTokenId, market)
    for (const each of venueAddresses(market)) this.#venues.add(each)
  }

  /** Takes over the markets of another catalogue, in id order. */
  restore(markets: readonly Market[]): void {
    assert(this.#markets.length === 0, 'only a fresh state is restored')
    for (const market of markets) this.#add({ ...market, volume: { ...market.volume } })
  }

  change(marketId: MarketId, status: MarketStatus, nowMs: TimeMs): Market {
    const market = this.existing(marketId)
    assert(STATUS_CHANGES[market.status].includes(status), 'a market changes status as listed')
    market.status = status
    market.updatedMs = nowMs
    return market
  }

  /** All the state, in id order; for the state hash. */
  *facts(): Iterable<unknown> {
    for (const market of this.#markets) yield factsOf(market)
  }
}

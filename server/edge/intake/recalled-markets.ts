// Markets that left memory and were loaded into the intake again, because orders for them arrived.
// Such an order is judged like one for any resolved market.
// Invariant: their number is bounded; the least recently used one is evicted.

import { LIMITS } from '../../../engine/domain/limits.ts'
import type { MarketEntry } from './directory.ts'

/** Sends markets to the intake threads. */
interface MarketReporter {
  addMarket(market: MarketEntry): void
  archiveMarket(slug: string): void
}

export class RecalledMarkets {
  readonly #intake: MarketReporter
  readonly #slugs = new Set<string>()

  constructor(intake: MarketReporter) {
    this.#intake = intake
  }

  /** Sends the market again: a thread that replaced another may not have it. */
  recall(market: MarketEntry): void {
    this.#slugs.delete(market.slug)
    if (this.#slugs.size === LIMITS.recalledMarketsMax) {
      const [oldest] = this.#slugs
      this.#slugs.delete(oldest)
      this.#intake.archiveMarket(oldest)
    }
    this.#slugs.add(market.slug)
    this.#intake.addMarket(market)
  }
}

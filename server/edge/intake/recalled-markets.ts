// Markets that left memory and that the intake knows again, because orders for them came. Such an
// order is judged as one for any resolved market.
// Invariant: their number is bounded; the one that was asked for longest ago makes room.

import { LIMITS } from '../../../engine/domain/limits.ts'
import type { MarketEntry } from './directory.ts'

/** Tells the intake threads of markets. */
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

  /** Teaches the market again. A thread that replaced another may not know it. */
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

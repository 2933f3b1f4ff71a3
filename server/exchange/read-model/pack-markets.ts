// The markets available for packs, kept in order as they change, so that a page costs only what it
// contains. Invariant: the ids rise, and each is of a market that accepts packs.

import { takesPacks } from '../../../engine/core/decide/money/pack-price.ts'
import type { Market } from '../../../engine/core/markets/catalogue.ts'
import type { MarketId } from '../../../engine/domain/ids.ts'
import type { MarketStatus } from '../../../engine/domain/markets/market.ts'

interface Shown {
  readonly market: Market
  readonly status: MarketStatus
}

function takesThemNow({ market, status }: Shown): boolean {
  return takesPacks(market) && status === 'FUNDED' && !market.isFailed
}

export class PackMarkets {
  readonly #ids: MarketId[] = []

  get count(): number {
    return this.#ids.length
  }

  /** Records whether the market accepts packs now. A market that leaves memory no longer did. */
  note(shown: Shown): void {
    const { marketId } = shown.market
    const at = this.#placeOf(marketId)
    const [isIn, shouldBe] = [this.#ids[at] === marketId, takesThemNow(shown)]
    if (shouldBe && !isIn) this.#ids.splice(at, 0, marketId)
    else if (!shouldBe && isIn) this.#ids.splice(at, 1)
  }

  /** A range of the ids, newest first. */
  page(skip: number, limit: number): MarketId[] {
    const end = Math.max(this.#ids.length - skip, 0)
    return this.#ids.slice(Math.max(end - limit, 0), end).reverse()
  }

  /** The position of the first id that is not below this one. */
  #placeOf(marketId: MarketId): number {
    let [low, high] = [0, this.#ids.length]
    // Most changes are of the newest markets.
    if (high > 0 && this.#ids[high - 1] < marketId) return high
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#ids[middle] < marketId) low = middle + 1
      else high = middle
    }
    return low
  }
}

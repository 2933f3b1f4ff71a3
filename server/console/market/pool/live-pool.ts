// The pool of the market that is shown, as it is now.

import { UNIT_RAW } from '../../../../engine/domain/units.ts'
import type { Context } from '../../context.ts'
import { publishedPrice } from '../../exchange/market-format.ts'
import type { MarketView } from '../../exchange/shapes.ts'
import { type Signal, signal } from '../../page/preact.ts'
import { movedTo, type Pool } from './pool-estimate.ts'

export class LivePool {
  /** Price of YES, 0 to 1; null before the pool is funded. */
  readonly price: Signal<number | null>
  readonly stop: () => void
  readonly #reported: Pool

  constructor({ streams }: Context, market: MarketView) {
    const { reserves, feeBps = 0, address = '' } = market
    this.#reported = {
      reservesRaw: [Number(reserves?.yes ?? 0), Number(reserves?.no ?? 0)],
      feeBps,
    }
    this.price = signal(publishedPrice(market))
    this.stop = streams.pool(address, ({ updatedPrices: [now] }) => {
      if (now !== undefined) this.price.value = now.yesPrice
    })
  }

  get pool(): Pool {
    const price = this.price.value
    return price === null ? this.#reported : movedTo(this.#reported, Math.round(price * UNIT_RAW))
  }
}

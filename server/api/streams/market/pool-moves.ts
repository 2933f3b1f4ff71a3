// The prices that blocks leave in pools (rules §12.8). A change of a pool is published with the
// block that contains its command. Invariant: `#moved` has the changes that are in no published
// block, oldest first; an account has one trade with a pool between two blocks.

import type { Seq } from '../../../../engine/domain/ids.ts'
import { UNIT_RAW } from '../../../../engine/domain/units.ts'
import { type PoolFigures, poolYesE6 } from '../../../exchange/read-model/pool-views.ts'
import type { PublishedMarket } from '../../../exchange/read-model/published.ts'
import type { BlockEvent, SettlementListener } from '../../../exchange/settlement/mining.ts'
import { isoText } from '../../../messages/iso-text.ts'

interface Moved {
  readonly published: PublishedMarket
  readonly pool: PoolFigures
  readonly seq: Seq
}

/** Publishes the prices of one pool. It must not throw. */
export type PublishPrices = (published: PublishedMarket, frame: object) => void

export class PoolMoves implements SettlementListener {
  readonly #publish: PublishPrices
  #moved: Moved[] = []

  constructor(publish: PublishPrices) {
    this.#publish = publish
  }

  moved(published: PublishedMarket, seq: Seq): void {
    const { pool } = published
    if (pool !== null) this.#moved.push({ published, pool, seq })
  }

  onBlock({ height, throughSeq, ms }: BlockEvent): void {
    if (this.#moved.length === 0) return
    const newest = new Map<PublishedMarket, Moved>()
    const later = this.#moved.filter((each) => {
      if (each.seq > throughSeq) return true
      newest.set(each.published, each)
      return false
    })
    this.#moved = later
    for (const { published, pool } of newest.values()) {
      this.#publish(published, pricesFrame(published, pool, { height, ms }))
    }
  }

  onSetback(): void {
    // A trade with a pool is never reversed.
  }
}

/** The prices of a pool after a block. */
export function pricesFrame(
  { market }: PublishedMarket,
  pool: PoolFigures,
  block: { readonly height: number; readonly ms: number },
): object {
  const marketAddress = market.poolAddress ?? ''
  const yesE6 = poolYesE6(pool)
  const [yesPrice, noPrice] = [yesE6 / UNIT_RAW, (UNIT_RAW - yesE6) / UNIT_RAW]
  return {
    marketAddress,
    updatedPrices: [{ marketId: market.marketId, marketAddress, yesPrice, noPrice }],
    blockNumber: block.height,
    timestamp: isoText(block.ms),
  }
}

// Due work of packs: resolved markets are counted for the packs with a leg on them, and offers end
// when they expire (rules §8.5). The work is done in slices; after a crash, the rest follows from
// the state. Main's thread owns it.

import type { Clearing } from '../../../engine/core/clearing.ts'
import type { Market } from '../../../engine/core/markets/catalogue.ts'
import { countedResults, paidRawOf } from '../../../engine/core/packs/packs.ts'
import type { CountedPack } from '../../../engine/domain/packs/pack-command.ts'
import { PACK_LIMITS } from '../../../engine/domain/packs/pack-limits.ts'
import type { TimeMs } from '../../../engine/domain/units.ts'
import { faultPoint } from '../../../engine/thread/fault-point.ts'
import type { Sequencer } from '../sequencer/sequencer.ts'

export class PackSchedule {
  readonly #clearing: Clearing
  readonly #sequencer: Sequencer
  #lookedMs: TimeMs = 0

  constructor(parts: { clearing: Clearing; sequencer: Sequencer }) {
    this.#clearing = parts.clearing
    this.#sequencer = parts.sequencer
  }

  /** The next time when `tick` has something to do; Infinity for nothing. */
  get nextDueMs(): TimeMs {
    const { packs } = this.#clearing
    const laterMs = this.#lookedMs + PACK_LIMITS.roundEveryMs
    if (packs.due.size > 0) return laterMs
    for (const { expiresMs } of packs.offers()) return Math.max(expiresMs, laterMs)
    return Number.POSITIVE_INFINITY
  }

  /** A full ring only delays what is due. */
  tick(): void {
    const nowMs = this.#sequencer.nowMs()
    if (nowMs < this.nextDueMs) return
    this.#lookedMs = nowMs
    this.#endOffers()
    const { packs, catalogue } = this.#clearing
    for (const marketId of packs.due) {
      this.#count(catalogue.existing(marketId))
      return
    }
  }

  #endOffers(): void {
    this.#sequencer.change((nowMs) => {
      const offerIds: number[] = []
      for (const { offerId, expiresMs } of this.#clearing.packs.offers()) {
        if (expiresMs > nowMs || offerIds.length === PACK_LIMITS.endedOffersMax) break
        offerIds.push(offerId)
      }
      return offerIds.length === 0 ? null : { kind: 'endPackOffers', offerIds }
    })
  }

  #count(market: Market): void {
    const { packs } = this.#clearing
    const counted: CountedPack[] = []
    for (const packId of packs.ofMarket(market.marketId)) {
      const pack = packs.byId(packId)
      if (pack === undefined || counted.length === PACK_LIMITS.countedMax) break
      counted.push({ packId, paidRaw: paidRawOf(pack, countedResults(pack, market)) })
    }
    faultPoint('mid-packs')
    this.#sequencer.change(() => {
      return { kind: 'countPacks', marketId: market.marketId, packs: counted }
    })
  }
}

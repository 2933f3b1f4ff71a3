import assert from 'node:assert/strict'
import type { Clearing } from '../../engine/core/clearing.ts'
import type { LegToPrice, PricedPack } from '../../engine/core/decide/money/pack-price.ts'
import type { QuotedPack } from '../../engine/core/decide/money/packs.ts'
import type { AskLevel } from '../../engine/core/packs/pack-odds.ts'
import { countedResults, paidRawOf } from '../../engine/core/packs/packs.ts'
import type { CountedPack } from '../../engine/domain/packs/pack-command.ts'

/** The quote of a pack that is priced so, for as long as a test lasts. */
export function quoteOf(
  { legs, payoutRaw }: PricedPack,
  changes: Partial<QuotedPack> = {},
): QuotedPack {
  const prices = legs.map(({ priceTicks }) => priceTicks)
  return { payoutRaw, prices, expiresMs: Number.MAX_SAFE_INTEGER, isUsed: false, ...changes }
}

const DEEP_RAW = 10 ** 12

/** A leg of a book whose asks rest, with deep bids right below the best usable ask. */
export function restedLeg(
  marketId: number | undefined,
  outcome: number,
  asks: readonly AskLevel[],
): LegToPrice {
  const bids = asks
    .filter(({ ticks }) => ticks >= 100)
    .map(({ ticks }) => ({ ticks: ticks - 1, sizeRaw: DEEP_RAW }))
  return { marketId, outcome, asks, rested: { asks, bids } }
}

/** What a resolved market gives its packs, as the command that counts them says it. */
export function countedPacks({ packs, catalogue }: Clearing, marketId: number): CountedPack[] {
  const market = catalogue.existing(marketId)
  return [...packs.ofMarket(marketId)].map((packId) => {
    const pack = packs.byId(packId)
    assert(pack !== undefined)
    return { packId, paidRaw: paidRawOf(pack, countedResults(pack, market)) }
  })
}

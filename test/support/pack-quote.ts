import type { PricedPack, QuotedPack } from '../../engine/core/decide/money/packs.ts'

/** The quote of a pack that is priced so, for as long as a test lasts. */
export function quoteOf(
  { legs, payoutRaw }: PricedPack,
  changes: Partial<QuotedPack> = {},
): QuotedPack {
  const prices = legs.map(({ priceTicks }) => priceTicks)
  return { payoutRaw, prices, expiresMs: Number.MAX_SAFE_INTEGER, ...changes }
}

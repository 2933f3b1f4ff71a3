import assert from 'node:assert/strict'
import type { LiveExchange, Trader } from './live-exchange.ts'
import type { LiveMarket } from './live-orders.ts'

const DEPTH_RAW = 1_000_000_000

/** Two new markets whose YES is for sale at 0.5 and at 0.4, and wanted a cent below. */
export async function marketsForPacks(
  live: LiveExchange,
  maker: Trader,
  slugs: readonly [string, string],
): Promise<LiveMarket[]> {
  const markets: LiveMarket[] = []
  for (const [index, ticks] of [500, 600].entries()) {
    const market = await live.openMarket(slugs[index])
    const ask = { outcome: 1, ticks, sizeRaw: DEPTH_RAW } as const
    assert.equal((await live.place(maker, market, ask)).status, 201)
    const bid = { ticks: 990 - ticks, sizeRaw: DEPTH_RAW }
    assert.equal((await live.place(maker, market, bid)).status, 201)
    markets.push(market)
  }
  return markets
}

// The public channels, and the feeds behind them.

import type { TimeMs } from '../../../../engine/domain/units.ts'
import type { Pipeline } from '../../../pipeline/pipeline.ts'
import type { Channel } from '../../channels.ts'
import type { PoolPrices } from '../../outside-prices.ts'
import type { RoomParts } from '../../room.ts'
import { LifecycleFeed, leaving } from './lifecycle-feed.ts'
import { MarketTopics } from './market-topics.ts'
import { PriceFeed } from './price-feed.ts'
import { TradeFeed } from './trade-feed.ts'

export interface MarketFeedParts extends RoomParts {
  readonly pipeline: Pipeline
  readonly clock: () => TimeMs
  readonly waits: { readonly bookMs: number; readonly quietBookMs: number }
  readonly isPool: (address: string) => boolean
}

/** The public feeds, as the rest of the server sees them. */
export interface MarketFeeds {
  /** By the event that subscribes. */
  readonly channels: ReadonlyMap<string, Channel>
  /** Call it when the block that moved a pool is durable. */
  poolPrices(prices: PoolPrices): void
  stop(): void
}

const E8 = 100_000_000

export function marketFeeds(parts: MarketFeedParts): MarketFeeds {
  const { published, publisher, mining } = parts.pipeline
  const topics = new MarketTopics({ ...parts, msOf: (seq) => publisher.news.stampMsOf(seq) })
  const prices = new PriceFeed({ ...parts, published, topics })
  const trades = new TradeFeed(published, topics)
  const lifecycle = new LifecycleFeed({
    ...parts,
    topics,
    reported: ({ symbol, atMs, priceE8, slugs }) => {
      const value = priceE8 / E8
      for (const marketSlug of [null, ...slugs]) {
        prices.oraclePrice({ symbol: `${symbol}/USD`, marketSlug, atMs, value })
      }
    },
    ended: (market) => {
      prices.ended(market)
      trades.ended(market)
    },
  })
  published.listen(lifecycle)
  mining?.listen(trades)
  return {
    channels: new Map<string, Channel>([
      ['subscribe_market_prices', prices],
      ['subscribe_trades', trades],
      ['subscribe_market_lifecycle', lifecycle],
      ['unsubscribe_market_lifecycle', leaving(lifecycle)],
    ]),
    poolPrices: (each) => prices.poolPrices(each),
    stop: () => topics.stop(),
  }
}

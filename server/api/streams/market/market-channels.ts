// The public channels and their feeds.

import type { TimeMs } from '../../../../engine/domain/units.ts'
import type { Channel } from '../../../edge/sockets/channels.ts'
import type { BroadcastParts } from '../../../edge/sockets/shared/broadcast-group.ts'
import type { Pipeline } from '../../../exchange/pipeline.ts'
import type { EventFeeds } from '../event-channels.ts'
import type { BookWaits } from './book-pace.ts'
import { LifecycleFeed, leaving } from './lifecycle-feed.ts'
import { MarketTopics } from './market-topics.ts'
import { PoolMoves, PriceFeed, TradeFeed } from './price-feed.ts'

export interface MarketFeedParts extends BroadcastParts {
  readonly pipeline: Pipeline
  readonly clock: () => TimeMs
  /** Publishes matches and offers. */
  readonly events: Pick<EventFeeds, 'scored' | 'offered'>
  readonly waits: BookWaits
}

/** The public feeds, as used by the rest of the server. */
export interface MarketFeeds {
  /** By the event that subscribes. */
  readonly channels: ReadonlyMap<string, Channel>
  stop(): void
}

const E8 = 100_000_000

export function marketFeeds(parts: MarketFeedParts): MarketFeeds {
  const { published, publisher, mining } = parts.pipeline
  const topics = new MarketTopics({ ...parts, msOf: (seq) => publisher.orderEvents.stampMsOf(seq) })
  const block = () => ({ height: mining?.shown.height ?? 0, ms: parts.clock() })
  const prices = new PriceFeed({ ...parts, published, topics, block })
  const pools = new PoolMoves((shown, frame) => prices.poolPrices(shown, frame))
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
    poolMoved: (market, seq) => pools.moved(market, seq),
    ended: (market) => {
      prices.ended(market)
      trades.ended(market)
    },
  })
  published.listen(lifecycle)
  mining?.listen(trades)
  mining?.listen(pools)
  return {
    channels: new Map<string, Channel>([
      ['subscribe_market_prices', prices],
      ['subscribe_trades', trades],
      ['subscribe_market_lifecycle', lifecycle],
      ['unsubscribe_market_lifecycle', leaving(lifecycle)],
    ]),
    stop: () => topics.stop(),
  }
}

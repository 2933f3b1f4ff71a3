// The channels of an account, and the feeds behind them.

import type { TimeMs } from '../../../../engine/domain/units.ts'
import type { Pipeline } from '../../../pipeline/pipeline.ts'
import type { ArchivedMarkets } from '../../../services/markets/archived-markets.ts'
import type { PrivateReads } from '../../../services/private-reads.ts'
import type { Streams } from '../../account-stream.ts'
import type { Census } from '../../census.ts'
import type { Channel } from '../../channels.ts'
import { Audience } from './audience.ts'
import { OrderEvents } from './order-events.ts'
import { PositionsFeed } from './positions-feed.ts'
import { SettlementFeed } from './settlement-feed.ts'

export interface AccountFeeds {
  readonly pipeline: Pipeline
  readonly reads: PrivateReads
  readonly archive: ArchivedMarkets
  readonly clock: () => TimeMs
  readonly census: Census
  readonly streams: Streams
}

/** The channels by the event that subscribes to them. */
export function accountChannels(feeds: AccountFeeds): Map<string, Channel> {
  const { pipeline, reads, archive, streams } = feeds
  const { news } = pipeline.publisher
  const orderEvents = new OrderEvents({ audience: new Audience(news), ...feeds })
  const positions = new PositionsFeed(new Audience(news), feeds)
  const transactions = new Audience(null)
  pipeline.mining?.listen(
    new SettlementFeed({
      audience: transactions,
      pipeline,
      reads,
      archive,
      streams,
      orderEvents,
      positions,
    }),
  )
  // Each feed contains its own faults: a frame must not break the pipeline.
  news.listen((facts) => {
    orderEvents.tell(facts)
    positions.tell(facts)
  })
  return new Map<string, Channel>([
    ['subscribe_order_events', orderEvents.audience],
    ['subscribe_positions', positions],
    ['subscribe_transactions', transactions],
  ])
}
